"""Repeats: how often each warp asks for the same bytes again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perflint.sim.cache_trace import address_sums
from perflint.sim.trace import MemoryBatch, Setting, Tracing

WARP = 32


class Repeats(Tracing):
    """Counts requests to global memory, and the different ones of each warp."""

    def begin(self, setting: Setting) -> None:
        self._warps = setting.warps
        self._seen: dict[int, list[np.ndarray]] = {}
        self._lanes: dict[int, list[np.ndarray]] = {}
        self.requests = 0  #: to global memory, of all instructions

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space != "global" or batch.kind == "atomic":
            return
        warp = batch.block.astype(np.int64) * self._warps + batch.warp
        sums = address_sums(batch.mask, batch.region, batch.offset, batch.size)
        self._seen.setdefault(batch.pc, []).append(np.stack((warp, sums), axis=1))
        self.requests += len(warp)
        if not batch.mask.all():
            row, lane = np.nonzero(batch.mask)
            thread = warp[row] * WARP + lane
            own = np.stack((thread, batch.region[row, lane], batch.offset[row, lane]), axis=1)
            self._lanes.setdefault(batch.pc, []).append(own)

    def of(self, pcs: Sequence[int]) -> tuple[int, int]:
        """(requests, different ones: warp, lanes and addresses) of some instructions together.

        Where other lanes take part each time, as many as each lane alone has different addresses.
        """
        found = [rows for pc in pcs for rows in self._seen.get(pc, ())]
        if not found:
            return 0, 0
        rows = np.concatenate(found)
        requests, different = len(rows), len(np.unique(rows, axis=0))
        lanes = [rows for pc in pcs for rows in self._lanes.get(pc, ())]
        if lanes and len(lanes) == len(found):
            each = np.concatenate(lanes)
            alone = requests * len(np.unique(each, axis=0)) / len(each)
            different = min(different, max(1, round(alone)))
        return requests, different
