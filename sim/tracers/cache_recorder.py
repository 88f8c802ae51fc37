"""CacheRecorder: the requests to global memory of all warps, for replays through caches."""

from __future__ import annotations

import numpy as np

from perflint.sim.cache_trace import (
    ATOMIC,
    LOAD,
    STORE,
    Arrivals,
    CacheTrace,
    address_sums,
    assemble,
    touched,
)
from perflint.sim.trace import BarrierBatch, InstructionBatch, MemoryBatch, Setting, Tracing
from perflint.sim.tracers.request_buffer import Gatherer
from perflint.sim.unique_values import unique_values

_KINDS = {"load": LOAD, "store": STORE, "atomic": ATOMIC}
#: Modifiers of loads that do not look into L1 (PTX ISA, "Cache Operators", and the loads of the
#: memory consistency model whose scope is wider than an SM).
PAST_L1 = {"cg", "cv", "volatile", "relaxed", "acquire", "mmio", "L1::no_allocate"}
#: Sectors after which a recorder is full: four times what rules replay, as warps do not go in step.
MOST_SECTORS = 240_000
_REGIONS = 1 << 15  #: numbers of allocations are below; others are addresses that lie in none


class CacheRecorder(Tracing):
    """Records requests; `trace` is what a replay takes, once the run is finished."""

    @property
    def filled(self) -> float:
        """The share seen of all that is ever replayed at a time; from 1 on a run need not go on."""
        return self._recorded / MOST_SECTORS

    def begin(self, setting: Setting) -> None:
        self._recorded = 0  #: sectors
        self._setting = setting
        self.kept: dict[object, object] = {}  #: what replays of the trace made, for who asks again
        warps = len(setting.blocks) * setting.warps
        self._issued = np.zeros(warps, np.int64)
        self._ahead = 0  #: instructions of the batch at hand, counted in `_issued` already
        self._order = 0
        self._rows: list[dict[str, np.ndarray]] = []
        self._gatherer = Gatherer(self._keep)
        self._barriers: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._sectors: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        #: of each block: the number of its barrier that is being waited for, and who has arrived
        self._phase = np.zeros(len(setting.blocks), np.int32)
        self._arrived = np.zeros((warps, 32), bool)
        self._past = frozenset(
            each.index
            for each in setting.instructions
            if each.index >= 0 and PAST_L1 & set(each.modifiers)
        )

    def instructions(self, batch: InstructionBatch) -> None:
        self._issued[self._warps(batch)] += batch.count
        self._ahead, self._order = batch.count, batch.order

    def barrier(self, batch: BarrierBatch) -> None:
        """A lane that arrives again was let through: its block's next phase has begun."""
        warp = self._warps(batch)
        per_block = self._setting.warps
        again = unique_values(batch.block[(self._arrived[warp] & batch.mask).any(axis=1)])
        if len(again):
            self._arrived.reshape(-1, per_block, 32)[again] = False
            self._phase[again] += 1
        self._arrived[warp] |= batch.mask
        self._barriers.append((warp, self._position(batch, warp), self._phase[batch.block]))

    def _position(self, batch: BarrierBatch | MemoryBatch, warp: np.ndarray) -> np.ndarray:
        """Instructions that each warp issued before the one that the batch is of."""
        return np.asarray(self._issued[warp] - self._ahead + (batch.order - self._order))

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space != "global" or not len(batch.warp):
            return
        warp = self._warps(batch)
        position, phase = self._position(batch, warp), self._behind(batch, warp)
        self._gatherer.add(batch, warp, position, phase, np.full(len(warp), batch.order, np.int64))

    def _keep(
        self,
        batch: MemoryBatch,
        warp: np.ndarray,
        position: np.ndarray,
        phase: np.ndarray,
        order: np.ndarray,
    ) -> None:
        n = len(warp)
        self._rows.append(
            {
                "pc": np.full(n, batch.pc, np.int32),
                "warp": warp,
                "position": position,
                "kind": np.full(n, _KINDS[batch.kind], np.uint8),
                "cached": np.full(n, batch.kind != "atomic" and batch.pc not in self._past),
                "use": np.full(n, self._setting.first_uses.get(batch.pc, 0), np.int32),
                "phase": phase,
                "addresses": address_sums(batch.mask, batch.region, batch.offset, batch.size),
                "order": order,
            }
        )
        mask = batch.mask & (batch.region > 0) & (batch.region < _REGIONS)
        self._sectors.append(touched(mask, batch.region, batch.offset, batch.size))
        self._recorded += len(self._sectors[-1][0])

    def _behind(self, batch: MemoryBatch, warp: np.ndarray) -> np.ndarray:
        """Barriers that each request lies behind: one more where one of its lanes has arrived."""
        if not self._barriers:
            return np.asarray(self._phase[batch.block])
        arrived = (self._arrived[warp] & batch.mask).any(axis=1)
        return np.asarray(self._phase[batch.block] + arrived, dtype=np.int32)

    def _warps(self, batch: InstructionBatch | BarrierBatch | MemoryBatch) -> np.ndarray:
        return np.asarray(batch.block.astype(np.int64) * self._setting.warps + batch.warp)

    def finish(self) -> None:
        self._gatherer.flush()
        setting = self._setting
        allocations = [a for a in setting.allocations if not a.constant]
        self.trace: CacheTrace = assemble(
            self._rows,
            self._sectors,
            blocks=len(setting.blocks),
            warps_per_block=setting.warps,
            shared_bytes=setting.shared_bytes,
            barriers=self._arrivals(),
            sizes={a.region: a.size for a in allocations},
            names={a.region: a.name for a in allocations},
        )
        self._rows, self._sectors, self._barriers = [], [], []

    def _arrivals(self) -> Arrivals:
        empty = (np.zeros(0, np.int64),) * 3
        found = [np.concatenate(column) for column in zip(empty, *self._barriers, strict=True)]
        return Arrivals(found[0].astype(np.int32), found[1], found[2].astype(np.int32))


__all__ = ["CacheRecorder"]
