"""SharedComputation: how much data flows among threads through shared memory.

Each granule of shared memory remembers the thread that wrote it last; a thread's load is counted by
where its data come from (Kerr, Diamos, Yalamanchili, IISWC 2009: inter-thread data flow).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.sim.flat import SharedGranules
from perflint.sim.trace import MemoryBatch, Metric, Setting, Tracing

_ORIGINS = ("nobody", "own", "same_warp", "other_warp")


class SharedComputation(Tracing):
    """Measures the data flow among the threads of a block."""

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._memory = SharedGranules(setting)
        self._writer = np.full(self._memory.total, -1, np.int16)
        self._counts: dict[int, np.ndarray] = {}

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space != "shared":
            return
        index, _, thread, _ = self._memory.touched(batch)
        if batch.kind != "store":
            writer = self._writer[index]
            origin = np.where(writer >> 5 == thread >> 5, 2, 3)
            origin[writer == thread] = 1
            origin[writer < 0] = 0
            at = self._setting.position.get(batch.pc, -1)
            sums = self._counts.setdefault(at, np.zeros(4, np.int64))
            # a vector's granules count as one load's shares
            sums += np.bincount(origin, minlength=4)
        if batch.kind != "load":
            self._writer[index] = thread

    @property
    def granules(self) -> dict[str, int]:
        """Granules that threads loaded, by who had written them."""
        total = sum(self._counts.values(), np.zeros(4, np.int64))
        return dict(zip(_ORIGINS, map(int, total.tolist()), strict=True))

    @property
    def shared(self) -> float:
        """The share of loaded data that other threads had written; 0.0 where none is loaded."""
        found = self.granules
        total = sum(found.values())
        return (found["same_warp"] + found["other_warp"]) / total if total else 0.0

    def metrics(self) -> Mapping[str, Metric]:
        found = self.granules
        total = sum(found.values()) or 1
        return {
            "inter-thread data flow": self.shared,
            "inter-warp data flow": found["other_warp"] / total,
        }

    def sums(self) -> Mapping[int, Mapping[str, int]]:
        return {
            at: {f"shared_from_{name}": n for name, n in zip(_ORIGINS, sums.tolist(), strict=True)}
            for at, sums in self._counts.items()
            if at >= 0
        }
