"""What frees an array in shared memory of bank conflicts: computed by replaying its requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from perflint.analysis.model import AccessSite, Array
from perflint.analysis.variable_names import variable_name
from perflint.base.constructs import Declaration
from perflint.base.records import dataclass
from perflint.rules import advice
from perflint.rules.access_shapes import fields_of
from perflint.rules.array_uses import pointers_in
from perflint.rules.protocol import (
    Edit,
    Kernel,
    OtherLaunch,
    Trial,
)
from perflint.rules.shared.narrow_parts import packed_parts
from perflint.rules.shared.padded_records import padded_records
from perflint.rules.shared.skewed_index import growth, index_text, skewed
from perflint.rules.shared_declarations import declaration_of, element_size
from perflint.rules.shared_layouts import (
    Cost,
    Layout,
    Tile,
    cost,
    free_shape,
    least_padding,
    moved_together,
    other_rows,
    requests_of,
    start_of,
    tile_of,
    variable_of,
)
from perflint.rules.worst_request import Change, laid_out
from perflint.rules.written_numbers import number
from perflint.sim.accesses import Witness
from perflint.sim.tracers.requests import Requests, SharedRequests

_LINE = 128  #: bytes of the 32 banks
PADDING, SKEW, GAPS = "the padding", "a skewed index", "gaps between the structures"


@dataclass(frozen=True)
class Remedy:
    """What to do about the conflicts of one array."""

    help: str
    edits: tuple[Edit, ...] = ()  #: that in the source, where it is a plain change of it
    notes: tuple[str, ...] = ()
    whole: bool = False  #: it frees all accesses to the array
    moved: Change | None = None  #: where the bytes of a request then lie
    change: str = ""  #: that, in words
    shorter: bool = False  #: rows lose padding that makes the conflicts
    by: str = PADDING  #: what the edits are
    edit_text: str = ""  #: what they do, if it is not what the help says
    shared: OtherLaunch = OtherLaunch()  #: how the launch's shared bytes grow
    others: frozenset[str] = frozenset()  #: other kernels that the edits change, too
    parted: bool = False  #: they are of one of several pointers into an array
    else_edits: tuple[tuple[Edit, ...], ...] = ()  #: what may do where the edits do not

    @property
    def pads(self) -> bool:
        """Whether it changes no more than how long an array's rows are."""
        return bool(self.edits) and self.by == PADDING


def remedy(kernel: Kernel, site: AccessSite, trial: Trial, witness: Witness) -> Remedy:
    """What frees the array of a conflicting access, for that launch."""
    array = kernel.names.array(site)
    if site.array.kind != "variable":
        return Remedy(advice.conflicting(site, witness, array))
    sites = [s for s in kernel.facts.sites if s.space == "shared" and s.array == site.array]
    if packed := packed_parts(site, sites, witness, array):
        return Remedy(packed)
    stride = site.strides.get("x")
    step = stride.constant if stride is not None else None
    skew = _skewed(kernel, site, sites, trial, array)
    if (skew is None or not skew.edits) and (pointer := _pointer(kernel, site)):
        own = [s for s in sites if kernel.names.array(s) == array]
        skew = _skewed(kernel, site, own, trial, array, pointer) or skew
    short = step is not None and site.size < abs(step) < advice.SMALLEST_ROW * site.size
    if step and (short or _of_structures(kernel, site)):
        # what lies between are other fields, not a row
        text = advice.conflicting(site, witness, array) if short else advice.of_fields(array)
        if skew is not None:
            return replace(skew, help=f"{text}; or {skew.help}")
        return _padded(kernel, site, sites, trial, abs(step), text, array)
    # of what was tried nothing frees it; that nothing else does is not said
    fallback = skew or Remedy(f"let neighbouring lanes use neighbouring elements of {array}")
    declaration = declaration_of(kernel, site)
    element = (element_size(declaration.type) if declaration else 0) or min(s.size for s in sites)
    declared = _width(kernel, declaration)
    tile = tile_of(sites, trial, element, declared)
    requests = requests_of(sites, trial)
    if tile is None or not requests:
        return fallback
    found = _of_tile(kernel, tile, sites, requests, trial, declaration, declared, array)
    if found is None or found.edits or skew is None or not skew.whole:
        return found or fallback
    # an array that has rows by its index alone: only the index can be edited
    return replace(
        found,
        edits=skew.edits,
        by=skew.by,
        shared=skew.shared,
        others=skew.others,
        edit_text=skew.help,
    )


