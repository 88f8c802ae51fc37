"""Parallelism: how far more multiprocessors and wider ones could help.

Definitions of Kerr, Diamos, Yalamanchili, "A Characterization and Analysis of PTX Kernels" (IISWC
2009). A block's length is its number of instructions on a machine as wide as the block, which runs
each instruction for all threads that are at it together. MIMD parallelism is the speed-up of
infinitely many multiprocessors over one: all blocks' lengths by the longest one's. SIMD parallelism
is that of infinitely wide multiprocessors over scalar ones: thread instructions by lengths.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.sim.trace import InstructionBatch, Metric, Setting, Tracing


class Parallelism(Tracing):
    """Measures the limits of MIMD and SIMD parallelism."""

    def begin(self, setting: Setting) -> None:
        self.length = np.zeros(len(setting.blocks), np.int64)  #: of each block
        self.work = np.zeros(len(setting.blocks), np.int64)  #: thread instructions of each block

    def instructions(self, batch: InstructionBatch) -> None:
        active = np.bincount(batch.block, weights=batch.lanes.active, minlength=len(self.work))
        self.length[active > 0] += batch.count
        self.work += active.astype(np.int64) * batch.count

    @property
    def mimd(self) -> float:
        longest = int(self.length.max(initial=0))
        return int(self.length.sum()) / longest if longest else 0.0

    @property
    def simd(self) -> float:
        total = int(self.length.sum())
        return int(self.work.sum()) / total if total else 0.0

    def metrics(self) -> Mapping[str, Metric]:
        return {"MIMD parallelism": self.mimd, "SIMD parallelism": self.simd}
