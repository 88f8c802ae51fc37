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
from perflint.sim.tracers.request_buffer import Gatherer

#: Lines that are kept before equal ones are dropped.
_MOST_WAITING = 1 << 18


class Lines(Tracing):
    """Counts requests to global memory, their sectors and lines, and the lines of each block."""

    def begin(self, setting: Setting) -> None:
        self.requests = self.sectors = self.lines = 0
        self._touched: list[np.ndarray] = []
        self._waiting = 0  #: touched lines that were not merged yet
        self.footprint = 0  #: different lines of a block, summed over blocks; once finished

        self._gatherer = Gatherer(self._count)

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space == "global":
            self._gatherer.add(batch)

    def _count(self, batch: MemoryBatch) -> None:
        offset = apart(batch)
        self.requests += len(batch.warp)
        self.sectors += int(coalescing.sectors(batch.mask, offset, batch.size).sum())
        self.lines += int(coalescing.lines(batch.mask, offset, batch.size).sum())
        line = (batch.region.astype(np.int64) << 36) + (batch.offset >> 7)
        keyed = (line << 12) + (batch.block[:, None] & 0xFFF)
        first = batch.mask.copy()  # lanes that touch another line than the lane before
        first[:, 1:] &= (keyed[:, 1:] != keyed[:, :-1]) | ~batch.mask[:, :-1]
        self._touched.append(keyed[first])
        self._waiting += len(self._touched[-1])
        if self._waiting > _MOST_WAITING:
            self._merge()

    def _merge(self) -> None:
        self._touched = [np.unique(np.concatenate(self._touched))]
        self._waiting = 0

    def finish(self) -> None:
        self._gatherer.flush()
        if self._touched:
            self._merge()
            self.footprint = len(self._touched[0])

    def metrics(self) -> Mapping[str, Metric]:
        return {"lines": self.lines, "lines of blocks": self.footprint}
