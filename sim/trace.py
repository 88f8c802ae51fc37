"""The trace: a stream of columnar batches that tracers consume in chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from perflint.grammar.model import Function
from perflint.sim.launch import Launch


@dataclass(frozen=True, eq=False)
class MemoryBatch:
    """n requests of one memory instruction: one warp each.

    Region 0 is shared memory (offset within the block's window), negative regions are local; global
    and constant regions are numbered from 1 in allocation order. A request of two parts (cp.async:
    a global read and a shared write) comes as two batches with the same `order`.
    """

    pc: int
    space: str  #: `global`, `shared`, `local`, `const`: what generic addresses resolved to
    kind: str  #: `load`, `store`, `atomic`
    size: int  #: bytes per lane, a vector's elements together
    block: np.ndarray  #: (n,) int32, index into the run's simulated blocks
    warp: np.ndarray  #: (n,) int32, warp within the block
    order: int  #: dynamic index of the warp-wide instruction
    mask: np.ndarray  #: (n, 32) bool, lanes that took part
    region: np.ndarray  #: (n, 32) int32
    offset: np.ndarray  #: (n, 32) int64, bytes from the region's start


@dataclass(frozen=True, eq=False)
class BarrierBatch:
    """n warps that arrived at a barrier."""

    pc: int
    block: np.ndarray
    warp: np.ndarray
    order: int


class Tracer(Protocol):
    """Sees a launch begin, its events, and its end."""

    def begin(self, kernel: Function, launch: Launch) -> None: ...

    def memory(self, batch: MemoryBatch) -> None: ...

    def barrier(self, batch: BarrierBatch) -> None: ...

    def finish(self) -> None: ...
