"""A launch as far as it is known: the one record that all that is tried with it is made from.

Read from the source, given by the user or assumed: each number is a value, or a formula of the
launch's roots (`perflint.frontend.source.language.terms`). What a kernel gets and nothing tells is
a root.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

from perflint.analysis.model import KernelFacts
from perflint.base.launch_option import MAX_GRID, LaunchSpec
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.source.host.options.program_arguments import RUN_AS, RUN_BARE
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType
from perflint.frontend.source.language.evaluation import (
    evaluate,
    power_of_two,
    value_of,
    whole,
)
from perflint.frontend.source.language.model import (
    Expression,
    LaunchArgument,
    LaunchSite,
    SourceKernel,
    SourceParameter,
)
from perflint.frontend.source.language.terms import (
    Applied,
    Constant,
    Requirement,
    Root,
    Term,
    Unknown,
)
from perflint.frontend.source.launches.launch_sites import NEVER
from perflint.grammar.model import Variable
from perflint.lint.launch_limits import as_specialised, within_limits, within_own_arrays
from perflint.lint.world_model import ASSUMED, Launching, Wish, World, root_of
from perflint.rules.protocol import KnownLaunch
from perflint.sim.launch import Dim3

#: 1-D kernels: 64, 128 and 256 threads are interchangeable (measured on 625 kernels: at most 2 % of
#: the verdicts on global accesses differ). 2-D: shared-memory verdicts differ between these two for
#: 18.8 % of the lines, so both are tried.
BLOCK_1D: tuple[Dim3, ...] = ((256, 1, 1),)
BLOCK_2D: tuple[Dim3, ...] = ((32, 8, 1), (16, 16, 1))
AXES = "xyz"

Triple = tuple[Expression, Expression, Expression]


@dataclass(frozen=True)
class LaunchRecord:
    """A launch: read, given or assumed."""

    grid: Triple  #: an extent without value and formula follows from the block and the sizes
    block: Triple
    shared: Expression  #: bytes
    arguments: tuple[LaunchArgument, ...]  #: one for each parameter
    roots: tuple[Root, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    place: Span | None = None  #: the launch site
    assumed: str = ""  #: what was assumed, for people; "" if the block was read
    supposing: tuple[str, ...] = ()  #: conditions of the host code that were taken to hold
    block_texts: tuple[str, ...] = ()  #: the block's extents as written
    also: tuple[Span, ...] = ()  #: other launch sites of which the same is known
    free: LaunchRecord | None = None  #: with its block as written, where it is read at a bound
    made: bool = False  #: its numbers follow from arguments that are made up

    @property
    def argument_texts(self) -> tuple[str, ...]:
        return tuple(a.text for a in self.arguments)

    @property
    def key(self) -> object:
        """Equal for launches of which the same is known."""
        parts = (*self.grid, *self.block, self.shared)
        return (
            tuple((p.value, p.term) for p in parts),
            tuple((a.known, a.terms) for a in self.arguments),
            tuple((r.type, r.default, r.enumerators) for r in self.roots),
        )


def number(value: int | None, text: str = "") -> Expression:
    """An extent that is known, or not."""
    return Expression(text or str(value), value)


def given(spec: LaunchSpec, names: Sequence[str]) -> LaunchRecord:
    """A launch as the user gave it."""
    values, sizes = dict(spec.arguments), dict(spec.sizes)
    return LaunchRecord(
        grid=_triple(spec.grid),
        block=_triple(spec.block),
        shared=number(spec.shared),
        arguments=tuple(LaunchArgument(n, values.get(n), sizes.get(n)) for n in names),
        place=None if spec.place is None else line_of(Path(spec.place[0]), spec.place[1]),
        supposing=spec.supposing,
        made=bool(spec.supposing),
    )


def line_of(path: Path, line: int) -> Span:
    """A place of which only the line is known."""
    return Span(path, line, 1, line, 1)


def _triple(extents: Sequence[int | None]) -> Triple:
    x, y, z = (number(e) for e in extents)
    return x, y, z


def read(site: LaunchSite, names: Sequence[str]) -> LaunchRecord:
    """A launch as the source writes it; arguments that it does not show have neither value."""
    shown = site.arguments if len(site.arguments) <= len(names) else ()
    missing = (LaunchArgument("") for _ in range(len(names) - len(shown)))
    grid, block = site.grid, site.block
    return LaunchRecord(
        grid=(grid.x, grid.y, grid.z),
        block=(block.x, block.y, block.z),
        shared=site.shared,
        arguments=(*shown, *missing),
        roots=site.roots,
        requirements=site.requirements,
        place=site.span,
        supposing=site.supposing,
        block_texts=(block.x.text, block.y.text, block.z.text),
        free=None if site.free is None else read(site.free, names),
    )


def without_numbers(record: LaunchRecord) -> LaunchRecord:
    """A launch of which only the block is known: its numbers make no grid, so that none is used."""
    return replace(
        record,
        grid=_triple((None, None, None)),
        shared=replace(record.shared, term=None),
        arguments=tuple(LaunchArgument(a.text) for a in record.arguments),
        block=tuple(replace(e, term=None) for e in record.block),  # type: ignore[arg-type]
        roots=(),
        requirements=(),
    )


def makes_no_grid(record: LaunchRecord) -> bool:
    """Whether an extent of the grid is read that no launch has: 0, or what has no value in C."""
    for extent in record.grid:
        value, term = extent.value, extent.term
        if value is None and term is not None and not (term.roots or term.turns):
            found = value_of(term, (), ())
            value = 0 if found is None else int(found.number)
        if value is not None and not 1 <= value <= MAX_GRID[0]:
            return True
    return False


def assumed(
    facts: KernelFacts,
    source: SourceKernel | None,
    sites: Sequence[LaunchSite],
    names: Sequence[str],
) -> list[LaunchRecord]:
    """`.reqntid`, else launch bounds (`.maxntid`), else 256 threads or both 2-D shapes."""
    directives = facts.kernel.directives
    two_dimensional = "%tid.y" in facts.reads
    if required := directives.get("reqntid"):
        block = (*required, 1, 1)[:3]
        blocks: tuple[Dim3, ...] = ((block[0], block[1], block[2]),)
        why = "the kernel's .reqntid"
    else:
        blocks = BLOCK_2D if two_dimensional else BLOCK_1D
        why = _unread(sites)
        limit = prod(directives.get("maxntid", (256,)))
        if limit < 256 or not two_dimensional:
            blocks = _bounded(blocks, limit)
        if "maxntid" in directives and blocks not in (BLOCK_1D, BLOCK_2D):
            why = "its launch bounds"
    text = " and ".join("×".join(str(n) for n in b[: 2 if b[2] == 1 else 3]) for b in blocks)
    return [
        LaunchRecord(
            grid=_triple((None, None, None)),
            block=_triple(b),
            shared=number(source.shared if source else None),
            arguments=tuple(LaunchArgument(n) for n in names),
            assumed=f"{text} threads assumed: {why}",
        )
        for b in blocks
    ]


def _unread(sites: Sequence[LaunchSite]) -> str:
    """Why no launch of the source is used: there is none, or none could be read."""
    if not sites:
        return "no launch was found"
    site = min(sites, key=lambda each: each.span)
    size = "is larger than the GPU allows" if site.block.value else "could not be read"
    why = f" ({site.unread})" if site.unread else ""
    return f"the launch at line {site.span.line} has a block size that {size}{why}"


def _bounded(blocks: tuple[Dim3, ...], limit: int) -> tuple[Dim3, ...]:
    if blocks == BLOCK_1D:
        return ((limit, 1, 1),)
    return tuple((b[0], max(1, limit // b[0]), 1) for b in blocks if b[0] <= limit) or (
        (limit, 1, 1),
    )


# --- what of it is open ---------------------------------------------------------------------------

_TYPES: Mapping[str, CType] = {
    **{"f32": c_types.FLOAT, "f64": c_types.DOUBLE, "f16": c_types.FLOAT, "bf16": c_types.FLOAT},
    **{"u16": c_types.USHORT, "u32": c_types.UINT, "u64": c_types.ULONG},
    **{"s16": c_types.SHORT, "s32": c_types.INT, "s64": c_types.LONG},
    **{"b16": c_types.SHORT, "b32": c_types.INT, "b64": c_types.LONG},
}


def with_roots(
    record: LaunchRecord, scalars: Mapping[int, Variable], names: Sequence[str]
) -> LaunchRecord:
    """With a root for each scalar parameter (`scalars`) that neither value nor formula tells."""
    arguments, roots = list(record.arguments), list(record.roots)
    for index, variable in scalars.items():
        if arguments[index].value is None and arguments[index].term is None:
            kind = _TYPES.get(variable.type, c_types.CHAR)
            arguments[index] = replace(arguments[index], term=Unknown(len(roots)))
            roots.append(Root(names[index], kind, 1))
    for index, variable in scalars.items():
        root = root_of(arguments[index].term)
        unseen = root is not None and not roots[root].typed and _uses(record, root) == {index}
        if root is not None and unseen and variable.type[0] == "f":
            kind = _TYPES.get(variable.type, c_types.FLOAT)
            roots[root] = replace(roots[root], type=kind, sample=1.5)
    shared = replace(record.shared, term=None) if _is_alone(record) else record.shared
    return replace(record, arguments=tuple(arguments), roots=tuple(roots), shared=shared)


def _uses(record: LaunchRecord, root: int) -> set[int | None]:
    """The arguments that hang on a root; None among them for anything else that does."""
    asked = [e.term for e in (*record.grid, *record.block, record.shared)]
    asked += [q.term for q in record.requirements]
    found: set[int | None] = set()
    if any(t is not None and root in t.roots for t in asked):
        found.add(None)
    for index, argument in enumerate(record.arguments):
        found |= {index for t in argument.terms if t is not None and root in t.roots}
    return found


def _is_alone(record: LaunchRecord) -> bool:
    """Whether the dynamic shared bytes are a root that nothing else of the launch hangs on.

    As many as are always allowed do no harm then; a size of the ladder might be too few.
    """
    root = root_of(record.shared.term)
    if root is None or record.roots[root].default is not None:
        return False
    return not _uses(replace(record, shared=number(None)), root)


def launching(
    record: LaunchRecord,
    facts: KernelFacts,
    most_threads: int,
    parameters: Sequence[SourceParameter] = (),
) -> Launching:
    """What worlds are looked for; `parameters` are the kernel's as written, if they are known."""
    block = tuple(e.term for e in record.block if e.value is None and e.term is not None)
    grid = tuple(e.term for e in record.grid if e.value is None and e.term is not None)
    computed = tuple(
        argument.term
        for argument, parameter in zip(record.arguments, facts.kernel.parameters, strict=True)
        if argument.term is not None
        and root_of(argument.term) is None
        and parameter.type[0] in "usb"
        and not parameter.dimensions
    )
    differences = tuple(
        term
        for argument, parameter in zip(record.arguments, facts.kernel.parameters, strict=True)
        for term in _members(argument, parameter.type[0] == "f")
        if _subtracts(term)
    )
    limits = within_limits(record.grid, record.block, record.shared.term, facts)
    terms = [argument.term for argument in record.arguments]
    specialised = as_specialised(parameters, terms[: len(parameters)])
    own = within_own_arrays(facts, terms)
    return Launching(
        roots=record.roots,
        wishes=dict(_wishes(record, facts, (*block, *grid, *computed))),
        requirements=(*record.requirements, *_halved(record, facts), *limits, *specialised, *own),
        extents=grid,
        block=block,
        threads=prod(int(e.value) for e in record.block if isinstance(e.value, int)),
        computed=computed,
        allocated=tuple(
            t for a in record.arguments if (t := a.allocation_term) and root_of(t) is None
        ),
        axes=max(n for n, axis in enumerate(AXES, 1) if n == 1 or f"%tid.{axis}" in facts.reads),
        bounds=tuple(_bounds(record, facts)),
        most_threads=min(
            most_threads, prod(facts.kernel.directives.get("maxntid", (most_threads,)))
        ),
        differences=differences,
        rows=tuple(_rows(record, facts)),
        called=_called(record, parameters),
    )


