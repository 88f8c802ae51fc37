"""The launches and arguments a kernel is tried with (DESIGN, section 6).

A *plan* is one launch, read from the source, given by the user or assumed, and the runs that its
open questions need: worlds of two scales, addresses that hold loaded data with random and with
identity data, a bare parameter used as a stride also as 1.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from operator import itemgetter

from perflint import textures
from perflint.analysis.model import KernelFacts
from perflint.data_values import buffer_of
from perflint.frontend.source.model import Expression, LaunchSite, SourceKernel
from perflint.grammar.model import TYPE_SIZE, Address, Function, Symbol, Variable
from perflint.grammar.table import types
from perflint.launch_option import LaunchSpec
from perflint.like_launches import alike
from perflint.lint import launch_record
from perflint.lint.guards import asked_for
from perflint.lint.launch_record import AXES, LaunchRecord, Numbers, Origins, with_roots
from perflint.lint.worlds import (
    ASSUMED,
    DATA,
    FLOATS,
    LARGE,
    SMALL,
    Launching,
    Origin,
    World,
    added,
    root_of,
    worlds,
)
from perflint.rules.protocol import KnownLaunch
from perflint.sim.dependence import steered_by_integers
from perflint.sim.launch import Aggregate, Argument, Dim3, Fill, Launch, Scalar, Texture
from perflint.symbol_values import Symbols, launch_symbols

FIXED = "the arguments of the launch"  #: the name of a condition that leaves no size open
#: Dynamic shared bytes where nothing tells: all that a kernel gets without opting in for more.
SHARED_LIMIT = 49152
#: … and that it can have where it does (CUDA C++ Programming Guide, compute capability 9.0).
MOST_SHARED = 227 << 10
MOST_BLOCKS = ((1 << 31) - 1, 65535, 65535)  #: of a grid (the same guide, technical specifications)
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

    @property
    def values(self) -> dict[int, int | float]:
        """The scalar arguments, by parameter."""
        given = enumerate(self.launch.arguments)
        return {i: argument.value for i, argument in given if isinstance(argument, Scalar)}

    @property
    def exact(self) -> bool:
        """Whether the launch gives every scalar argument: no size was invented."""
        told = all(symbol.told for symbol in self.launch.symbols)
        return not self.shape.assumed and told and self.values.keys() <= self.shape.values.keys()


@dataclass(frozen=True, eq=False)
class Plan:
    """One launch and the runs that its open questions need, the primary one first."""

    shape: KnownLaunch
    conditions: tuple[Condition, ...]
    #: further runs, for suspect accesses that none of these reaches
    more: Callable[[], tuple[Condition, ...]] = tuple
    broken: tuple[str, ...] = ()  #: conditions of the host code that no values tried would meet

    def origins(self, name: str) -> Origins:
        """Where the numbers of one of its runs come from."""
        found = (c for c in (*self.conditions, *self.more()) if c.name == name)
        return next((c.origins for c in found), Origins())


@dataclass(frozen=True, eq=False)
class _Kernel:
    """What of a kernel its launches are made for."""

    facts: KernelFacts
    names: tuple[str, ...]
    most_threads: int
    symbols: Symbols  #: what the host copies to the module's variables, by their names

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
    max_threads: int = 1024,
) -> tuple[tuple[Plan, ...], int]:
    """The launches to try a kernel with: given, else read from the source, else assumed.

    `names` are the parameters' source names. Launch sites of whose block nothing is known
    contribute nothing. At most MAX_LAUNCH_SITES different launches are tried, of every block shape
    if there are not more; the second value is how many were left out.
    """
    if source and len(source.parameters) == len(facts.kernel.parameters):
        written = {i for i, p in enumerate(source.parameters) if p.pointer}
        facts = replace(facts, pointer_parameters=facts.pointer_parameters | written)
        never = {i for i, p in enumerate(source.parameters) if not p.may_be_one}
        facts = replace(facts, bare_strides=facts.bare_strides - never)
    kernel = _Kernel(facts, tuple(names), max_threads, symbols or {})
    sites = tuple(sites)
    found = [launch_record.given(spec, names) for spec in specs]
    found = found or [launch_record.read(site, names) for site in sites]
    made = [m for r in _distinct(found) if (m := _made(kernel, r)) is not None]
    told = [m for m in made if not m.shape.assumed] or made
    tried = [[m] for m in _most_varied(told)]
    left_out = len(told) - len(tried)
    if not tried:  # a shared-memory finding then needs both shapes to agree
        records = launch_record.assumed(facts, source, sites, names)
        tried = [[m for r in records if (m := _made(kernel, r)) is not None]]
    steered = steered_by_integers(facts.kernel)
    return tuple(_plan(kernel, group, steered) for group in tried if group), left_out


def _distinct(records: Sequence[LaunchRecord]) -> list[LaunchRecord]:
    seen: dict[object, LaunchRecord] = {}
    for record in records:
        seen.setdefault(record.key, record)
    return list(seen.values())


@dataclass(frozen=True, eq=False)
class _Made:
    """A launch with its worlds."""

    record: LaunchRecord
    launching: Launching
    worlds: tuple[World, ...]
    shape: KnownLaunch


def _most_varied(made: Sequence[_Made]) -> list[_Made]:
    """At most MAX_LAUNCH_SITES launches, the first of each block shape before any second one."""
    seen: Counter[Dim3] = Counter()
    turn: list[tuple[int, int]] = []
    for number, each in enumerate(made):
        turn.append((seen[each.shape.block], number))
        seen[each.shape.block] += 1
    return [made[number] for _, number in sorted(sorted(turn)[:MAX_LAUNCH_SITES], key=second)]


def _made(kernel: _Kernel, record: LaunchRecord) -> _Made | None:
    """A launch with its worlds; None where its block is not known, or no GPU accepts it."""
    open_ = with_roots(record, kernel.scalars, kernel.names)
    wanted = launch_record.launching(open_, kernel.facts, kernel.most_threads)
    found = worlds(wanted)
    block = launch_record.block_in(open_, found[0])
    if block is None or prod(block) > kernel.most_threads:
        return None
    found = tuple(w for w in found if launch_record.block_in(open_, w) == block)
    return _Made(open_, wanted, found, launch_record.known(open_, found, block))


def _plan(kernel: _Kernel, group: Sequence[_Made], steered: bool) -> Plan:
    first = group[0]
    conditions = tuple(
        replace(each, name=_label(each, len(group) > 1))
        for made in group
        for each in _conditions(kernel, made, steered)
    )
    return Plan(first.shape, conditions, partial(_more, kernel, first), first.worlds[0].broken)


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
    roots = {
        index: root
        for index, argument in enumerate(made.record.arguments)
        if (root := root_of(argument.term)) is not None
    }
    found = (
        *asked_for(made.launching, world, kernel.facts.sites, roots, first.values),
        *added(made.launching, world),
    )
    kept = [w for w in found if launch_record.block_in(made.record, w) == block]
    return tuple(_condition(kernel, made, w, w.name) for w in kept)


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


def numbers(
    facts: KernelFacts, record: LaunchRecord, world: World, ones: Mapping[int, int]
) -> Numbers:
    """A launch's numbers in one world; `ones` are parameters that are 1 whatever that says."""
    block = launch_record.block_in(record, world)
    assert block is not None
    values: dict[int, int | float] = {}
    allocations: dict[int, int] = {}
    told: dict[int, Origin] = {}
    for index, argument in enumerate(record.arguments):
        value = argument.value
        if value is None:
            value = launch_record.number_in(record, argument.term, world)
        if index in ones:
            value = ones[index]
        if value is not None:
            values[index] = value
            told[index] = world.origin(argument.term, record.roots)
        size = argument.allocation
        if size is None and root_of(argument.allocation_term) is None:  # a count of bytes is none
            found = launch_record.number_in(record, argument.allocation_term, world)
            size = None if found is None else int(found)
        if size is not None and size > 0:
            allocations[index] = size
    grid = [_blocks(facts, record, world, axis, block, values) for axis in range(3)]
    shared, of_shared = _dynamic_shared(facts, record, world)
    origins = Origins(
        (grid[0][1], grid[1][1], grid[2][1]),
        tuple(world.origin(e.term, record.roots) for e in record.block),  # type: ignore[arg-type]
        of_shared,
        told,
    )
    extents = (grid[0][0], grid[1][0], grid[2][0])
    return Numbers(extents, block, shared, values, allocations, origins)


