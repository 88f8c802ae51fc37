"""Footprints: what blocks touch of each allocation, in lines, in sectors and in bytes.

Where a block's lines fit into its part of L1 and its threads use, request by request, all bytes of
the sectors that they touch, memory brings no more than is used, however requests are scattered.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from perflint.sim.coalescing import LINE, SECTOR
from perflint.sim.lazy import lazy
from perflint.sim.trace import MemoryBatch, Setting, Tracing, Turn
from perflint.sim.tracers.request_buffer import Gatherer
from perflint.sim.tracers.touched_words import TouchedWords

#: Bytes of an allocation's beginning, times blocks, that are told apart: what lies beyond is far
#: more than L1 holds.
_MOST = 1 << 26
#: Of the sectors that an access touches, the share that must be used: halos leave some out.
_USED = 0.9


class Footprints(Tracing):
    """Notes the bytes of global memory that each block's loads touch."""

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._blocks = len(setting.blocks)
        self._width = _MOST // self._blocks // LINE * LINE
        self._touched: dict[int, TouchedWords] = {}
        self._of: dict[int, set[int]] = {}  #: the allocations that an instruction touches
        self._beyond: set[int] = set()  #: allocations of which some was not noted
        self._gathered = Gatherer(self._note)

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space == "global" and batch.kind == "load":
            self._gathered.add(batch)

    def repeat(self, turn: Turn, times: int) -> None:
        for batch in turn.memory:
            if batch.space == "global" and batch.kind == "load":
                self._note(batch, turn.steps[batch.pc], times + 1)

    def _note(self, batch: MemoryBatch, step: int = 0, times: int = 1) -> None:
        row, lane = np.nonzero(batch.mask)
        first, region = batch.offset[row, lane].astype(np.int64), batch.region[row, lane]
        for number in np.unique(region).tolist():
            self._of.setdefault(batch.pc, set()).add(number)
            mine = region == number
            here = first[mine][:, None] + np.arange(batch.size)
            block = np.broadcast_to(batch.block[row][mine][:, None], here.shape)
            last = here + step * (times - 1)
            inside = (np.minimum(here, last) >= 0) & (np.maximum(here, last) < self._width)
            if not inside.all():
                self._beyond.add(number)
                continue
            noted = self._touched.setdefault(number, TouchedWords(self._blocks, self._width))
            if step and times > 1:
                noted.add_runs(block.reshape(-1), here.reshape(-1), step, times)
            else:
                noted.add(block, here)

    def finish(self) -> None:
        self._gathered.flush()

    def keeps(self, pcs: Iterable[int]) -> bool:
        """Whether L1 holds all that its blocks load, and they use what these instructions touch."""
        return self._fits and all(self._used(pc) >= _USED for pc in pcs)

    @property
    def _fits(self) -> bool:
        """Whether L1 holds the lines of as many blocks as a multiprocessor may."""
        setting, arch = self._setting, self._setting.arch
        if self._beyond or arch.l1 is None or not arch.l1.unified_with_shared:
            return False
        found = sum(each.grains(LINE) for each in self._touched.values())
        taken = LINE * int(np.max(found, initial=0)) + setting.shared_bytes
        blocks = min(arch.max_blocks_per_sm, arch.max_warps_per_sm // setting.warps)
        if setting.shared_bytes:
            blocks = min(blocks, max(1, arch.shared_per_sm // setting.shared_bytes))
        return blocks * taken <= arch.l1.unified_with_shared

    def _used(self, pc: int) -> float:
        """Of the sectors that blocks touch of an instruction's allocations, the share they use."""
        mine = [self.sizes[each] for each in self._of.get(pc, ())]
        return sum(used for used, _ in mine) / max(1, SECTOR * sum(sectors for _, sectors in mine))

    @lazy
    def sizes(self) -> dict[int, tuple[int, int]]:
        """By allocation, the different bytes that blocks load and the sectors that hold them."""
        return {
            number: (each.distinct, int(each.grains(SECTOR).sum()))
            for number, each in self._touched.items()
        }
