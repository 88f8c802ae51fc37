"""A memory batch whose offsets are a base and a pattern; arrays are made when asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perflint.sim.lanes import Lanes
from perflint.sim.lazy import lazy
from perflint.sim.patterns import Pattern


@dataclass(frozen=True, eq=False)
class AffineBatch:
    """The first `rows` requests of a whole population at `origin + pattern` in one region.

    What a request costs depends on the pattern and on where the origin lies among the lines:
    `pattern.memo` keeps what was found for them.
    """

    pc: int
    space: str
    kind: str
    size: int
    order: int
    lanes: Lanes
    rows: int
    number: int  #: of the region
    origin: int
    pattern: Pattern
    values: np.ndarray | None = None

    @lazy
    def block(self) -> np.ndarray:
        return self.lanes.places[0][: self.rows]

    @lazy
    def warp(self) -> np.ndarray:
        return self.lanes.places[1][: self.rows]

    @lazy
    def mask(self) -> np.ndarray:
        return self.lanes.mask[: self.rows]

    @lazy
    def region(self) -> np.ndarray:
        return np.broadcast_to(np.int32(self.number), (self.rows, 32))

    @lazy
    def offset(self) -> np.ndarray:
        dense = self.lanes.dense(self.pattern.offsets)[: self.rows] + np.int64(self.origin)
        return dense if self.lanes.full else np.where(self.mask, dense, 0)
