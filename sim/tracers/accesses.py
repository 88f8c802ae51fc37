"""The access counter: sectors and wavefronts per memory instruction, against their ideal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from perflint.sim import architecture, banks, coalescing
from perflint.sim.accesses import AccessCount, Witness
from perflint.sim.affine_trace import AffineBatch
from perflint.sim.launch import Dim3
from perflint.sim.requests import distinct
from perflint.sim.trace import MemoryBatch, Setting, Tracing

_COUNTED = ("global", "shared")
#: Bytes by which all addresses of a request may move together without changing what it costs: a
#: sector; twice the 32 banks of 4 bytes, for Kepler's 8-byte ones.
_PERIOD = {"global": coalescing.SECTOR, "shared": 256}


@dataclass
class _Sum:
    """The running totals of one instruction in one space."""

    space: str
    kind: str
    size: int
    requests: int = 0
    lanes: int = 0
    measured: int = 0
    golden: int = 0
    excess: int = 0
    ways: int = 1
    full_requests: int = 0
    full_measured: int = 0
    full_golden: int = 0
    aligned: int = 0
    full_aligned: int = 0
    worst: tuple[int, int] = (-1, 0)  #: excess and measured of the witness
    witness: Witness | None = None


@dataclass(frozen=True, slots=True)
class _Cost:
    """What some requests of an instruction cost together; the worst is number `at` of them."""

    requests: int
    lanes: int
    measured: int
    golden: int
    excess: int
    ways: int
    full_requests: int
    full_measured: int
    full_golden: int
    aligned: int
    full_aligned: int
    at: int
    worst: tuple[int, int]  #: excess and measured
    worst_golden: int


def _summed(rows: np.ndarray, ways: int) -> _Cost:
    """The cost of requests from (lanes, measured, golden, aligned) of each, (4, n) int64."""
    active, measured, golden, _ = rows
    excess = np.maximum(measured - golden, 0)
    at = int(excess.argmax())
    lanes, all_measured, all_golden, aligned = rows.sum(axis=1).tolist()
    full = active == 32
    if full.all():
        of_full = all_measured, all_golden, aligned
    else:
        of_full = rows[1:, full].sum(axis=1).tolist()
    return _Cost(
        requests=len(active),
        lanes=lanes,
        measured=all_measured,
        golden=all_golden,
        excess=int(excess.sum()),
        ways=ways,
        full_requests=int(np.count_nonzero(full)),
        full_measured=of_full[0],
        full_golden=of_full[1],
        aligned=aligned,
        full_aligned=of_full[2],
        at=at,
        worst=(int(excess[at]), int(measured[at])),
        worst_golden=int(golden[at]),
    )


@dataclass
class AccessCounter(Tracing):
    """Counts what every global and shared access of a run costs. A tracer.

    Global accesses are counted in 32-byte sectors: allocations are 256-byte aligned, so offsets
    decide. Shared ones are counted in wavefronts by the architecture's bank rule. `counts` has one
    entry per instruction, the costlier space where a generic access reached both; `by_space` has
    all of them. Constant and local accesses are not counted.
    """

    arch: str = "sm_80"
    blocks: tuple[Dim3, ...] | None = None  #: grid indices of the simulated blocks, for witnesses
    #: Groups of instructions (sites) that are watched until each has had `wanted` requests.
    watched: tuple[tuple[int, ...], ...] = ()
    wanted: int = 1024
    counts: dict[int, AccessCount] = field(default_factory=dict)
    by_space: dict[tuple[int, str], AccessCount] = field(default_factory=dict)
    _sums: dict[tuple[int, str], _Sum] = field(default_factory=dict)

    def begin(self, setting: Setting) -> None:
        self._rule = architecture.load(self.arch).shared_rule
        self._sums.clear()
        self._site = {pc: group for group, pcs in enumerate(self.watched) for pc in pcs}
        self._left = dict.fromkeys(range(len(self.watched)), self.wanted)

    def all_reached(self) -> bool:
        """Whether every watched site has had a request."""
        return all(left < self.wanted for left in self._left.values())

    def satisfied(self) -> bool:
        """Whether every watched site has had the requests that were wanted."""
        return not self._left

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space not in _COUNTED:
            return
        if not isinstance(batch, AffineBatch):
            self._add(batch, self._cost(batch))
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
        total = self._sums.get(key)
        if total is None:
            total = self._sums[key] = _Sum(batch.space, batch.kind, batch.size)
        group = self._site.get(batch.pc)
        if group in self._left:
            self._left[group] -= cost.requests
            if self._left[group] <= 0:
                del self._left[group]
        total.requests += cost.requests
        total.lanes += cost.lanes
        total.measured += cost.measured
        total.golden += cost.golden
        total.excess += cost.excess
        total.ways = max(total.ways, cost.ways)
        total.full_requests += cost.full_requests
        total.full_measured += cost.full_measured
        total.full_golden += cost.full_golden
        total.aligned += cost.aligned
        total.full_aligned += cost.full_aligned
        if cost.worst > total.worst:
            total.worst = cost.worst
            total.witness = self._witness(batch, cost.at, cost.worst[1], cost.worst_golden)

    def _witness(self, batch: MemoryBatch, at: int, measured: int, golden: int) -> Witness:
        index = int(batch.block[at])
        lanes = tuple(
            int(offset) if here else None
            for offset, here in zip(batch.offset[at].tolist(), batch.mask[at].tolist(), strict=True)
        )
        block = self.blocks[index] if self.blocks is not None else (index, 0, 0)
        return Witness(block, int(batch.warp[at]), lanes, measured, golden)

    def finish(self) -> None:
        for key, total in self._sums.items():
            assert total.witness is not None
            self.by_space[key] = AccessCount(
                pc=key[0],
                space=total.space,
                kind=total.kind,
                size=total.size,
                requests=total.requests,
                lanes=total.lanes,
                measured=total.measured,
                golden=total.golden,
                excess=total.excess,
                ways=total.ways,
                full_requests=total.full_requests,
                full_measured=total.full_measured,
                full_golden=total.full_golden,
                witness=total.witness,
                aligned=total.aligned,
                full_aligned=total.full_aligned,
            )
        for (pc, _), count in self.by_space.items():
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
