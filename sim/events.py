"""What happens besides memory requests, as batches for the tracers that want it.

Code is compiled with calls of these methods only where a tracer of the run wants such events.
"""

from __future__ import annotations

import numpy as np

from perflint.sim.lanes import Lanes
from perflint.sim.trace import BarrierBatch, BranchBatch, InstructionBatch, Observers
from perflint.sim.values import Value


class Events:
    """Makes batches and hands them on; `order` is the dynamic index that they carry."""

    def __init__(self, observers: Observers) -> None:
        self.observers = observers
        self.order = 0

    def issue(self, lanes: Lanes, first: int, last: int) -> None:
        """The lanes are about to run the instructions at positions [first, last)."""
        self.order += 1
        wanting = self.observers.instructions
        if not wanting or not lanes.count:
            return
        block, warp = _warps(lanes)
        batch = InstructionBatch(first, last, block, warp, self.order, lanes.mask)
        for tracer in wanting:
            tracer.instructions(batch)

    def fork(self, lanes: Lanes, position: int, way: Value) -> None:
        """The lanes are at a jump: `way` is its predicate, or an indirect one's index."""
        wanting = self.observers.branch
        if not wanting or not lanes.count:
            return
        block, warp = _warps(lanes)
        target = lanes.dense(np.asarray(way).astype(np.int32))
        batch = BranchBatch(position, block, warp, self.order, lanes.mask, target)
        for tracer in wanting:
            tracer.branch(batch)

    def warp_barrier(self, lanes: Lanes, pc: int) -> None:
        """The lanes are at a barrier of their warp."""
        wanting = self.observers.warp_barrier
        if not wanting or not lanes.count:
            return
        block, warp = _warps(lanes)
        batch = BarrierBatch(pc, block, warp, self.order, lanes.mask)
        for tracer in wanting:
            tracer.warp_barrier(batch)


def _warps(lanes: Lanes) -> tuple[np.ndarray, np.ndarray]:
    """Block and warp within it of each row, (rows,) int32."""
    per_block = lanes.warps_per_block
    return (lanes.warp // per_block).astype(np.int32), (lanes.warp % per_block).astype(np.int32)
