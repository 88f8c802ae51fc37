"""A memory batch whose offsets are a base and a pattern; arrays are made when asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.lazy import lazy
from perflint.sim.patterns import Pattern
from perflint.sim.trace import DenseBatch, LanesBatch, MemoryBatch


@dataclass(frozen=True, eq=False)
class AffineBatch(LanesBatch):
    """The first `rows` requests of a whole population at `origin + pattern` in one region.

    What a request costs depends on the pattern and on where the origin lies among the lines:
    `pattern.memo` keeps what was found for them.
    """

    number: int  #: of the region
    origin: int
    pattern: Pattern

    @lazy
    def region(self) -> np.ndarray:
        return np.broadcast_to(np.int32(self.number), (self.rows, 32))

    @lazy
    def offset(self) -> np.ndarray:
        dense = self.lanes.dense(self.pattern.offsets)[: self.rows] + np.int64(self.origin)
        return dense if self.lanes.full else np.where(self.mask, dense, 0)


def moved(batch: MemoryBatch, by: int) -> MemoryBatch:
    """The same requests so many bytes further."""
    if isinstance(batch, AffineBatch):
        return replace(batch, origin=batch.origin + by)
    assert isinstance(batch, DenseBatch)
    return replace(batch, at=np.asarray(batch.at, dtype=np.int64) + by)