def _called(
    record: LaunchRecord, parameters: Sequence[SourceParameter]
) -> Mapping[int, frozenset[str]]:
    """The names of the kernel's parameters that are a root each, by root."""
    found: dict[int, frozenset[str]] = {}
    for argument, parameter in zip(record.arguments, parameters, strict=False):
        if (root := root_of(argument.term)) is not None:
            found[root] = found.get(root, frozenset()) | {parameter.name}
    return found


def _members(argument: LaunchArgument, is_float: bool) -> Iterator[Term]:
    """The formulas of a float, and of the numbers that a struct is made of."""
    if argument.struct is not None:
        for field in argument.struct.fields:
            yield from _members(field.argument, is_float=True)
    elif is_float and argument.term is not None:
        yield argument.term


def _subtracts(term: Term) -> bool:
    """Whether a formula is of a difference: `(high - low) / cells`."""
    if not isinstance(term, Applied):
        return False
    return term.operator == "-" or any(map(_subtracts, term.arguments))


def _halved(record: LaunchRecord, facts: KernelFacts) -> Iterable[Requirement]:
    """That the block's extents which the kernel halves turn by turn are powers of two."""
    for axis in sorted(facts.halved_axes):
        extent = record.block[AXES.index(axis)].term
        if extent is not None:
            text = f"the halving of blockDim.{axis} in the kernel"
            yield Requirement(text, True, power_of_two(extent), 0)


