"""The trace: a stream of columnar batches that tracers consume in chunks.

All batches are numbered by one clock. The machine issues one instruction after another, each for
all warps that stand at it, and `order` is an instruction's number in that sequence: what has a
smaller one happened earlier. The requests of one instruction, its parts and all its warps share a
number. An InstructionBatch has the number of its first instruction, the one at position `p` has
`order + p - first`: it is also the number of that one's requests, barrier or branch. One warp's own
sequence is therefore the instruction batches that name it; numbers between are other warps'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, Protocol

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar.model import Function, Instruction, Module
from perflint.sim.architecture import Architecture
from perflint.sim.first_use import first_uses
from perflint.sim.lanes import Lanes
from perflint.sim.launch import Dim3, Launch
from perflint.sim.lazy import lazy
from perflint.sim.program import Program
from perflint.sim.values import Value


@dataclass(frozen=True)
class Allocation:
    """A region of global or constant memory that a launch may touch."""

    region: int  #: its number in a MemoryBatch
    name: str  #: of the pointer argument or the module's variable
    size: int | None  #: bytes; None where nobody said
    constant: bool = False
    address: int | None = None  #: where it lies, if the program knows
    freed: str = ""  #: who freed it, in words; "" while it is there


def _nothing_freed(region: int) -> Allocation | None:
    return None


@dataclass(frozen=True, eq=False)
class Setting:
    """What a run is about to do: everything that is known before its first event."""

    module: Module
    kernel: Function
    #: What runs: the kernel's instructions, those of called functions written out between them
    #: with the index -1. InstructionBatch counts positions in it.
    instructions: tuple[Instruction, ...]
    program: Program  #: the same as basic blocks
    launch: Launch
    arch: Architecture
    blocks: tuple[Dim3, ...]  #: the simulated ones; `block` in a batch is an index into these
    allocations: tuple[Allocation, ...]
    shared_bytes: int  #: of a block, static and dynamic
    local_bytes: int  #: of a thread: its arrays, what is spilled, and its stack
    #: the allocation that a region's number had, where it is no more
    freed: Callable[[int], Allocation | None] = _nothing_freed

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.launch.threads_per_block

    @property
    def warps(self) -> int:
        """Warps of a block; the last one may be partial."""
        return -(-self.threads // 32)

    @lazy
    def position(self) -> Mapping[int, int]:
        """Position in `instructions` of each of the kernel's own, by its index (the pc)."""
        return {each.index: at for at, each in enumerate(self.instructions) if each.index >= 0}

    @lazy
    def first_uses(self) -> Mapping[int, int]:
        """Instructions from each load to the first that reads what it loaded, by pc: the least."""
        return first_uses(self.program)

    @lazy
    def warp_sizes(self) -> np.ndarray:
        """Threads of each warp of a block, (warps,) int64: 32, fewer in a partial last one."""
        return np.minimum(self.threads - 32 * np.arange(self.warps), 32)


class MemoryBatch(Protocol):
    """n requests of one memory instruction: one warp each.

    Region 0 is shared memory (offset within the block's window), negative regions are local; global
    and constant regions are numbered from 1 in allocation order. A lane whose address lies in no
    allocation has the number that its address has above bit 40, and the offset that makes
    `base_address(region) + offset` the address. A request of two parts (cp.async: a global read and
    a shared write), or one whose generic addresses lead to several spaces, comes as several batches
    with the same `order`. Not traced are parameters, mbarrier objects and `cp.async.bulk`, in which
    no lane has a share of its own, and what called functions access.
    """

    @property
    def pc(self) -> int: ...

    @property
    def space(self) -> str:
        """`global`, `shared`, `local`, `const`: what generic addresses resolved to."""

    @property
    def kind(self) -> str:
        """`load`, `store`, `atomic`."""

    @property
    def size(self) -> int:
        """Bytes per lane, a vector's elements together."""

    @property
    def order(self) -> int:
        """When: see the module."""

    @property
    def rows(self) -> int:
        """n."""

    @property
    def block(self) -> np.ndarray:
        """(n,) int32, index into the run's simulated blocks."""

    @property
    def warp(self) -> np.ndarray:
        """(n,) int32, warp within the block."""

    @property
    def mask(self) -> np.ndarray:
        """(n, 32) bool, lanes that took part."""

    @property
    def region(self) -> np.ndarray:
        """(n, 32) int32."""

    @property
    def offset(self) -> np.ndarray:
        """(n, 32) int64, bytes from the region's start."""

    @property
    def values(self) -> np.ndarray | None:
        """(n, 32, size) uint8, the bytes that a store writes, where a tracer `wants_values`."""


