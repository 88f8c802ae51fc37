"""The access counter: sectors and wavefronts per memory instruction, against their ideal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from perflint.sim import banks, coalescing
from perflint.sim.accesses import AccessCount, Witness
from perflint.sim.affine_trace import AffineBatch
from perflint.sim.requests import distinct
from perflint.sim.trace import MemoryBatch, Setting, Tracing
from perflint.sim.tracers.gathering import Gatherer

_COUNTED = ("global", "shared")
#: Bytes by which all addresses of a request may move together without changing what it costs: a
#: sector; twice the 32 banks of 4 bytes, for Kepler's 8-byte ones.
_PERIOD = {"global": coalescing.SECTOR, "shared": 256}


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


def _summed(rows: np.ndarray, ways: int) -> _Cost:
    """The cost of requests from (lanes, measured, golden, aligned) of each, (4, n) int64."""
    active, measured, golden, _ = rows
    excess = np.maximum(measured - golden, 0)
    at = int(excess.argmax())
    full = active == 32
    sums = np.empty(len(_SUMMED), np.int64)
    sums[0], sums[1:5], sums[5] = len(active), rows.sum(axis=1), excess.sum()
    sums[6] = np.count_nonzero(full)
    sums[7:10] = sums[2:5] if sums[6] == sums[0] else rows[1:, full].sum(axis=1)
    return _Cost(sums, ways, at, (int(excess[at]), int(measured[at]), int(golden[at])))


@dataclass
class _Total:
    """The running sums of one instruction in one space."""

    kind: str
    size: int
    sums: np.ndarray
    ways: int = 1
    worst: tuple[int, int, int] = (-1, 0, 0)
    witness: Witness | None = None


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
        # What a request costs depends on where it lies among the lines, not on which ones.
        among = batch.origin & (_PERIOD[batch.space] - 1)
        key = ("access", self._rule, batch.space, batch.size, batch.rows, among)
        cost = batch.pattern.memo.get(key)
        if cost is None:
            cost = batch.pattern.memo[key] = self._cost(batch)
        self._add(batch, cost)

    def _cost(self, batch: MemoryBatch) -> _Cost:
        """What the requests of a batch cost together; like ones are looked at once."""
        offset = _apart(batch) if batch.space == "global" else batch.offset
        some, which = distinct(batch.mask, offset, _PERIOD[batch.space])
        mask = batch.mask[some]
        active = np.count_nonzero(mask, axis=1)
        if batch.space == "global":
            found = self._sectors(batch, some, mask, offset[some], active)
            ways = 1
        else:
            waves = banks.wavefronts(mask, offset[some], batch.size, self._rule)
            found = waves.measured, waves.golden, waves.measured
            ways = int(waves.ways.max(initial=1))
        rows = np.stack([active, *found])[:, which]
        return _summed(rows, ways)

    def _sectors(
        self,
        batch: MemoryBatch,
        some: Any,
        mask: np.ndarray,
        offset: np.ndarray,
        active: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(measured, golden, aligned) sectors of the requests in some rows of a batch."""
        measured = coalescing.sectors(mask, offset, batch.size)
        golden = -(-active * batch.size // coalescing.SECTOR)
        over = np.flatnonzero(measured > golden)
        if not len(over):
            return measured, golden, measured
        aligned = measured.copy()
        if isinstance(batch, AffineBatch):
            aligned[over] = _aligned(batch)[some][over]
        else:
            aligned[over] = coalescing.aligned_sectors(mask[over], offset[over], batch.size)
        return measured, golden, aligned

    def _add(self, batch: MemoryBatch, cost: _Cost) -> None:
        key = (batch.pc, batch.space)
        total = self._totals.get(key)
        if total is None:
            zeros = np.zeros(len(_SUMMED), np.int64)
            total = self._totals[key] = _Total(batch.kind, batch.size, zeros)
        total.sums += cost.sums
        total.ways = max(total.ways, cost.ways)
        if cost.worst > total.worst:
            total.worst = cost.worst
            total.witness = self._witness(batch, cost)

    def _witness(self, batch: MemoryBatch, cost: _Cost) -> Witness:
        at, (_, measured, golden) = cost.at, cost.worst
        lanes = tuple(
            int(offset) if here else None
            for offset, here in zip(batch.offset[at].tolist(), batch.mask[at].tolist(), strict=True)
        )
        block = self._blocks[int(batch.block[at])]
        return Witness(block, int(batch.warp[at]), lanes, measured, golden)

    def finish(self) -> None:
        self._gatherer.flush()
        for (pc, space), total in self._totals.items():
            assert total.witness is not None
            sums = dict(zip(_SUMMED, total.sums.tolist(), strict=True))
            count = AccessCount(
                pc, space, total.kind, total.size, ways=total.ways, witness=total.witness, **sums
            )
            self.by_space[pc, space] = count
            known = self.counts.get(pc)
            if known is None or (count.excess, count.measured) > (known.excess, known.measured):
                self.counts[pc] = count


def _aligned(batch: AffineBatch) -> np.ndarray:
    """`coalescing.aligned_sectors`, wherever the pattern's origin lies."""
    key = ("aligned", batch.size, batch.rows)
    found: np.ndarray | None = batch.pattern.memo.get(key)
    if found is None:
        found = coalescing.aligned_sectors(batch.mask, batch.offset, batch.size)
        batch.pattern.memo[key] = found
    return found


def _apart(batch: MemoryBatch) -> np.ndarray:
    """Byte offsets in which different regions never share a sector."""
    region = batch.region[:, :1]
    if (batch.region == region).all() or bool((~batch.mask | (batch.region == region)).all()):
        return batch.offset
    return np.asarray((batch.region.astype(np.int64) << 40) + batch.offset)
