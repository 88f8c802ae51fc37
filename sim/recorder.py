"""Tells the tracers of a run what happens, as batches numbered by one clock.

Events that no tracer wants are not made: code is compiled with calls of `issue`, `fork` and
`warp_barrier` only where a tracer of the run wants such events.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from perflint.sim.affine_trace import AffineBatch
from perflint.sim.child_launches import ARGUMENTS
from perflint.sim.lanes import Lanes
from perflint.sim.patterns import Pattern
from perflint.sim.site import Site
from perflint.sim.trace import (
    BarrierBatch,
    BranchBatch,
    DenseBatch,
    InstructionBatch,
    MemoryBatch,
    Observers,
    ResultBatch,
    Turn,
)
from perflint.sim.values import Value


class Recorder:
    """Makes batches and hands them to the observers, as many as the budget has left.

    `order` is the clock: the number of the first instruction of the basic block that runs, in the
    sequence of all instructions that the machine issued. An event's own number is `step` more: the
    instructions of the block before its own.
    """

    def __init__(self, observers: Observers, requests_per_site: int) -> None:
        self.observers = observers
        self.requests_per_site = requests_per_site
        self.order = 0
        self.requests: Counter[int] = Counter()  #: by pc, those not traced included
        self._traced: Counter[tuple[int, str, str]] = Counter()
        self.traced_all = True  #: nothing was behind what the budget has left
        self.turn: Turn | None = None  #: where what happens is to be noted as well

    # --- memory ----------------------------------------------------------------------------------

    def memory(
        self,
        lanes: Lanes,
        site: Site,
        space: str,
        region: int | np.ndarray,
        offset: Value,
        stored: tuple[Value, ...] = (),
    ) -> None:
        """The lanes' requests at offsets in a region, or each lane in its own."""
        if type(region) is int and region == ARGUMENTS:
            return
        rows = self._rows(lanes, site, space)
        if not rows:
            return
        batch = DenseBatch(
            site.pc, space, site.kind, site.size, self.order + site.step, lanes, rows,
            self._values(lanes, rows, stored), region, offset,
        )  # fmt: skip
        self._tell(batch)

    def affine(
        self,
        lanes: Lanes,
        site: Site,
        space: str,
        region: int,
        origin: int,
        pattern: Pattern,
        stored: tuple[Value, ...],
    ) -> None:
        """As `memory`, at `origin + pattern`: offsets are made where a tracer looks at them."""
        if region == ARGUMENTS:
            return
        rows = self._rows(lanes, site, space)
        if not rows:
            return
        batch = AffineBatch(
            site.pc, space, site.kind, site.size, self.order + site.step, lanes, rows,
            self._values(lanes, rows, stored), region, origin, pattern,
        )  # fmt: skip
        self._tell(batch)

    def _tell(self, batch: MemoryBatch) -> None:
        if self.turn is not None:
            self.turn.memory.append(batch)
        for tracer in self.observers.memory:
            tracer.memory(batch)

    def _rows(self, lanes: Lanes, site: Site, space: str) -> int:
        """How many of the requests are traced; all are counted where anybody traces them."""
        if not self.observers.memory:
            return lanes.rows if self.turn is not None else 0
        self.requests[site.pc] += lanes.rows
        return self._take((site.pc, space, site.kind), lanes.rows)

    def _take(self, key: tuple[int, str, str], rows: int) -> int:
        left = max(0, min(rows, self.requests_per_site - self._traced[key]))
        self.traced_all = self.traced_all and left == rows
        self._traced[key] += left
        return left

    def _values(self, lanes: Lanes, rows: int, stored: tuple[Value, ...]) -> np.ndarray | None:
        """The values of each lane side by side as bytes, (rows, 32, size) uint8."""
        if not stored or not self.observers.values:
            return None
        parts = [lanes.dense(value)[:, :, None] for value in stored]
        return np.ascontiguousarray(np.concatenate(parts, axis=2)).view(np.uint8)[:rows]

    # --- control ---------------------------------------------------------------------------------

    def issue(self, lanes: Lanes, first: int, last: int) -> None:
        """The lanes are about to run the instructions at positions [first, last), a whole block."""
        wanting = self.observers.instructions
        if not wanting or not lanes.count:
            return
        batch = InstructionBatch(self.order, lanes, first, last)
        if self.turn is not None:
            self.turn.instructions.append(batch)
        for tracer in wanting:
            tracer.instructions(batch)

    def fork(self, lanes: Lanes, position: int, step: int, way: Value) -> None:
        """The lanes are at a jump: `way` is its predicate, or an indirect one's index."""
        wanting = self.observers.branch
        if not wanting or not lanes.count:
            return
        batch = BranchBatch(self.order + step, lanes, position, way)
        if self.turn is not None:
            self.turn.branches.append(batch)
        for tracer in wanting:
            tracer.branch(batch)

    def computed(
        self,
        lanes: Lanes,
        position: int,
        step: int,
        values: tuple[Value, ...],
        guard: Value | None = None,
    ) -> None:
        """The lanes have what an instruction computes, or are at the test before a guarded one."""
        if not lanes.count:
            return
        batch = ResultBatch(self.order + step, lanes, position, values, guard)
        for tracer in self.observers.results:
            tracer.results(batch)

    def barrier(self, lanes: Lanes, pc: int, step: int) -> None:
        """The lanes are at a barrier of their block."""
        wanting = self.observers.barrier
        rows = self._take((pc, "barrier", "barrier"), lanes.rows) if wanting else 0
        if not rows:
            return
        block, warp = (column[:rows] for column in lanes.places)
        batch = BarrierBatch(pc, block, warp, self.order + step, lanes.mask[:rows])
        for tracer in wanting:
            tracer.barrier(batch)

    def warp_barrier(self, lanes: Lanes, pc: int, step: int) -> None:
        """The lanes are at a barrier of their warp."""
        wanting = self.observers.warp_barrier
        if not wanting or not lanes.count:
            return
        block, warp = lanes.places
        batch = BarrierBatch(pc, block, warp, self.order + step, lanes.mask)
        for tracer in wanting:
            tracer.warp_barrier(batch)
