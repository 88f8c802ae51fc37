"""The launches and arguments a kernel is tried with (docs/architecture.md, "Launches and worlds").

A *plan* is one launch, read from the source, given by the user or assumed, and the runs that its
open questions need: worlds of two scales, addresses that hold loaded data with random and with
identity data, a bare parameter used as a stride also as 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from math import prod
from operator import itemgetter

from perflint.analysis.model import KernelFacts
from perflint.base.launch_option import LaunchSpec
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.source.language.model import (
    HostData,
    LaunchSite,
    SourceKernel,
    SourceParameter,
)
from perflint.grammar.model import TYPE_SIZE, Variable
from perflint.lint import launch_record, textures
from perflint.lint.guards import asked_for
from perflint.lint.launch_arguments import launch_arguments
from perflint.lint.launch_consistency import contradictions
from perflint.lint.launch_numbers import Numbers, Origins, numbers
from perflint.lint.launch_record import LaunchRecord, with_roots, without_numbers
from perflint.lint.like_launches import alike
from perflint.lint.open_blocks import other_shapes
from perflint.lint.symbol_values import Symbols, launch_symbols
from perflint.lint.world_checks import SOME_GRID
from perflint.lint.world_model import ASSUMED, Launching, World, root_of, with_value
from perflint.lint.worlds import added, is_possible, worlds
from perflint.rules.protocol import KnownLaunch
from perflint.sim.dependence import steered_by_integers
from perflint.sim.launch import Dim3, Fill, Launch, Scalar

FIXED = "the arguments of the launch"  #: the name of a condition that leaves no size open
MAX_LAUNCH_SITES = 8

second = itemgetter(1)


@dataclass(frozen=True, eq=False)
class Condition:
    """One run to make."""

    name: str
    launch: Launch
    fill: Fill
    shape: KnownLaunch
    size: int  #: what integers are that nothing fixes
    unit_stride: tuple[str, ...] = ()
    identity: bool = False
    origins: Origins = field(default_factory=Origins)
    reached_with: str = ""  #: `mask[…] = 1`: what was made so that some access is reached

    @property
    def values(self) -> dict[int, int | float]:
        """The scalar arguments, by parameter."""
        given = enumerate(self.launch.arguments)
        return {i: argument.value for i, argument in given if isinstance(argument, Scalar)}

    @property
    def exact(self) -> bool:
        """Whether the launch gives every number that is passed: no size was invented."""
        told = all(symbol.told for symbol in self.launch.symbols)
        fields = all(struct.exact for struct in self.origins.structs.values())
        scalars = self.values.keys() <= self.shape.values.keys()
        return not self.shape.assumed and told and fields and scalars


@dataclass(frozen=True, eq=False)
class Plan:
    """One launch and the runs that its open questions need, the primary one first."""

    shape: KnownLaunch
    conditions: tuple[Condition, ...]
    #: further runs, for suspect accesses that none of these reaches
    more: Callable[[], tuple[Condition, ...]] = tuple
    broken: tuple[str, ...] = ()  #: conditions of the host code that no values tried would meet
    also: tuple[Span, ...] = ()  #: other launch sites of which the same is known
    stands_for: int = 0  #: of a recorded launch: how many of the program's, itself included
    #: arguments that others may stand for, by parameter, where some have these values
    open_arguments: Callable[[Mapping[int, int]], Mapping[int, int]] = dict
    #: the first run with such arguments; None where the host code would not launch it
    with_arguments: Callable[[Mapping[int, int]], Condition | None] = lambda given: None

    def origins(self, name: str) -> Origins:
        """Where the numbers of one of its runs come from."""
        name = name.split(_MADE)[0]
        own = [c.origins for c in self.conditions if c.name == name]
        found = own or [c.origins for c in self.more() if c.name == name]
        return found[0] if found else Origins()


_MADE = ", with "


def made_name(base: Condition, what: str) -> str:
    """The name of a run with other data or arguments: `sizes near 96, with a[…] = 1`."""
    return f"{base.name}{_MADE}{what}"


def share(tried: Sequence[Plan], number: int) -> int:
    """By how many a kernel's budget is divided for one of its launches.

    Of several turns of one launch site the first has as much as if it were the only one: else it
    would be cut short for the sake of others like it.
    """
    places = [plan.shape.span for plan in tried]
    if places[number] is None or places[number] in places[:number]:
        return len(tried)
    return len(set(places) - {None}) + places.count(None)


@dataclass(frozen=True, eq=False)
class _Kernel:
    """What of a kernel its launches are made for."""

    facts: KernelFacts
    names: tuple[str, ...]
    most_threads: int
    parameters: tuple[SourceParameter, ...]  #: as written, where they are known
    symbols: Symbols  #: what the host copies to the module's variables, by their names
    told: Mapping[int, HostData]  #: what the host puts into arrays, by parameter

    @property
    def scalars(self) -> dict[int, Variable]:
        """The parameters that are numbers, by index."""
        handles = {name for name, _ in textures.assumed(self.facts.kernel, 1)}
        return {
            i: p
            for i, p in enumerate(self.facts.kernel.parameters)
            if i not in self.facts.pointer_parameters
            and not p.dimensions
            and TYPE_SIZE[p.type] <= 8
            and p.name not in handles
        }


def plans(
    facts: KernelFacts,
    names: Sequence[str],
    *,
    source: SourceKernel | None = None,
    sites: Iterable[LaunchSite] = (),
    specs: Iterable[LaunchSpec] = (),
    symbols: Symbols | None = None,
    data: Mapping[int, HostData] | None = None,
    max_threads: int = 1024,
) -> tuple[tuple[Plan, ...], int]:
    """The launches to try a kernel with: given, else read from the source, else assumed.

    `names` are the parameters' source names. Launch sites of whose block nothing is known
    contribute nothing. At most MAX_LAUNCH_SITES different launches are tried, of every block shape
    if there are not more; the second value is how many were left out.
    """
    parameters: tuple[SourceParameter, ...] = ()
    if source and len(source.parameters) == len(facts.kernel.parameters):
        parameters = source.parameters
        written = {i for i, p in enumerate(source.parameters) if p.pointer}
        facts = replace(facts, pointer_parameters=facts.pointer_parameters | written)
        never = {i for i, p in enumerate(source.parameters) if not p.may_be_one}
        facts = replace(facts, bare_strides=facts.bare_strides - never)
    kernel = _Kernel(facts, tuple(names), max_threads, parameters, symbols or {}, data or {})
    sites = tuple(sites)
    found = [launch_record.given(spec, names) for spec in specs]
    found = found or [launch_record.read(site, names) for site in sites]
    made = [m for r in _distinct(found) if (m := _made(kernel, r)) is not None]
    told = [m for m in made if not m.shape.assumed or launch_record.is_answered(m.record)] or made
    told = _agreeing(told)
    tried = [[m, *_of_other_shapes(kernel, m)] for m in _most_varied(told)]
    left_out = len(told) - len(tried)
    if not tried:  # a shared-memory finding then needs both shapes to agree
        records = launch_record.assumed(facts, source, sites, names)
        tried = [[m for r in records if (m := _made(kernel, r)) is not None]]
    steered = steered_by_integers(facts.kernel)
    return tuple(_plan(kernel, group, steered) for group in tried if group), left_out


def _of_other_shapes(kernel: _Kernel, made: _Made) -> list[_Made]:
    """The same launch with other shapes of a block that nobody tells, if lanes may be along y."""
    if not made.shape.assumed or "%tid.y" not in kernel.facts.reads:
        return []
    world, block = made.worlds[0], made.shape.block
    records = other_shapes(made.record, world, block, made.launching.most_threads)
    others = [other for each in records if (other := _made(kernel, each)) is not None]
    return [each for each in others if not each.worlds[0].broken]


def _distinct(records: Sequence[LaunchRecord]) -> list[LaunchRecord]:
    """The launches that differ, each with the other places at which the same one stands.

    Of those that are the same the one is told that supposes least.
    """
    seen: dict[object, list[LaunchRecord]] = {}
    for record in records:
        seen.setdefault(record.key, []).append(record)
    least = [(min(like, key=lambda r: len(r.supposing)), like) for like in seen.values()]
    return [replace(one, also=_other_places(one, like)) for one, like in least]


def _other_places(one: LaunchRecord, like: Sequence[LaunchRecord]) -> tuple[Span, ...]:
    places = dict.fromkeys(r.place for r in like if r.place is not None)
    return tuple(p for p in places if p != one.place)


@dataclass(frozen=True, eq=False)
class _Made:
    """A launch with its worlds."""

    record: LaunchRecord
    launching: Launching
    worlds: tuple[World, ...]
    shape: KnownLaunch


def _agreeing(made: Sequence[_Made]) -> list[_Made]:
    """Without those that contradict themselves, where the same launch is read otherwise, too."""
    whole = {m.record.place for m in made if not m.worlds[0].broken}
    return [m for m in made if not m.worlds[0].broken or m.record.place not in whole]


def _most_varied(made: Sequence[_Made]) -> list[_Made]:
    """At most MAX_LAUNCH_SITES launches, the first of each block shape before any second one."""
    seen: Counter[Dim3] = Counter()
    turn: list[tuple[int, int]] = []
    for number, each in enumerate(made):
        turn.append((seen[each.shape.block], number))
        seen[each.shape.block] += 1
    return [made[number] for _, number in sorted(sorted(turn)[:MAX_LAUNCH_SITES], key=second)]


def _made(kernel: _Kernel, record: LaunchRecord) -> _Made | None:
    """A launch with its worlds; None where its block is not known, or no GPU accepts it.

    Where nothing meets the bound that its block is read at, the block is computed instead. Where
    its numbers make no grid, no other grid stands beside them: all are invented.
    """
    made = _made_of(kernel, record)
    if made is None or not made.worlds[0].broken:
        return made
    if record.free is not None:
        other = _made_of(kernel, replace(record.free, also=record.also))
        if other is not None and not other.worlds[0].broken:
            return other
    if SOME_GRID not in made.worlds[0].broken:
        return made
    other = _made_of(kernel, without_numbers(record))
    if other is None:
        return made
    told = (replace(w, broken=(SOME_GRID, *w.broken)) for w in other.worlds)
    return replace(other, worlds=tuple(told), shape=replace(other.shape, replaced=True))


def _made_of(kernel: _Kernel, record: LaunchRecord) -> _Made | None:
    open_ = with_roots(record, kernel.scalars, kernel.names)
    facts, threads = kernel.facts, kernel.most_threads
    wanted = launch_record.launching(open_, facts, threads, kernel.parameters)
    found = worlds(wanted)
    if launch_record.makes_no_grid(record):
        found = tuple(replace(w, broken=(*w.broken, SOME_GRID)) for w in found)
    block = launch_record.block_in(open_, found[0])
    if block is None or prod(block) > kernel.most_threads:
        return None
    found = tuple(w for w in found if launch_record.block_in(open_, w) == block)
    first, *others = (_checked(kernel, open_, world) for world in found)
    found = (first, *(w for w in others if first.broken or not w.broken))
    return _Made(open_, wanted, found, launch_record.known(open_, found, block))


def _checked(kernel: _Kernel, record: LaunchRecord, world: World) -> World:
    """A world that says, besides, which of the launch's numbers do not fit together in it."""
    found = numbers(kernel.facts, record, world, {})
    wrong = contradictions(record, world, found, kernel.facts.roles.bounds)
    return replace(world, broken=(*world.broken, *wrong))


