"""Lines: the 128-byte lines that requests to global memory touch, and those that blocks share.

A line has one tag in L1: a request looks up one for each line that it touches, however many of the
line's sectors it moves.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.sim import coalescing
from perflint.sim.trace import MemoryBatch, Metric, Setting, Tracing
from perflint.sim.tracers.memory import apart


class Lines(Tracing):
    """Counts requests to global memory, their sectors and lines, and the lines of each block."""

    def begin(self, setting: Setting) -> None:
        self.requests = self.sectors = self.lines = 0
        self._touched: list[np.ndarray] = []
        self.footprint = 0  #: different lines of a block, summed over blocks; once finished

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space != "global":
            return
        offset = apart(batch)
        self.requests += len(batch.warp)
        self.sectors += int(coalescing.sectors(batch.mask, offset, batch.size).sum())
        self.lines += int(coalescing.lines(batch.mask, offset, batch.size).sum())
        line = (batch.region.astype(np.int64) << 36) + (batch.offset >> 7)
        keyed = (line << 12) + (batch.block[:, None] & 0xFFF)
        self._touched.append(np.unique(keyed[batch.mask]))
        if len(self._touched) >= 64:
            self._touched = [np.unique(np.concatenate(self._touched))]

    def finish(self) -> None:
        if self._touched:
            self.footprint = len(np.unique(np.concatenate(self._touched)))

    def metrics(self) -> Mapping[str, Metric]:
        return {"lines": self.lines, "lines of blocks": self.footprint}
