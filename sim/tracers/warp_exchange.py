"""WarpExchange: what lanes of one warp hand to each other through shared memory, in no order.

Since compute capability 7.0 the lanes of a warp may run apart (CUDA C++ Programming Guide,
"Independent Thread Scheduling"), and `volatile` orders the accesses of one thread only. A lane that
loads what another lane of its warp stored, with no barrier of the block or of the warp between, may
find what was there before.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.sim.flat import SharedGranules, untraced_shared
from perflint.sim.trace import BarrierBatch, MemoryBatch, Metric, Setting, Tracing

#: No writer is known, or several lanes wrote at once: whose value is loaded tells nothing.
_NOBODY = -1


class WarpExchange(Tracing):
    """Counts the lanes that load what another lane of their warp stored since the last barrier."""

    def begin(self, setting: Setting) -> None:
        self._memory = SharedGranules(setting)
        #: whether nothing is counted: the trace does not show every access to shared memory
        self.skipped = untraced_shared(setting)
        size = 0 if self.skipped else self._memory.total
        self._writer = np.full(size, _NOBODY, np.int16)
        self._when = np.zeros(size, np.int32)
        self._by = np.zeros(size, np.int32)
        #: by block and thread: the barriers that it has passed, of the block's and of its warp's
        self._passed = np.zeros((len(setting.blocks), setting.warps * 32), np.int32)
        #: … and of the block's alone, when an element was stored and by each thread now
        self._when_met = np.zeros(size, np.int32)
        self._met = np.zeros_like(self._passed)
        #: by load (pc) and the store before it (pc): the lanes that did so
        self.lanes: dict[tuple[int, int], int] = {}
        #: the loads (pc) that found what another warp stored since the block's last barrier
        self.across: set[int] = set()

    def barrier(self, batch: BarrierBatch) -> None:
        self.warp_barrier(batch)
        self._met[_threads(batch)] += 1

    def warp_barrier(self, batch: BarrierBatch) -> None:
        self._passed[_threads(batch)] += 1

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space != "shared" or self.skipped:
            return
        index, block, thread, _ = self._memory.touched(batch)
        if batch.kind == "load":
            self._load(batch, index, block, thread)
        elif batch.kind == "store":
            writers = np.bincount(index, minlength=1)[index] if len(index) else index
            self._writer[index] = np.where(writers > 1, _NOBODY, thread)
            self._when[index] = self._passed[block, thread]
            self._when_met[index] = self._met[block, thread]
            self._by[index] = batch.pc
        else:  # atomic operations have an order of their own
            self._writer[index] = _NOBODY

    def _load(
        self, batch: MemoryBatch, index: np.ndarray, block: np.ndarray, thread: np.ndarray
    ) -> None:
        writer = self._writer[index].astype(np.int64)
        known, mine = writer != _NOBODY, writer >> 5 == thread >> 5
        if (known & ~mine & (self._when_met[index] == self._met[block, thread])).any():
            self.across.add(batch.pc)
        other = known & mine & (writer != thread)
        other &= self._when[index] == self._passed[block, thread]
        of_lane = other.reshape(-1, max(1, batch.size // self._memory.granule))
        first = index.reshape(of_lane.shape)[np.arange(len(of_lane)), of_lane.argmax(axis=1)]
        stores, counts = np.unique(self._by[first[of_lane.any(axis=1)]], return_counts=True)
        for store, count in zip(stores.tolist(), counts.tolist(), strict=True):
            self.lanes[batch.pc, store] = self.lanes.get((batch.pc, store), 0) + count

    def metrics(self) -> Mapping[str, Metric]:
        return {"lanes that load what their warp stored unordered": sum(self.lanes.values())}


def _threads(batch: BarrierBatch) -> tuple[np.ndarray, np.ndarray]:
    """The threads that pass a barrier: their blocks, and their numbers in these."""
    rows, lanes = np.nonzero(batch.mask)
    return batch.block[rows], batch.warp[rows].astype(np.int64) * 32 + lanes