def _plan(kernel: _Kernel, group: Sequence[_Made], steered: bool) -> Plan:
    first = group[0]
    conditions = tuple(
        replace(each, name=_label(each, len(group) > 1))
        for made in group
        for each in _conditions(kernel, made, steered)
    )
    return Plan(
        first.shape,
        conditions,
        partial(_more, kernel, first),
        first.worlds[0].broken,
        first.record.also,
        open_arguments=partial(_open_arguments, kernel, first),
        with_arguments=partial(_with_arguments, kernel, first),
    )


def _label(condition: Condition, several: bool) -> str:
    """A condition's name, with its block where the plan has several shapes."""
    block = condition.shape.block
    return f"{condition.name}, block {block[0]}×{block[1]}" if several else condition.name


# --- conditions -----------------------------------------------------------------------------------


def _conditions(kernel: _Kernel, made: _Made, steered: bool) -> Iterator[Condition]:
    facts, first = kernel.facts, made.worlds[0]
    yield from _sized(kernel, made, steered)
    if any(site.loaded_address or site.data_dependent for site in facts.sites):
        identity = _condition(kernel, made, first, "identity data")
        yield replace(identity, fill=Fill.IDENTITY, identity=True)
    if strides := tuple(sorted(facts.free_strides - made.shape.values.keys())):
        ones = dict.fromkeys(strides, 1)
        tried = tuple(kernel.names[i] for i in strides)
        yield replace(_condition(kernel, made, first, "unit stride", ones), unit_stride=tried)