def _bounds(record: LaunchRecord, facts: KernelFacts) -> Iterable[tuple[Term, int]]:
    """Computed sizes that bound an axis, and the threads of a block, where the grid is fixed.

    A size below them leaves all but a few of the grid's threads without work.
    """
    for index, axis in facts.roles.bounds.items():
        term = record.arguments[index].term
        threads = record.block[AXES.index(axis)].value
        blocks = record.grid[AXES.index(axis)]
        fixed = blocks.term is None or all(
            record.roots[r].default is not None for r in blocks.term.roots
        )
        known = fixed and (blocks.value is not None or blocks.term is not None)
        if known and term is not None and root_of(term) is None and isinstance(threads, int):
            yield term, threads


def _rows(record: LaunchRecord, facts: KernelFacts) -> Iterator[tuple[int, Term]]:
    """The roots that are the pitch of rows, each with the length of these."""
    for pitch, length in sorted(facts.roles.rows):
        root, elements = root_of(record.arguments[pitch].term), record.arguments[length]
        if root is not None and elements.term is not None:
            yield root, elements.term
        elif root is not None and isinstance(elements.value, int):
            yield root, whole(elements.value)


def _wishes(
    record: LaunchRecord, facts: KernelFacts, formulas: Iterable[Term]
) -> Iterable[tuple[int, Wish]]:
    """What the kernel and the block ask of roots."""
    roles = facts.roles
    shared = frozenset().union(*(term.roots for term in formulas))
    block = frozenset().union(*(e.term.roots for e in record.block if e.term is not None))
    found: dict[int, Wish] = {root: Wish(threads=True) for root in block}
    for index, argument in enumerate(record.arguments):
        root = root_of(argument.term)
        if root is None:
            continue
        wish = Wish(mask=index in roles.masks, threads=root in block)
        if root not in shared:
            wish = replace(
                wish,
                flag=index in roles.flags,
                start=index in roles.starts,
                logarithm=index in roles.shift_counts,
                extent=_threads_along(record, roles.bounds.get(index, "")),
            )
        found[root] = _both(found[root], wish) if root in found else wish
    for root in _exponents(record):
        found[root] = replace(found.get(root, Wish()), logarithm=True)
    return found.items()


