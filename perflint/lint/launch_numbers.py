"""A launch's numbers in one world: grid, block, shared bytes, scalars and allocations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property

from perflint.analysis.model import KernelFacts, Pointer
from perflint.base.launch_option import MAX_GRID, MAX_SHARED
from perflint.base.records import dataclass
from perflint.frontend.source.language.model import Expression
from perflint.lint.data_values import by_place, with_room_for_rows
from perflint.lint.field_values import FieldValue, StructValue, struct_fields
from perflint.lint.launch_limits import uses_dynamic
from perflint.lint.launch_record import AXES, LaunchRecord, block_in, bytes_in, number_in, value_in
from perflint.lint.world_model import ASSUMED, Origin, World
from perflint.lint.worlds import DATA, LARGE, SMALL
from perflint.sim.launch import Dim3

#: Dynamic shared bytes where nothing tells: all that a kernel gets without opting in for more.
SHARED_LIMIT = 49152
GIVEN, INVENTED = Origin(), Origin(ASSUMED)


@dataclass(frozen=True)
class Numbers:
    """A launch's numbers in one world, and where each comes from."""

    grid: Dim3
    block: Dim3
    shared: int
    values: Mapping[int, int | float]  #: scalar arguments, by parameter
    allocations: Mapping[int, int]  #: bytes of pointer arguments, by parameter
    origins: Origins

    @cached_property
    def allocated(self) -> dict[Pointer, int]:
        """Bytes behind pointers, those in structs that are passed by value included."""
        return by_place(self.allocations) | {
            (index, each.offset): each.allocation
            for index, each in self._fields
            if each.allocation is not None
        }

    @cached_property
    def numbers(self) -> dict[Pointer, int | float]:
        """Scalars, those in structs that are passed by value included."""
        return by_place(self.values) | {
            (index, each.offset): each.number
            for index, each in self._fields
            if each.number is not None
        }

    @property
    def _fields(self) -> Iterator[tuple[int, FieldValue]]:
        for index, held in self.origins.structs.items():
            yield from ((index, each) for each in held.fields)


@dataclass(frozen=True)
class Origins:
    """Where each number of a launch comes from."""

    grid: tuple[Origin, Origin, Origin] = (GIVEN, GIVEN, GIVEN)
    block: tuple[Origin, Origin, Origin] = (GIVEN, GIVEN, GIVEN)
    shared: Origin = GIVEN
    values: Mapping[int, Origin] = field(default_factory=dict)
    #: what is known of the structs that are passed by value, by parameter
    structs: Mapping[int, StructValue] = field(default_factory=dict)

    @property
    def known_fields(self) -> frozenset[tuple[int, int]]:
        """The fields of structs, by parameter and byte offset, in which nothing is invented."""
        return frozenset(
            (index, each.offset)
            for index, struct in self.structs.items()
            for each in struct.fields
            if each.origin.known
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """Where the grid and the shared bytes come from, for people, if they were not read."""
        grid = [o for o in self.grid if not o.known]
        told = []
        if grid:
            of = tuple(dict.fromkeys(name for o in grid for name in o.of))
            told.append(f"grid {Origin(grid[0].kind, of).text}")
        if not self.shared.known:
            told.append(f"shared bytes {self.shared.text}")
        return tuple(told)


def numbers(
    facts: KernelFacts, record: LaunchRecord, world: World, ones: Mapping[int, int]
) -> Numbers:
    """A launch's numbers in one world; `ones` are parameters that are 1 whatever that says."""
    block = block_in(record, world)
    assert block is not None
    values: dict[int, int | float] = {}
    allocations: dict[int, int] = {}
    told: dict[int, Origin] = {}
    invented: set[int] = set()
    for index, argument in enumerate(record.arguments):
        value = ones[index] if index in ones else value_in(record, argument, world)
        if value is not None:
            values[index] = value
            told[index] = world.origin(argument.term, record.roots)
        size = bytes_in(record, argument, world)
        if size is not None:
            allocations[index] = size
            if not world.origin(argument.allocation_term, record.roots).known:
                invented.add(index)
    allocations = with_room_for_rows(facts, allocations, invented, values)
    grid = [_blocks(facts, record, world, axis, block, values) for axis in range(3)]
    shared, of_shared = _dynamic_shared(facts, record, world)
    origins = Origins(
        (grid[0][1], grid[1][1], grid[2][1]),
        tuple(world.origin(e.term, record.roots) for e in record.block),  # type: ignore[arg-type]
        of_shared,
        told,
        struct_fields(facts, record, world),
    )
    if record.made:
        origins = replace(
            origins, grid=(INVENTED,) * 3, values=dict.fromkeys(origins.values, INVENTED)
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
        value = number_in(record, written.term, world)
    if value is not None and 1 <= value <= MAX_GRID[axis]:
        return int(value), world.origin(written.term, record.roots)
    letter = AXES[axis]
    if f"%ctaid.{letter}" not in facts.reads:
        return 1, Origin(ASSUMED)
    bounds = (i for i, along in facts.roles.bounds.items() if along == letter)
    threads = max((values[i] for i in bounds if i in values), default=0)
    sizes = SMALL if world.scale == DATA[1] else LARGE
    if threads >= 1:
        blocks = -(-int(threads) // block[axis])
        return min(max(1, blocks), MAX_GRID[axis]), Origin(ASSUMED)
    return 4 if letter == "z" else max(1, -(-sizes[0] // block[axis])), Origin(ASSUMED)


def _dynamic_shared(facts: KernelFacts, record: LaunchRecord, world: World) -> tuple[int, Origin]:
    """The dynamic shared bytes; where nothing tells them, as many as are always allowed."""
    value = record.shared.value
    if value is None:
        value = number_in(record, record.shared.term, world)
    found = value if isinstance(value, int) and 0 <= value <= MAX_SHARED else 0
    origin = world.origin(record.shared.term, record.roots)
    if value is None and record.shared.text not in ("", str(None)):
        origin = Origin(ASSUMED)  # it is written, and cannot be read
    if value is not None and (origin.known or found):
        return found, origin
    return (SHARED_LIMIT - 1024, Origin(ASSUMED)) if uses_dynamic(facts) else (found, origin)
