"""UninitialisedReads: loads of global memory that neither the host nor a kernel has written.

The program marks what the host writes (`native/memory.c`); here the kernels' stores are marked, and
loads looked at. A lane errs that reads only such bytes: padding in a vector is no error.
"""

from __future__ import annotations

import numpy as np

from perflint.run.memory import HostRegion, Regions
from perflint.sim.trace import MemoryBatch, Setting, Tracing
from perflint.sim.violation import Violation, thread_index, who


class UninitialisedReads(Tracing):
    """Finds reads of device memory that nobody wrote."""

    def __init__(self, regions: Regions) -> None:
        self._regions = regions
        self.violations: list[Violation] = []  #: one for each instruction

    def begin(self, setting: Setting) -> None:
        self.setting = setting
        self.violations = []
        self._seen: set[int] = set()
        self._names = {a.region: a.name for a in setting.allocations}

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space != "global":
            return
        for number in np.unique(batch.region[batch.mask]).tolist():
            region = self._regions.get(number)
            if not isinstance(region, HostRegion) or number not in self._names:
                continue
            known = self._regions.memory.known(region.host, region.size or 0)
            chosen = batch.mask & (batch.region == number) & (batch.offset >= 0)
            chosen &= batch.offset + batch.size <= len(known)
            at = batch.offset[chosen][:, None] + np.arange(batch.size)
            if batch.kind != "store" and batch.pc not in self._seen:
                wrong = ~known[at].any(axis=1)
                if wrong.any():
                    self._report(batch, number, np.argwhere(chosen)[wrong])
            if batch.kind != "load":
                known[at] = 1

    def _report(self, batch: MemoryBatch, number: int, lanes: np.ndarray) -> None:
        self._seen.add(batch.pc)
        row, lane = lanes[0].tolist()
        block = self.setting.blocks[int(batch.block[row])]
        thread = thread_index(int(batch.warp[row]) * 32 + lane, self.setting.launch.block)
        offset = int(batch.offset[row, lane])
        others = f", and {len(lanes) - 1} more threads" if len(lanes) > 1 else ""
        position = self.setting.position.get(batch.pc)
        instruction = None if position is None else self.setting.instructions[position]
        text = (
            f"{batch.kind} of {batch.size} bytes at byte {offset} of `{self._names[number]}`, "
            f"which nobody has written; {who(block, thread)}{others}"
        )
        self.violations.append(
            Violation(
                "uninitialised-read", text, instruction, None, block, thread, offset, len(lanes)
            )
        )