def _padded(
    kernel: Kernel,
    site: AccessSite,
    sites: list[AccessSite],
    trial: Trial,
    step: int,
    text: str,
    array: str,
) -> Remedy:
    """What parts lie beside each other in, or that the structures get a gap."""
    padded = padded_records(kernel, site, sites, trial, step)
    if padded is None:
        return Remedy(text)
    gap = f"give each structure of {array} a gap"
    return Remedy(
        f"{text}; or {gap}",
        padded.ways[0],
        else_edits=padded.ways[1:],
        whole=padded.free,
        moved=padded.moved,
        change="structures with a gap",
        by=GAPS,
        edit_text=gap,
    )


def _pointer(kernel: Kernel, site: AccessSite) -> str:
    """The pointer through which a part of an array is used; "" where it is used by its name."""
    name = kernel.names.arrays.get(site.pcs) or ""
    constructs, function = kernel.own_constructs, kernel.function
    if constructs is None or function is None or name == variable_name(site.array.name):
        return ""
    return name if pointers_in(constructs, function, name) else ""


def _skewed(
    kernel: Kernel,
    site: AccessSite,
    sites: list[AccessSite],
    trial: Trial,
    array: str,
    pointer: str = "",
) -> Remedy | None:
    """What a skewed index does for an array that is no tile: that of a scan, or of a transform.

    Each is tried on all requests to the array that were made, and keeps together what the widest
    of them moves. None where none frees most of them, or where an index is that of a structure,
    whose parts go together.
    """
    if _of_structures(kernel, site):
        return None
    widest = max(site.size, moved_together(sites))
    tile = Tile(f"{site.array.name} {pointer}", 0, _LINE, widest)
    per = tile.pitch // tile.element

    def find() -> _Skew:
        requests = requests_of(sites, trial)
        requests = _from_the_first(requests) if pointer else requests
        step = 0 if _element(kernel, site) else _step(sites, trial)
        return _best_skew(tile, requests, kernel.arch.shared_rule, step)

    once = trial.tracer(SharedRequests).once
    best = once(tile, find)
    factor, left, now = best.factor, best.left, best.now
    if not _frees(left, now):
        return None
    unit = widest // (_element(kernel, site) or site.size)
    rest = "all its conflicts" if left == now.golden else "most of its conflicts"
    whole = _is_whole(site, trial)
    plain = None
    if widest == site.size:
        plain = skewed(kernel, site, per, factor, whole=whole, pointer=pointer)
    edits = plain.edits if plain else ()
    for other in _alike(kernel, site, trial, tile, factor) if plain and not pointer else ():
        beside = skewed(kernel, other, per, factor, whole=_is_whole(other, trial))
        if beside is not None and beside.shared == OtherLaunch():
            edits += tuple(each for each in beside.edits if each not in edits)
    used = once(("used", tile), partial(_used, sites, trial))
    return Remedy(
        f"skew the index of {_all_of(kernel, site, array, pointer)}: "
        f"`{index_text('i', per, factor, unit)}` in the place of `i` frees {rest}"
        f"{growth(used, _size(site, trial), per, factor, widest, unit)}",
        tuple(sorted(edits, key=lambda each: (str(each.span.path), each.span))),
        notes=(
            f"replayed with that index, its different requests take {left} wavefronts in the place "
            f"of {now.measured}; {now.golden} would do",
        ),
        whole=left == now.golden,
        by=SKEW,
        shared=plain.shared if plain else OtherLaunch(),
        others=plain.others if plain else frozenset(),
        parted=bool(pointer),
    )


def _all_of(kernel: Kernel, site: AccessSite, array: str, pointer: str) -> str:
    """What gets another index, and where: the array itself, whatever pointers walk in it.

    With a `pointer` only what that one is at.
    """
    declared = kernel.names.plain_array(site)
    if pointer or declared is None or array == f"`{declared}`":
        return f"{array}, at each access to it"
    return f"`{declared}`, at each access to it, those through {array} among them"


def _used(sites: list[AccessSite], trial: Trial) -> int:
    """Bytes from where an array begins to the last that accesses use of it."""
    ends = (int(r.offset[r.mask].max()) + r.size for r in requests_of(sites, trial) if r.mask.any())
    return max(ends, default=0)


def _size(site: AccessSite, trial: Trial) -> int:
    """The bytes that an array is declared with; 0 where the launch gives them."""
    variable = variable_of(site, trial)
    return variable.size if variable is not None else 0


