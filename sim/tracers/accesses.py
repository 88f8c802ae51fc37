"""The access counter: sectors and wavefronts per memory instruction, against their ideal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from math import gcd

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.accesses import AccessCount
from perflint.sim.affine_trace import AffineBatch, moved
from perflint.sim.banks import WORD
from perflint.sim.request_costs import PERIOD, costs
from perflint.sim.trace import DenseBatch, MemoryBatch, Setting, Tracing, Turn
from perflint.sim.tracers.witnesses import witness
from perflint.sim.word_costs import of_one_block, word_costs

_COUNTED = ("global", "shared")
#: Requests that are worth a look at what they cost: some 1 MB of offsets and masks.
PLENTY = 4096
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


def _summed(rows: np.ndarray, lengths: Sequence[int], times: np.ndarray | None) -> list[_Cost]:
    """The cost of several instructions' requests, `lengths` of each.

    `rows` (5, n) int64 is what `request_costs.costs` says of each, which is there so many `times`
    (None: once). Of an instruction's requests the worst is the one with most excess, then the
    costliest, then the first.
    """
    starts = np.cumsum([0, *lengths[:-1]])
    active, measured, golden, _, ways = rows
    excess = np.maximum(measured - golden, 0)
    full = active == 32
    table = np.empty((len(_SUMMED), len(active)), np.int64)
    table[0], table[1:5], table[5], table[6] = 1, rows[:4], excess, full
    np.multiply(rows[1:4], full, out=table[7:10])
    if times is not None:
        table *= times
    sums = np.ascontiguousarray(np.add.reduceat(table, starts, axis=1).T)
    rank = (excess << 40) + (measured << 20) + golden
    worst = np.maximum.reduceat(rank, starts)
    equal = np.flatnonzero(rank == np.repeat(worst, lengths))
    at = equal[np.searchsorted(equal, starts)]
    found = np.stack(
        [
            at - starts,
            np.maximum.reduceat(ways, starts),
            *(a[at] for a in (excess, measured, golden)),
        ]
    )
    return [
        _Cost(each, max(1, way), number, (most, cost, ideal))
        for each, (number, way, most, cost, ideal) in zip(sums, found.T.tolist(), strict=True)
    ]


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


@dataclass(eq=False)
class _Waiting:
    """Requests whose cost is not computed yet, as batches of each instruction."""

    #: … with how often each is there
    batches: dict[int, list[tuple[MemoryBatch, int]]] = field(default_factory=dict)
    rows: int = 0


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
        self._waiting: dict[tuple[str, int, bool], _Waiting] = {}

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space not in _COUNTED:
            return
        if isinstance(batch, AffineBatch):
            cost = self._cost(batch)
            self._add(batch, cost.at, cost)
            return
        # a dozen NumPy calls cost as much for a few requests as for thousands
        times = 1
        if batch.space == "shared" and isinstance(batch, DenseBatch):
            batch, times = of_one_block(batch)
        key = batch.space, batch.size, batch.kind == "store"
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = _Waiting()
        waiting.batches.setdefault(batch.pc, []).append((batch, times))
        waiting.rows += batch.rows
        if waiting.rows >= PLENTY:
            self._count(key)

    def repeat(self, turn: Turn, times: int) -> None:
        for batch in turn.memory:
            if batch.space not in _COUNTED:
                continue
            if not isinstance(batch, AffineBatch):
                self._count_all()  # the first of equally bad requests is the one to show
            # after so many turns requests lie among the lines as they did before
            period = PERIOD[batch.space] // gcd(turn.steps[batch.pc], PERIOD[batch.space])
            for first in range(1, min(period, times) + 1):
                there = moved(batch, first * turn.steps[batch.pc])
                cost = self._cost(there)
                self._add(there, cost.at, cost, (times - first) // period + 1)

    def _count_all(self) -> None:
        for key in list(self._waiting):
            self._count(key)

    def _count(self, key: tuple[str, int, bool]) -> None:
        """Add up what waits of a space, a size, and stores or others."""
        groups = list(self._waiting.pop(key).batches.values())
        lengths = [sum(batch.rows for batch, _ in group) for group in groups]
        every = [each for group in groups for each in group]
        rows = self._rows(*key, [batch for batch, _ in every])
        times = None
        if any(n > 1 for _, n in every):
            times = np.repeat([n for _, n in every], [batch.rows for batch, _ in every])
        for group, cost in zip(groups, _summed(rows, lengths, times), strict=True):
            self._add(*_holding([batch for batch, _ in group], cost.at), cost)

    def _rows(
        self, space: str, size: int, stores: bool, batches: Sequence[MemoryBatch]
    ) -> np.ndarray:
        """What each request of some batches costs, as `request_costs.costs` says it."""
        if space == "shared" and size <= WORD:
            found = word_costs(self._rule, size, batches)
            if found is not None:
                return found
        mask = np.concatenate([b.mask for b in batches])
        offset = np.concatenate([_apart(b) if space == "global" else b.offset for b in batches])
        return costs(self._rule, space, size, mask, offset, stores)

    def _cost(self, batch: MemoryBatch) -> _Cost:
        """What a batch costs, computed once for affine ones that lie alike among the lines.

        It depends on where they lie among the lines, not on which ones.
        """
        if not isinstance(batch, AffineBatch):
            return self._computed(batch)
        among = batch.origin & (PERIOD[batch.space] - 1)
        key = ("access", self._rule, batch.space, batch.size, batch.kind, batch.rows, among)
        cost: _Cost | None = batch.pattern.memo.get(key)
        if cost is None:
            cost = batch.pattern.memo[key] = self._computed(batch)
        return cost

    def _computed(self, batch: MemoryBatch) -> _Cost:
        rows = self._rows(batch.space, batch.size, batch.kind == "store", [batch])
        return _summed(rows, [batch.rows], None)[0]

    def _add(self, batch: MemoryBatch, at: int, cost: _Cost, times: int = 1) -> None:
        """Add to an instruction's sums; request `at` of the batch is the worst of them."""
        key = (batch.pc, batch.space)
        total = self._totals.get(key)
        if total is None:
            zeros = np.zeros(len(_SUMMED), np.int64)
            total = self._totals[key] = _Total(batch.kind, batch.size, zeros)
        total.sums += times * cost.sums
        total.ways = max(total.ways, cost.ways)
        if cost.worst > total.worst:
            total.worst, total.batch, total.at = cost.worst, batch, at

    def finish(self) -> None:
        self._count_all()
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


def _holding(batches: Sequence[MemoryBatch], at: int) -> tuple[MemoryBatch, int]:
    """Of some batches the one that has request `at` of them all, and which one of its own it is."""
    for batch in batches:
        if at < batch.rows:
            return batch, at
        at -= batch.rows
    raise IndexError(at)


def _apart(batch: MemoryBatch) -> np.ndarray:
    """Byte offsets in which different regions never share a sector."""
    if isinstance(batch, AffineBatch):
        return batch.offset
    if isinstance(batch, DenseBatch) and isinstance(batch.where, int):  # one for all
        return batch.offset
    region = batch.region[:, :1]
    if bool((~batch.mask | (batch.region == region)).all()):
        return batch.offset
    return np.asarray((batch.region.astype(np.int64) << 40) + batch.offset)
