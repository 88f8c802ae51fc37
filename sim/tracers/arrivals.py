"""Arrivals: which warps came to a memory instruction.

How often it was executed, by all warps that were simulated, says nothing of a warp: some may never
come to it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from perflint.sim.trace import MemoryBatch, Setting, Tracing, Turn


class Arrivals(Tracing):
    """Notes which warps made a request at each memory instruction."""

    def begin(self, setting: Setting) -> None:
        self._warps = setting.warps
        self._size = len(setting.blocks) * setting.warps
        self._came: dict[int, np.ndarray] = {}

    def memory(self, batch: MemoryBatch) -> None:
        came = self._came.get(batch.pc)
        if came is None:
            came = self._came.setdefault(batch.pc, np.zeros(self._size, bool))
        came[batch.block.astype(np.int64) * self._warps + batch.warp] = True

    def repeat(self, turn: Turn, times: int) -> None:
        """A turn that stands for others is the same warps' again."""

    def warps(self, pcs: Iterable[int]) -> int:
        """Warps that came to any of some instructions (pc), once finished."""
        found = [self._came[pc] for pc in pcs if pc in self._came]
        return int(np.count_nonzero(np.logical_or.reduce(found))) if found else 0