def _blocks(
    facts: KernelFacts,
    record: LaunchRecord,
    world: World,
    axis: int,
    block: Dim3,
    values: Mapping[int, int | float],
) -> tuple[int, Origin]:
    """The grid's extent along an axis: as written, computed, else what covers the kernel's size."""
    written: Expression = record.grid[axis]
    value = written.value
    if value is None:
        value = launch_record.number_in(record, written.term, world)
    if value is not None and 1 <= value <= MOST_BLOCKS[axis]:
        return int(value), world.origin(written.term, record.roots)
    letter = AXES[axis]
    if f"%ctaid.{letter}" not in facts.reads:
        return 1, Origin(ASSUMED)
    bounds = (i for i, along in facts.roles.bounds.items() if along == letter)
    threads = max((values[i] for i in bounds if i in values), default=0)
    sizes = SMALL if world.scale == DATA[1] else LARGE
    if threads >= 1:
        blocks = -(-int(threads) // block[axis])
        return min(max(1, blocks), MOST_BLOCKS[axis]), Origin(ASSUMED)
    return 4 if letter == "z" else max(1, -(-sizes[0] // block[axis])), Origin(ASSUMED)


def _dynamic_shared(facts: KernelFacts, record: LaunchRecord, world: World) -> tuple[int, Origin]:
    value = record.shared.value
    if value is None:
        value = launch_record.number_in(record, record.shared.term, world)
    if isinstance(value, int) and 0 <= value <= MOST_SHARED:
        return value, world.origin(record.shared.term, record.roots)
    unsized = {
        v.name for v in facts.module.variables.values() if v.space == "shared" and v.size == 0
    }
    named = {
        operand.name
        for instruction in facts.kernel.instructions
        for operand in (o.base if isinstance(o, Address) else o for o in instruction.operands)
        if isinstance(operand, Symbol)
    }
    return (SHARED_LIMIT - 1024, Origin(ASSUMED)) if unsized & named else (0, Origin())


# --- arguments ------------------------------------------------------------------------------------


def make_launch(kernel: _Kernel, found: Numbers, size: int) -> Launch:
    """A launch with these numbers; integers that fill arrays are below `size`, if nothing tells."""
    facts = kernel.facts
    bound = textures.assumed(facts.kernel, size)
    arguments = tuple(
        _argument(facts, i, parameter, kernel.names[i], found, size, bound)
        for i, parameter in enumerate(facts.kernel.parameters)
    )
    symbols = launch_symbols(facts, kernel.symbols, size)
    return Launch(found.grid, found.block, arguments, found.shared, symbols=symbols)


def _argument(
    facts: KernelFacts,
    index: int,
    parameter: Variable,
    name: str,
    found: Numbers,
    size: int,
    bound: Mapping[tuple[str, int], Texture],
) -> Argument:
    if parameter.dimensions or TYPE_SIZE[parameter.type] > 8:
        return _aggregate(facts, index, parameter, name, size, bound)
    if texture := bound.get((parameter.name, 0)):
        return texture
    if index in facts.pointer_parameters:
        return buffer_of(facts, (index, 0), name, size, found.allocations, found.values)
    value = found.values.get(index)
    if value is None:
        return Scalar(_default(parameter.type, size, 0))
    # C converts the argument to the parameter's type.
    return Scalar(int(value) if parameter.type[0] in "us" else value)


def _default(type_: str, size: int, number: int) -> int | float:
    """The `number`-th value of its type that nothing tells."""
    if type_ in ("f32", "f64"):
        return FLOATS[number % len(FLOATS)]
    if TYPE_SIZE[type_] == 1:
        return 1  # bool, char: a flag
    if type_ in ("f16", "bf16"):
        return 1
    ladder = SMALL if size == DATA[1] else LARGE
    value = ladder[number % len(ladder)]
    return min(value, 1024) if TYPE_SIZE[type_] == 2 else value


_PACK = {"f32": "<f", "f64": "<d"}


def _aggregate(
    facts: KernelFacts,
    index: int,
    parameter: Variable,
    name: str,
    size: int,
    bound: Mapping[tuple[str, int], Texture],
) -> Aggregate:
    """A struct by value: fields that the kernel reads get distinct values, as roots have."""
    data = bytearray(struct.pack("<I", size) * (parameter.size // 4 + 1))[: parameter.size]
    pointers = facts.pointer_fields.get(index, ())
    for number, (offset, type_) in enumerate(sorted(set(_fields(facts.kernel, parameter.name)))):
        width = TYPE_SIZE[type_]
        if offset in pointers or offset + width > len(data):
            continue
        value = _default(type_, size, number)
        if type_ in _PACK:
            data[offset : offset + width] = struct.pack(_PACK[type_], value)
        else:
            data[offset : offset + width] = int(value).to_bytes(width, "little")
    buffers = tuple(
        (o, buffer_of(facts, (index, o), f"{name}+{o}", size, {}, {})) for o in pointers
    )
    fetched = tuple((o, each) for (at, o), each in bound.items() if at == parameter.name)
    return Aggregate(bytes(data), (*buffers, *fetched))


def _fields(kernel: Function, parameter: str) -> Iterator[tuple[int, str]]:
    """(byte offset, PTX type) of the scalars that the kernel loads from a parameter."""
    for instruction in kernel.instructions:
        if instruction.opcode != "ld" or "param" not in instruction.modifiers:
            continue
        address = instruction.operands[1]
        if not isinstance(address, Address) or not isinstance(address.base, Symbol):
            continue
        if address.base.name == parameter:
            type_ = types(instruction)[-1]
            width = (
                4 if "v4" in instruction.modifiers else 2 if "v2" in instruction.modifiers else 1
            )
            for k in range(width):
                start = address.base.offset + address.offset
                yield start + k * TYPE_SIZE[type_], type_
