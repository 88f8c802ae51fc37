"""The access counter: sectors and wavefronts per memory instruction, against their ideal."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np

from perflint.sim.accesses import AccessCount
from perflint.sim.affine_trace import AffineBatch, moved
from perflint.sim.request_costs import PERIOD, costs
from perflint.sim.trace import MemoryBatch, Setting, Tracing, Turn
from perflint.sim.tracers.gathering import Gatherer
from perflint.sim.tracers.witnesses import witness

_COUNTED = ("global", "shared")
#: What is summed of an instruction's requests, in this order: fields of AccessCount.
_SUMMED = (
    "requests", "lanes", "measured", "golden", "aligned", "excess",
    "full_requests", "full_measured", "full_golden", "full_aligned",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Cost:
    """What some requests of an instruction cost together; the worst is number `at` of them."""

    sums: np.ndarray  #: (len(_SUMMED),) int64
    ways: int
    at: int
    worst: tuple[int, int, int]  #: excess, measured, golden


def _summed(rows: np.ndarray) -> _Cost:
    """The cost of requests from what `request_costs.costs` says of each, (5, n) int64."""
    active, measured, golden, _, ways = rows
    excess = np.maximum(measured - golden, 0)
    at = int(excess.argmax())
    full = active == 32
    sums = np.empty(len(_SUMMED), np.int64)
    sums[0], sums[1:5], sums[5] = len(active), rows[:4].sum(axis=1), excess.sum()
    sums[6] = np.count_nonzero(full)
    sums[7:10] = sums[2:5] if sums[6] == sums[0] else rows[1:4, full].sum(axis=1)
    worst = int(excess[at]), int(measured[at]), int(golden[at])
    return _Cost(sums, max(1, int(ways.max())), at, worst)


@dataclass
class _Total:
    """The running sums of one instruction in one space."""

    kind: str
    size: int
    sums: np.ndarray
    ways: int = 1
    worst: tuple[int, int, int] = (-1, 0, 0)
    batch: MemoryBatch | None = None  #: that has the worst request
    at: int = 0  #: … which is this one of it


class AccessCounter(Tracing):
    """Counts what every global and shared access of a run costs. A tracer.

    Global accesses are counted in 32-byte sectors: allocations are 256-byte aligned, so offsets
    decide. Shared ones are counted in wavefronts by the architecture's bank rule. `counts` has one
    entry per instruction, the costlier space where a generic access reached both; `by_space` has
    all of them. Constant and local accesses are not counted.
    """

    def begin(self, setting: Setting) -> None:
        self._rule = setting.arch.shared_rule
        self._blocks = setting.blocks
        self._totals: dict[tuple[int, str], _Total] = {}
        self.counts: dict[int, AccessCount] = {}
        self.by_space: dict[tuple[int, str], AccessCount] = {}
        self._gatherer = Gatherer(lambda batch: self._add(batch, self._cost(batch)))

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space not in _COUNTED:
            return
        if not isinstance(batch, AffineBatch):
            self._gatherer.add(batch)
            return
        self._add(batch, self._cost(batch))

    def repeat(self, turn: Turn, times: int) -> None:
        for batch in turn.memory:
            if batch.space not in _COUNTED:
                continue
            if not isinstance(batch, AffineBatch):
                self._gatherer.flush()  # the first of equally bad requests is the one to show
            # after so many turns requests lie among the lines as they did before
            period = PERIOD[batch.space] // gcd(turn.steps[batch.pc], PERIOD[batch.space])
            for first in range(1, min(period, times) + 1):
                there = moved(batch, first * turn.steps[batch.pc])
                self._add(there, self._cost(there), (times - first) // period + 1)

    def _cost(self, batch: MemoryBatch) -> _Cost:
        """What a batch costs, computed once for affine ones that lie alike among the lines.

        It depends on where they lie among the lines, not on which ones.
        """
        if not isinstance(batch, AffineBatch):
            return self._computed(batch)
        among = batch.origin & (PERIOD[batch.space] - 1)
        key = ("access", self._rule, batch.space, batch.size, batch.rows, among)
        cost: _Cost | None = batch.pattern.memo.get(key)
        if cost is None:
            cost = batch.pattern.memo[key] = self._computed(batch)
        return cost

    def _computed(self, batch: MemoryBatch) -> _Cost:
        offset = _apart(batch) if batch.space == "global" else batch.offset
        return _summed(costs(self._rule, batch.space, batch.size, batch.mask, offset))

    def _add(self, batch: MemoryBatch, cost: _Cost, times: int = 1) -> None:
        key = (batch.pc, batch.space)
        total = self._totals.get(key)
        if total is None:
            zeros = np.zeros(len(_SUMMED), np.int64)
            total = self._totals[key] = _Total(batch.kind, batch.size, zeros)
        total.sums += times * cost.sums
        total.ways = max(total.ways, cost.ways)
        if cost.worst > total.worst:
            total.worst, total.batch, total.at = cost.worst, batch, cost.at

    def finish(self) -> None:
        self._gatherer.flush()
        for (pc, space), total in self._totals.items():
            assert total.batch is not None
            worst = witness(total.batch, total.at, self._blocks, *total.worst[1:])
            sums = dict(zip(_SUMMED, total.sums.tolist(), strict=True))
            count = AccessCount(
                pc,
                space,
                total.kind,
                total.size,
                ways=total.ways,
                witness=worst,
                **sums,
            )
            self.by_space[pc, space] = count
            known = self.counts.get(pc)
            if known is None or (count.excess, count.measured) > (known.excess, known.measured):
                self.counts[pc] = count


def _apart(batch: MemoryBatch) -> np.ndarray:
    """Byte offsets in which different regions never share a sector."""
    if isinstance(batch, AffineBatch):
        return batch.offset
    region = batch.region[:, :1]
    if bool((~batch.mask | (batch.region == region)).all()):
        return batch.offset
    return np.asarray((batch.region.astype(np.int64) << 40) + batch.offset)