def _exponents(record: LaunchRecord) -> set[int]:
    """The roots by which the host code shifts, or to which it raises a constant."""
    terms = [e.term for e in (*record.grid, *record.block, record.shared)]
    terms += [t for a in record.arguments for t in a.terms]
    terms += [q.term for q in record.requirements]
    waiting, seen, found = [t for t in terms if isinstance(t, Applied)], set[int](), set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        waiting += [a for a in each.arguments if isinstance(a, Applied)]
        powers = each.operator == "call pow" and isinstance(each.arguments[0], Constant)
        if each.operator in ("<<", ">>") or powers:
            root = root_of(each.arguments[1])
            found |= set() if root is None else {root}
    return found


def _both(one: Wish, other: Wish) -> Wish:
    """What two parameters that one root is given for agree on."""
    return Wish(
        flag=one.flag and other.flag,
        start=one.start and other.start,
        logarithm=one.logarithm and other.logarithm,
        mask=one.mask or other.mask,
        extent=one.extent or other.extent,
        threads=one.threads or other.threads,
    )


def _threads_along(record: LaunchRecord, axis: str) -> int | None:
    """The threads along an axis, where grid and block are read and there is more than one block."""
    if not axis:
        return None
    blocks = record.grid[AXES.index(axis)].value
    threads = record.block[AXES.index(axis)].value
    if not isinstance(blocks, int) or not isinstance(threads, int):
        return None
    return blocks * threads if blocks > 1 else None


# --- in one world ---------------------------------------------------------------------------------


def number_in(record: LaunchRecord, term: Term | None, world: World) -> int | float | None:
    """What a formula comes to in a world."""
    return None if term is None else evaluate(term, record.roots, world.values)


def value_in(record: LaunchRecord, argument: LaunchArgument, world: World) -> int | float | None:
    """What an argument is in a world; None where nothing tells."""
    return argument.value if argument.value is not None else number_in(record, argument.term, world)


def bytes_in(record: LaunchRecord, argument: LaunchArgument, world: World) -> int | None:
    """The bytes behind a pointer in a world; None where nothing tells, or there are none."""
    size: int | float | None = argument.allocation
    if size is None and root_of(argument.allocation_term) is None:  # a count of bytes is none
        size = number_in(record, argument.allocation_term, world)
    return int(size) if size is not None and size > 0 else None