def _sized(kernel: _Kernel, made: _Made, steered: bool) -> Iterator[Condition]:
    """The runs in the launch's worlds; those that are equal once."""
    each = [_condition(kernel, made, world, world.name) for world in made.worlds]
    others = [c for c in each[1:] if not alike(each[0].launch, c.launch, steered)]
    open_ = others or made.shape.assumed or None in made.shape.grid
    yield each[0] if open_ else replace(each[0], name=FIXED)
    yield from others


def _more(kernel: _Kernel, made: _Made) -> tuple[Condition, ...]:
    """Runs in further worlds: those that conditions ask for, then one root small, one large."""
    world, block = made.worlds[0], made.shape.block
    first = numbers(kernel.facts, made.record, world, {})
    found = (
        *asked_for(made.launching, world, kernel.facts.sites, _roots(made), first.values),
        *added(made.launching, world),
    )
    kept = [w for w in found if launch_record.block_in(made.record, w) == block]
    return tuple(_condition(kernel, made, w, w.name) for w in kept)


def _roots(made: _Made) -> dict[int, int]:
    """The roots that parameters are."""
    found = ((i, root_of(argument.term)) for i, argument in enumerate(made.record.arguments))
    return {index: root for index, root in found if root is not None}


def _open_arguments(kernel: _Kernel, made: _Made, given: Mapping[int, int]) -> dict[int, int]:
    """The integers among the parameters that are roots, invented for want of better."""
    world = made.worlds[0]
    values = {i: world.values[r] for i, r in _roots(made).items() if i in kernel.scalars}
    is_open = {i for i, r in _roots(made).items() if world.origins[r].kind == ASSUMED}
    return {
        i: given.get(i, value)
        for i, value in values.items()
        if i in is_open and isinstance(value, int) and kernel.scalars[i].type[0] in "sub"
    }


