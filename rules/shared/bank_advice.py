"""What frees an array in shared memory of bank conflicts: computed by replaying its requests."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from perflint.analysis.model import AccessSite
from perflint.base.constructs import Declaration
from perflint.base.records import dataclass
from perflint.rules import advice
from perflint.rules.protocol import (
    Edit,
    Kernel,
    Trial,
)
from perflint.rules.shared_declarations import declaration_of
from perflint.rules.shared_layouts import (
    Cost,
    Layout,
    Tile,
    cost,
    free_shape,
    least_padding,
    requests_of,
    start_of,
    tile_of,
)
from perflint.rules.worst_request import Change, laid_out
from perflint.sim.accesses import Witness
from perflint.sim.tracers.requests import Requests

_SIZES = {
    **dict.fromkeys(("char", "signed char", "unsigned char", "bool", "uchar", "uint8_t"), 1),
    **dict.fromkeys(("short", "unsigned short", "ushort", "half", "__half"), 2),
    **dict.fromkeys(("float", "int", "unsigned", "unsigned int", "uint", "uchar4", "char4"), 4),
    **dict.fromkeys(("double", "float2", "int2", "uint2", "long long", "unsigned long long"), 8),
    **dict.fromkeys(("float4", "int4", "uint4", "double2"), 16),
}


_LINE = 128  #: bytes of the 32 banks


@dataclass(frozen=True)
class Remedy:
    """What to do about the conflicts of one array."""

    help: str
    edits: tuple[Edit, ...] = ()  #: the padding, where the array's declaration takes it
    notes: tuple[str, ...] = ()
    whole: bool = False  #: it frees all accesses to the array
    moved: Change | None = None  #: where the bytes of a request then lie
    change: str = ""  #: that, in words
    shorter: bool = False  #: rows lose padding that makes the conflicts


def remedy(kernel: Kernel, site: AccessSite, trial: Trial, witness: Witness) -> Remedy:
    """What frees the array of a conflicting access, for that launch."""
    array = kernel.names.array(site)
    if site.array.kind != "variable":
        return Remedy(advice.conflicting(site, witness, array))
    sites = [s for s in kernel.facts.sites if s.space == "shared" and s.array == site.array]
    stride = site.strides.get("x")
    step = stride.constant if stride is not None else None
    skewed = _skewed(kernel, site, sites, trial, array)
    if step and site.size < abs(step) < advice.SMALLEST_ROW * site.size:
        # what lies between are other fields, not a row
        text = advice.conflicting(site, witness, array)
        return replace(skewed, help=f"{text}; or {skewed.help}") if skewed else Remedy(text)
    fallback = skewed or Remedy(
        f"let neighbouring lanes use neighbouring elements of {array}: neither padding nor a "
        "permuted index frees what it does of its conflicts"
    )
    declaration = declaration_of(kernel, site)
    element = _SIZES.get(declaration.type, 0) if declaration else 0
    element = element or min(s.size for s in sites)
    tile = tile_of(sites, trial, element, _width(kernel, declaration))
    requests = requests_of(sites, trial)
    if tile is None or not requests:
        return fallback
    found = _of_tile(kernel, tile, sites, requests, trial, declaration, array)
    return found or fallback


def _skewed(
    kernel: Kernel, site: AccessSite, sites: list[AccessSite], trial: Trial, array: str
) -> Remedy | None:
    """What a skewed index does for an array that is no tile: that of a scan, or of a transform.

    Each is tried on all requests to the array that were made. None where none frees most of them.
    """
    requests, rule = requests_of(sites, trial), kernel.arch.shared_rule
    tile = Tile(site.array.name, 0, _LINE, site.size)
    per = tile.pitch // tile.element
    ways = [(f"`i + i / {per}` in the place of `i`", tile.padded(1))]
    if (swizzled := tile.swizzled(requests)) is not None:
        ways.append((f"`i ^ (i / {per} % {per})` in the place of `i`", swizzled))
    now = cost(requests, rule)
    tried = [(cost(requests, rule, layout).measured, text) for text, layout in ways]
    left, best = min(tried)
    if left - now.golden >= (now.measured - now.golden) / 2:
        return None
    rest = "all its conflicts" if left == now.golden else "most of its conflicts"
    return Remedy(
        f"skew the index of {array}, at each access to it: {best} frees {rest}",
        notes=(
            f"replayed with that index, its different requests take {left} wavefronts in the place "
            f"of {now.measured}; {now.golden} would do",
        ),
        whole=left == now.golden,
    )


def _of_tile(
    kernel: Kernel,
    tile: Tile,
    sites: list[AccessSite],
    requests: list[Requests],
    trial: Trial,
    declaration: Declaration | None,
    array: str,
) -> Remedy | None:
    """What frees an array with rows of all conflicts; None where nothing does."""
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
    if declaration is None or len(declaration.extents) < 2 or kernel.function is None:
        return None
    constructs = kernel.constructs(str(kernel.function.span.path))
    macros = {m.name: m.body for m in constructs.macros} if constructs else {}
    return _number(declaration.extents[-1].text, macros)


def _number(text: str, macros: Mapping[str, str], depth: int = 0) -> int | None:
    """The value of a sum or product of integers and macros; None for anything else."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return _value(tree, macros, depth)


def _value(tree: ast.expr, macros: Mapping[str, str], depth: int) -> int | None:
    if isinstance(tree, ast.Constant):
        return tree.value if isinstance(tree.value, int) else None
    if isinstance(tree, ast.Name) and depth < 8:
        return _number(macros.get(tree.id, ""), macros, depth + 1)
    if isinstance(tree, ast.BinOp):
        left, right = (_value(side, macros, depth) for side in (tree.left, tree.right))
        if left is None or right is None:
            return None
        if isinstance(tree.op, ast.Add):
            return left + right
        if isinstance(tree.op, ast.Sub):
            return left - right
        return left * right if isinstance(tree.op, ast.Mult) else None
    return None


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