@dataclass(frozen=True, eq=False)
class ColumnBatch:
    """A memory batch as its columns."""

    pc: int
    space: str
    kind: str
    size: int
    block: np.ndarray
    warp: np.ndarray
    order: int
    mask: np.ndarray
    region: np.ndarray
    offset: np.ndarray
    values: np.ndarray | None = None

    @property
    def rows(self) -> int:
        return len(self.warp)


@dataclass(frozen=True, eq=False)
class LanesBatch:
    """The first `rows` requests of some lanes. Columns are made when they are asked for."""

    pc: int
    space: str
    kind: str
    size: int
    order: int
    lanes: Lanes
    rows: int
    values: np.ndarray | None

    @lazy
    def block(self) -> np.ndarray:
        return self.lanes.places[0][: self.rows]

    @lazy
    def warp(self) -> np.ndarray:
        return self.lanes.places[1][: self.rows]

    @lazy
    def mask(self) -> np.ndarray:
        return self.lanes.mask[: self.rows]


@dataclass(frozen=True, eq=False)
class DenseBatch(LanesBatch):
    """A memory batch with an offset for each lane."""

    where: int | np.ndarray  #: the region of all lanes, or of each (n,)
    at: Value  #: byte offset of all lanes, or of each (n,)

    @lazy
    def region(self) -> np.ndarray:
        if isinstance(self.where, int):
            return np.broadcast_to(np.int32(self.where), (self.rows, 32))
        return self.lanes.dense(self.where.astype(np.int32))[: self.rows]

    @lazy
    def offset(self) -> np.ndarray:
        return self.lanes.dense(np.asarray(self.at, dtype=np.int64))[: self.rows]


@dataclass(frozen=True, eq=False)
class BarrierBatch:
    """n warps that arrived at a barrier of their block, or at one of their own."""

    pc: int
    block: np.ndarray  #: (n,) int32
    warp: np.ndarray  #: (n,) int32
    order: int
    mask: np.ndarray  #: (n, 32) bool, lanes that arrived


@dataclass(frozen=True, eq=False)
class _StepBatch:
    """What the lanes of n warps do together."""

    order: int
    lanes: Lanes

    @property
    def block(self) -> np.ndarray:
        """(n,) int32."""
        return self.lanes.places[0]

    @property
    def warp(self) -> np.ndarray:
        """(n,) int32."""
        return self.lanes.places[1]

    @property
    def mask(self) -> np.ndarray:
        """(n, 32) bool."""
        return self.lanes.mask


@dataclass(frozen=True, eq=False)
class InstructionBatch(_StepBatch):
    """A run of instructions that n warps executed one after another, all with the same lanes."""

    first: int  #: position of the first in `Setting.instructions`
    last: int  #: position behind the last

    @property
    def count(self) -> int:
        """Instructions per lane."""
        return self.last - self.first


@dataclass(frozen=True, eq=False)
class BranchBatch(_StepBatch):
    """n warps at a conditional or indirect jump."""

    position: int  #: of the jump in `Setting.instructions`
    way: Value  #: a number for each way out, of all lanes or of each; those that jump have not 0

    @lazy
    def target(self) -> np.ndarray:
        """The lanes' ways, (n, 32) int32."""
        return self.lanes.dense(np.asarray(self.way).astype(np.int32))