def _element(kernel: Kernel, site: AccessSite) -> int:
    """The bytes of an array's elements, as it is declared; 0 where that is not in sight.

    Those of a request may be more: neighbouring elements are merged into vectors.
    """
    declaration = declaration_of(kernel, site, dynamic=True)
    return element_size(declaration.type) if declaration else 0


@dataclass(frozen=True)
class _Skew:
    """The index of an array that leaves the fewest wavefronts."""

    factor: int  #: of the row; 0: padded
    left: int  #: wavefronts
    now: Cost  #: with the index as it is


def _from_the_first(requests: list[Requests]) -> list[Requests]:
    """Offsets from the least that is used: where the part of the array begins."""
    least = min((int(r.offset[r.mask].min()) for r in requests if r.mask.any()), default=0)
    return [Requests(r.size, r.mask, np.where(r.mask, r.offset - least, 0)) for r in requests]


def _best_skew(tile: Tile, requests: list[Requests], rule: str, step: int) -> _Skew:
    """The best index of a tile's elements.

    `step`: bytes from one element to the next that requests use, where the source's own element
    is not known; it may be so large, and what is left is then the worse of the two.
    """
    per = tile.pitch // tile.element
    factors = (0, *range(1, per, 2))
    left, factor = min((_left(tile, requests, rule, each), each) for each in factors)
    if step > tile.element:
        wider = Tile(tile.name, tile.size, per * step, step)
        left = max(left, _left(wider, requests, rule, factor))
    return _Skew(factor, left, cost(requests, rule))


def _step(sites: list[AccessSite], trial: Trial) -> int:
    """The largest number of bytes of which the lanes of each request are multiples apart."""
    found = trial.tracer(SharedRequests).requests
    step = 0
    for each in (found[pc] for site in sites for pc in site.pcs if pc in found):
        first = np.take_along_axis(each.offset, each.mask.argmax(axis=1)[:, None], axis=1)
        step = int(
            np.gcd.reduce(np.where(each.mask, each.offset - first, 0), axis=None, initial=step)
        )
    return step


def _left(tile: Tile, requests: list[Requests], rule: str, factor: int) -> int:
    """The wavefronts of requests to an array with a skewed index, padded or permuted."""
    layout = tile.swizzled(requests, factor) if factor else tile.padded(1)
    assert layout is not None  # rows of all banks have no columns beyond them
    return cost(requests, rule, layout).measured


def _frees(left: int, now: Cost) -> bool:
    """Whether another index frees requests of most of their conflicts."""
    return left - now.golden < (now.measured - now.golden) / 2


def _of_structures(kernel: Kernel, site: AccessSite) -> bool:
    """Whether an array has elements of the source's own type, of which several parts are used."""
    declaration, stride = declaration_of(kernel, site, dynamic=True), site.strides.get("x")
    step = abs(stride.constant or 0) if stride is not None else 0
    if declaration is None or element_size(declaration.type) or step <= site.size:
        return False
    template = kernel.function is not None and kernel.function.template
    return not template and len(fields_of(kernel, site, step)) > 1


def _alike(
    kernel: Kernel, site: AccessSite, trial: Trial, tile: Tile, factor: int
) -> Iterator[AccessSite]:
    """An access to each other array that the same index helps: they share what computes it."""
    first = {s.array: s for s in kernel.facts.sites if s.space == "shared" and s.size == site.size}
    for array, other in first.items():
        if array == site.array or array.kind != "variable":
            continue
        find = partial(_helps, kernel, array, trial, tile, factor)
        if trial.tracer(SharedRequests).once((array, tile, factor), find):
            yield other


def _helps(kernel: Kernel, array: Array, trial: Trial, tile: Tile, factor: int) -> bool:
    """Whether an index frees requests to an array of most of their conflicts."""
    sites = [s for s in kernel.facts.sites if s.space == "shared" and s.array == array]
    if moved_together(sites) > tile.element:
        return False
    requests, rule = requests_of(sites, trial), kernel.arch.shared_rule
    return _frees(_left(tile, requests, rule, factor), cost(requests, rule))


def _is_whole(site: AccessSite, trial: Trial) -> bool:
    """Whether an array ends where a row of all banks ends: its index can be permuted in them."""
    size = _size(site, trial)
    return size > 0 and size % _LINE == 0