def block_in(record: LaunchRecord, world: World) -> Dim3 | None:
    """The block in a world; None where it is not known or none."""
    extents = [
        e.value if e.value is not None else number_in(record, e.term, world) for e in record.block
    ]
    if not all(isinstance(e, int) and e >= 1 for e in extents):
        return None
    x, y, z = (int(e) for e in extents if e is not None)
    return x, y, z


def known(record: LaunchRecord, found: Sequence[World], block: Dim3) -> KnownLaunch:
    """What is known of a launch whatever the world: read, or the source's own default."""
    world = found[0]
    values = {
        i: v
        for i, a in enumerate(record.arguments)
        if (v := _known(record, a.value, a.term, world)) is not None
    }
    allocations = {
        i: int(v)
        for i, a in enumerate(record.arguments)
        if (v := _known(record, a.allocation, a.allocation_term, world)) is not None
    }
    grid = [_known(record, e.value, e.term, world) for e in record.grid]
    shared = _known(record, record.shared.value, record.shared.term, world)
    x, y, z = (int(e) if isinstance(e, int) and e >= 1 else None for e in grid)
    return KnownLaunch(
        grid=(x, y, z),
        block=block,
        shared=shared if isinstance(shared, int) and shared >= 0 else None,
        values=values,
        allocations=allocations,
        assumed=record.assumed or _assumed_block(record, world),
        supposing=record.supposing,
        contradicted=next((e for e in record.supposing if e.replace("`", "") in world.broken), ""),
        by_input=_is_by_input(record),
        sizes=tuple(_sizes(record, world)),
        made=record.made,
        excluded=NEVER in record.supposing,
        span=record.place,
        block_texts=record.block_texts,
        argument_texts=record.argument_texts,
        allocated=frozenset(
            i
            for i, a in enumerate(record.arguments)
            if a.allocation is not None or a.allocation_term is not None
        ),
    )


def _is_by_input(record: LaunchRecord) -> bool:
    """Whether the grid is as large as what the program is run with asks for."""
    if any(e.term is not None and e.term.roots for e in record.grid):
        return True
    run = any(each.startswith((RUN_AS, RUN_BARE)) or "argc" in each for each in record.supposing)
    return run and any(e.value is not None and not e.text.isdecimal() for e in record.grid)


def _sizes(record: LaunchRecord, world: World) -> Iterator[str]:
    """What the program is taken to be run with, in words, where the grid is as large as that."""
    roots = {root for e in record.grid if e.term is not None for root in e.term.roots}
    for root in sorted(roots):
        if why := world.origins[root].why:
            yield f"`{record.roots[root].name}` is {world.values[root]:,}, {why}"
    yield from (each for each in record.supposing if each.startswith((RUN_AS, RUN_BARE)))


def _known(
    record: LaunchRecord, value: int | float | None, term: Term | None, world: World
) -> int | float | None:
    """A number that nothing invented is in."""
    if record.made:
        return None
    if value is not None or term is None:
        return value
    if not world.origin(term, record.roots).known:
        return None
    return number_in(record, term, world)


def _assumed_block(record: LaunchRecord, world: World) -> str:
    """What is said of a block that hangs on roots which are invented; "" where it is the same."""
    larger = tuple(
        v * 3 if o.kind == ASSUMED and isinstance(v, int) else v
        for v, o in zip(world.values, world.origins, strict=True)
    )
    if block_in(record, world) == block_in(record, replace(world, values=larger)):
        return ""  # `min(128, n / 8)`: the bound, whatever n is
    roots = [r for r in block_roots(record) if not world.origins[r].known]
    names = ", ".join(f"`{record.roots[r].name}`" for r in roots)
    block = block_in(record, world) or (0, 0, 0)
    text = "×".join(str(n) for n in block[: 3 if block[2] > 1 else 2 if block[1] > 1 else 1])
    line = f" of the launch at line {record.place.line}" if record.place else ""
    why = next((record.roots[r].why for r in roots), "")
    if is_answered(record):
        return f"{text} threads assumed: {names}{line}, {why}"
    return f"{text} threads assumed: {names}{line} could not be read"


def block_roots(record: LaunchRecord) -> list[int]:
    """The roots that the block is computed of."""
    return sorted(frozenset().union(*(e.term.roots for e in record.block if e.term is not None)))


def is_answered(record: LaunchRecord) -> bool:
    """Whether the host code asks the GPU for the block: that is no gap in what was read."""
    roots = [record.roots[r] for r in block_roots(record)]
    return bool(roots) and all(r.default is not None for r in roots)