@dataclass(frozen=True, eq=False)
class ResultBatch(_StepBatch):
    """What one instruction left in its registers, or the test before a guarded one."""

    position: int  #: of the instruction in `Setting.instructions`
    values: tuple[Value, ...]  #: by register written (`table.writes`), of all lanes or of each
    guard: Value | None = None  #: of a test: whether the instruction is carried out


@dataclass(eq=False)
class Turn:
    """What a turn of a loop does, in its order; accesses lie further each time."""

    instructions: list[InstructionBatch] = field(default_factory=list)
    branches: list[BranchBatch] = field(default_factory=list)
    memory: list[MemoryBatch] = field(default_factory=list)
    steps: dict[int, int] = field(default_factory=dict)  #: by pc: bytes further


class Tracer(Protocol):
    """Sees a launch begin, its events, and its end.

    Derive from `Tracing`, which knows all events, and override what is wanted: events that no
    tracer wants are not made. One that also has `repeat(turn, times)` is told of a loop's turns
    that are all alike at once: the last one happens so many times more, further each time.
    """

    def begin(self, setting: Setting) -> None: ...

    def memory(self, batch: MemoryBatch) -> None: ...

    def barrier(self, batch: BarrierBatch) -> None: ...

    def finish(self) -> None: ...


Metric = int | float | str


class Tracing:
    """A tracer that wants nothing: the base of those that want something."""

    def begin(self, setting: Setting) -> None:
        """Called before the first event. A tracer may be used again: begin anew here."""

    wants_values = False  #: whether stores are to bring the bytes they write

    def memory(self, batch: MemoryBatch) -> None:
        """Requests of one memory instruction, before it is carried out."""

    def barrier(self, batch: BarrierBatch) -> None:
        """Arrivals at a barrier of the block."""

    def warp_barrier(self, batch: BarrierBatch) -> None:
        """Arrivals at `bar.warp.sync`, a barrier of the warp's lanes."""

    def instructions(self, batch: InstructionBatch) -> None:
        """Instructions that are about to be executed."""

    def branch(self, batch: BranchBatch) -> None:
        """Jumps that may diverge."""

    def results(self, batch: ResultBatch) -> None:
        """What an instruction has just computed; every instruction is carried out for this."""

    def finish(self) -> None:
        """Called behind the last event."""

    def metrics(self) -> Mapping[str, Metric]:
        """What was found of the whole launch, for reports: name and figure, once finished."""
        return {}

    def sums(self) -> Mapping[int, Mapping[str, int]]:
        """Sums by instruction (position in `Setting.instructions`), to be added up by line."""
        return {}


_EVENTS = ("memory", "barrier", "warp_barrier", "instructions", "branch", "results")


@dataclass(frozen=True)
class Observers:
    """The tracers of a run by the events they want."""

    memory: tuple[Any, ...] = ()
    barrier: tuple[Any, ...] = ()
    warp_barrier: tuple[Any, ...] = ()
    instructions: tuple[Any, ...] = ()
    branch: tuple[Any, ...] = ()
    results: tuple[Any, ...] = ()

    @classmethod
    def of(cls, tracers: Iterable[Tracer]) -> Observers:
        """Sort tracers by what they override; those of other bases get what they have."""
        given = tuple(tracers)
        return cls(*(tuple(t for t in given if _wants(t, event)) for event in _EVENTS))

    @property
    def values(self) -> bool:
        """Whether anybody wants the bytes that stores write."""
        return any(getattr(t, "wants_values", False) for t in self.memory)


def _wants(tracer: Tracer, event: str) -> bool:
    own = getattr(type(tracer), event, None)
    return own is not None and own is not getattr(Tracing, event)


__all__ = [
    "Allocation",
    "BarrierBatch",
    "BranchBatch",
    "ColumnBatch",
    "DenseBatch",
    "InstructionBatch",
    "LanesBatch",
    "MemoryBatch",
    "Metric",
    "Observers",
    "ResultBatch",
    "Setting",
    "Tracer",
    "Tracing",
    "Turn",
]