def _of_tile(
    kernel: Kernel,
    tile: Tile,
    sites: list[AccessSite],
    requests: list[Requests],
    trial: Trial,
    declaration: Declaration | None,
    declared: int | None,
    array: str,
) -> Remedy | None:
    """What frees an array with rows of all conflicts; None where nothing does.

    `declared`: the elements of a row by its declaration; None where accesses alone tell them.
    """
    rule, block = kernel.arch.shared_rule, trial.run.launch.block
    start = start_of(sites, trial)
    padding = least_padding(tile, requests, rule)
    swizzled = tile.swizzled(requests)
    permuted = swizzled is not None and cost(requests, rule, swizzled).free
    width = tile.pitch // tile.element
    if padding is not None:
        layout = tile.padded(padding)
        by = "one element" if abs(padding) == 1 else f"{abs(padding)} elements"
        if tile.element < 4:
            by = f"{abs(padding) * tile.element} bytes"
        if padding < 0:
            return _without_padding(tile, padding, by, array, declaration, layout, start)
        text = (
            f"pad the rows of {array} by {by}, from {width} to {width + padding}: "
            "that leaves no conflict"
        )
        if permuted and width == tile.columns:
            text += "; so does `column ^ row` in place of the column"
        edits = _padding_edits(declaration, padding)
        notes = _elsewhere(kernel, requests, layout, "padded")
        return Remedy(text, edits, notes, True, laid_out(layout, start), f"rows padded by {by}")
    if declared is None and other_rows(tile, sites):
        return None  # what was replayed moved some of them as no change of the source does
    shape = free_shape(tile, sites, block, rule)
    ways = []
    if permuted and swizzled is not None:
        rows = f" with rows of {tile.columns} elements" if width != tile.columns else ""
        ways.append(f"permute its index (`column ^ row` in place of the column){rows}")
    if shape is not None:
        (x, y, _), more = shape
        rows = f" with rows of {x + more} elements" if (x + more) != width else ""
        ways.append(f"use a block of {x}×{y} threads{rows}")
    if not ways:
        return None
    lanes = f" for a block {block[0]} threads wide" if block[0] < 32 else ""
    text = f"no padding frees {array} of conflicts{lanes}; {' or '.join(ways)}: that does"
    if not permuted or swizzled is None:
        return Remedy(text, whole=True)
    notes, change = _elsewhere(kernel, requests, swizzled, "permuted"), "column ^ row for column"
    return Remedy(text, (), notes, True, laid_out(swizzled, start), change)


def _without_padding(
    tile: Tile,
    padding: int,
    by: str,
    array: str,
    declaration: Declaration | None,
    layout: Layout,
    start: int,
) -> Remedy:
    """What to say of rows whose padding makes the conflicts: a warp spans several short rows."""
    width = tile.pitch // tile.element
    text = (
        f"shorten the rows of {array} by {by}, from {width} to {width + padding}, of which no "
        "access uses more: that leaves no conflict"
    )
    edits = _padding_edits(declaration, padding)
    change = f"rows without padding of {by}"
    return Remedy(text, edits, (), True, laid_out(layout, start), change, shorter=True)


def _elsewhere(
    kernel: Kernel, requests: list[Requests], layout: Layout, how: str
) -> tuple[str, ...]:
    """What the remedy leaves on the other GPUs that were asked for."""
    others = [each for each in kernel.targets if each.name != kernel.arch.name]
    left: list[str] = []
    for each in others:
        found: Cost = cost(requests, each.shared_rule, layout)
        left.append(
            f"{'no conflict' if found.free else f'{found.ways}-way conflicts'} on {each.name}"
        )
    return (f"{how}, {' and '.join(left)}",) if left else ()


def _width(kernel: Kernel, declaration: Declaration | None) -> int | None:
    """Elements of a row, where the declaration has rows and says how long they are."""
    if declaration is None or len(declaration.extents) < 2:
        return None
    return number(declaration.extents[-1].text, kernel.own_constructs)


def _padding_edits(declaration: Declaration | None, elements: int) -> tuple[Edit, ...]:
    """The declaration with longer rows, or with shorter ones."""
    if declaration is None or len(declaration.extents) < 2:
        return ()
    last = declaration.extents[-1]
    if last.text.isdigit():
        return (Edit(last.span, str(int(last.text) + elements)),)
    if elements > 0:
        return (Edit(last.span, f"{last.text} + {elements}"),)
    rest, plus, padding = last.text.rpartition("+")
    known = bool(plus) and padding.strip() == str(-elements)
    return (Edit(last.span, rest.strip() if known else f"{last.text} - {-elements}"),)