def _with_arguments(kernel: _Kernel, made: _Made, given: Mapping[int, int]) -> Condition | None:
    """The first world with other values of parameters that are roots."""
    world, roots, values = made.worlds[0], _roots(made), made.worlds[0].values
    for index, value in given.items():
        values = with_value(values, roots[index], value)
    changed = replace(world, values=values)
    fits = is_possible(made.launching, world, values)
    if not fits or launch_record.block_in(made.record, changed) != made.shape.block:
        return None
    return _condition(kernel, made, changed, world.name)


def _condition(
    kernel: _Kernel,
    made: _Made,
    world: World,
    name: str,
    ones: Mapping[int, int] | None = None,
) -> Condition:
    found = numbers(kernel.facts, made.record, world, ones or {})
    launch = make_launch(kernel, found, world.scale)
    label = name or FIXED
    return Condition(label, launch, Fill.RANDOM, made.shape, world.scale, origins=found.origins)


def make_launch(kernel: _Kernel, found: Numbers, size: int) -> Launch:
    """A launch with these numbers; integers that fill arrays are below `size`, if nothing tells."""
    arguments = launch_arguments(kernel.facts, kernel.names, found, size, kernel.told)
    symbols = launch_symbols(kernel.facts, kernel.symbols, size)
    bound = textures.references(kernel.facts.kernel, size)
    return Launch(found.grid, found.block, arguments, found.shared, symbols=symbols, textures=bound)
