"""Footprints: what blocks touch of each allocation, in lines, in sectors and in bytes.

Where a block's lines fit into its part of L1 and its threads use, request by request, all bytes of
the sectors that they touch, memory brings no more than is used, however requests are scattered.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np

from perflint.sim.coalescing import LINE, SECTOR
from perflint.sim.lazy import lazy
from perflint.sim.trace import MemoryBatch, Setting, Tracing, Turn
from perflint.sim.tracers.request_buffer import Gatherer
from perflint.sim.tracers.touched_words import TouchedWords

#: Bytes of an allocation's beginning, times blocks, that are told apart: what lies beyond is far
#: more than L1 holds.
_MOST = 1 << 26
#: Of the sectors of an allocation, the share from which on all are used: halos leave some out.
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

    def wasted(self, pcs: Iterable[int]) -> float:
        """Sectors that memory brings for these instructions, once each, and nobody uses.

        Infinite where L1 may not hold all that its blocks load.
        """
        if not self._fits:
            return inf
        mine = {number for pc in pcs for number in self._of.get(pc, ())}
        sizes = [self.sizes[each] for each in mine]
        return sum(
            0.0 if used >= _USED * SECTOR * sectors else sectors - used / SECTOR
            for used, sectors in sizes
        )

    @property
    def _fits(self) -> bool:
        """Whether L1 holds the lines of as many blocks as a multiprocessor may.

        What all blocks load, as a table, it holds once.
        """
        setting, arch = self._setting, self._setting.arch
        if self._beyond or arch.l1 is None or not arch.l1.unified_with_shared:
            return False
        blocks = min(arch.max_blocks_per_sm, arch.max_warps_per_sm // setting.warps)
        if setting.shared_bytes:
            blocks = min(blocks, max(1, arch.shared_per_sm // setting.shared_bytes))
        taken = blocks * setting.shared_bytes
        for each in self._touched.values():
            most, different = each.grains(LINE)
            alone = self._blocks > 1 and different > most
            taken += LINE * most * (blocks if alone else 1)
        return taken <= arch.l1.unified_with_shared

    @lazy
    def sizes(self) -> dict[int, tuple[int, int]]:
        """By allocation, the different bytes that blocks load and the sectors that hold them."""
        return {
            number: (each.different, each.grains(SECTOR)[1])
            for number, each in self._touched.items()
        }
