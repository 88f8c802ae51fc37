"""WarpSynchronous: hot paths, and regions that fit warp-synchronous execution.

A region is the code from a barrier (or the kernel's entry) to the next one. Where the data that a
region's threads load from shared memory come from their own warps only, its warps need not wait for
one another: `__syncwarp()` in place of the barrier before it, or shuffles, would do. An instruction
that all threads of a warp execute together is on a hot path of whole warps.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.flat import SharedGranules
from perflint.sim.trace import (
    BarrierBatch,
    InstructionBatch,
    MemoryBatch,
    Metric,
    Setting,
    Tracing,
)
from perflint.sim.unique_values import unique_values


@dataclass
class Region:
    """The code behind one barrier."""

    barrier: int | None  #: its position in `Setting.instructions`; None: the kernel's entry
    warp_instructions: int = 0
    whole_warps: int = 0  #: of them, those that all threads of the warp executed
    loads: int = 0  #: granules loaded from shared memory by its threads
    from_other_warps: int = 0  #: of them, those that another warp had written

    @property
    def warp_synchronous(self) -> bool:
        """Whether data are shared here, and within warps only."""
        return self.loads > 0 and not self.from_other_warps


class WarpSynchronous(Tracing):
    """Measures how much of a launch runs as whole warps, and which regions need no barrier."""

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._sizes = setting.warp_sizes
        self._memory = SharedGranules(setting)
        self._writer = np.full(self._memory.total, -1, np.int16)  #: the warp that wrote last
        self._at = np.full((len(setting.blocks), setting.warps), -1, np.int64)  #: last barrier's pc
        self._regions: dict[int, Region] = {}
        self._hot: dict[tuple[int, int], int] = {}

    def barrier(self, batch: BarrierBatch) -> None:
        self._at[batch.block, batch.warp] = batch.pc

    def _region(self, pc: int) -> Region:
        found = self._regions.get(pc)
        if found is None:
            found = self._regions[pc] = Region(self._setting.position.get(pc))
        return found

    def instructions(self, batch: InstructionBatch) -> None:
        whole = batch.lanes.active == self._sizes[batch.warp]
        region = self._at[batch.block, batch.warp]
        for pc in _different(region):
            mine = region == pc
            found = self._region(pc)
            found.warp_instructions += batch.count * int(np.count_nonzero(mine))
            found.whole_warps += batch.count * int(np.count_nonzero(whole & mine))
        key = batch.first, batch.last
        self._hot[key] = self._hot.get(key, 0) + int(np.count_nonzero(whole))

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space != "shared":
            return
        index, block, thread, _ = self._memory.touched(batch)
        warp = thread >> 5
        if batch.kind != "store":
            writer = self._writer[index]
            region = self._at[block, warp]
            other = (writer >= 0) & (writer != warp)
            for pc in _different(region):
                mine = region == pc
                found = self._region(pc)
                found.loads += int(np.count_nonzero(mine))
                found.from_other_warps += int(np.count_nonzero(mine & other))
        if batch.kind != "load":
            self._writer[index] = warp

    @property
    def regions(self) -> tuple[Region, ...]:
        """All regions that were executed, in the order of the code."""
        return tuple(self._regions[pc] for pc in sorted(self._regions))

    def metrics(self) -> Mapping[str, Metric]:
        total = sum(r.warp_instructions for r in self.regions) or 1
        whole = sum(r.whole_warps for r in self.regions)
        fit = sum(r.warp_instructions for r in self.regions if r.warp_synchronous)
        return {
            "instructions of whole warps": whole / total,
            "instructions in warp-synchronous regions": fit / total,
        }

    def sums(self) -> Mapping[int, Mapping[str, int]]:
        out: dict[int, dict[str, int]] = {}
        for (first, last), count in self._hot.items():
            for at in range(first, last):
                sums = out.setdefault(at, {"whole_warp_instructions": 0})
                sums["whole_warp_instructions"] += count
        return out


def _different(values: np.ndarray) -> list[int]:
    """The distinct ones; warps mostly stand behind the same barrier, and sorting takes long."""
    if len(values) and (values == values[0]).all():
        return [int(values[0])]
    return [int(each) for each in unique_values(values)]
