"""Residencies: which sectors L1 brings to each block, and how much of each is used while it stays.

A sector that a block loads stays until the block has loaded from as many lines since as its part of
L1 holds. What of it the block's threads use until then, by whichever instruction, is not brought
in vain, however the requests are scattered. Stores are L2's, request by request.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from perflint.sim.affine_trace import moved
from perflint.sim.coalescing import LINE, SECTOR
from perflint.sim.lazy import lazy
from perflint.sim.trace import MemoryBatch, Setting, Tracing, Turn
from perflint.sim.unique_values import unique_values

#: Lanes' accesses that are noted: more than those of some blocks' thousand requests a warp.
MOST = 1 << 22
#: Turns of a loop, all alike, of which each is noted: words of several sectors.
TURNS = 32
_LINES = LINE // SECTOR


class Residencies(Tracing):
    """Notes which bytes of which sectors each request touches, and when."""

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._noted: list[tuple[np.ndarray, ...]] = []
        self._lanes = 0
        self._turn = 0  #: turns that stand for others are at later times, too

    def memory(self, batch: MemoryBatch) -> None:
        self._note(batch, batch.order + self._turn, 1.0)

    def repeat(self, turn: Turn, times: int) -> None:
        noted = min(times, TURNS)
        for number in range(1, noted + 1):
            self._turn += 1 + max((batch.order for batch in turn.memory), default=0)
            for batch in turn.memory:
                at = batch.order + self._turn
                self._note(moved(batch, number * turn.steps[batch.pc]), at, times / noted)

    def _note(self, batch: MemoryBatch, at: int, times: float) -> None:
        if batch.space != "global" or batch.kind != "load" or self._lanes > MOST:
            return
        row, lane = np.nonzero(batch.mask)
        if not len(row):
            return
        self._lanes += len(row)
        offset, region = batch.offset[row, lane].astype(np.int64), batch.region[row, lane]
        sector = (region.astype(np.int64) << 40) + (offset >> 5)
        begins = (offset & (SECTOR - 1)).astype(np.uint64)
        touched = np.uint64((1 << batch.size) - 1) << begins
        order = np.lexsort((sector, row))
        row, sector = row[order], sector[order]
        first = np.flatnonzero(np.r_[True, (row[1:] != row[:-1]) | (sector[1:] != sector[:-1])])
        block, used = batch.block[row[first]], np.bitwise_or.reduceat(touched[order], first)
        alike = (np.full(len(first), each) for each in (at, batch.pc, times))
        self._noted.append((block.astype(np.int64), sector[first], used, *alike))

    @property
    def noted_all(self) -> bool:
        """Whether all accesses of the run were noted."""
        return self._lanes <= MOST

    @property
    def _capacity(self) -> int:
        """Lines of L1 that a block has, beside as many as a multiprocessor holds at a time."""
        setting, arch = self._setting, self._setting.arch
        size = arch.l1.unified_with_shared if arch.l1 is not None else 0
        blocks = min(arch.max_blocks_per_sm, arch.max_warps_per_sm // setting.warps)
        if setting.shared_bytes:
            blocks = min(blocks, max(1, arch.shared_per_sm // setting.shared_bytes))
        return max(0, (size or 0) - blocks * setting.shared_bytes) // blocks // LINE

    @lazy
    def _stays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Of each touch its instruction and residency; of each residency bytes used and weight."""
        none = np.zeros(0, np.int64)
        if not self._noted:
            return none, none, none, none
        block, sector, used, at, pc, times = map(np.concatenate, zip(*self._noted, strict=True))
        passed = self._lines_before(block, at, sector // _LINES)
        order = np.lexsort((at, sector, block))
        block, sector, pc, used = block[order], sector[order], pc[order], used[order]
        passed = passed[order]
        anew = np.r_[True, (block[1:] != block[:-1]) | (sector[1:] != sector[:-1])]
        anew[1:] |= np.diff(passed) > self._capacity
        first = np.flatnonzero(anew)
        held = np.bitwise_or.reduceat(used, first) & np.uint64(0xFFFFFFFF)
        bits = np.unpackbits(held.astype("<u4").view(np.uint8).reshape(-1, 4), axis=1)
        return pc, np.cumsum(anew) - 1, bits.sum(axis=1, dtype=np.int64), times[order][first]

    @staticmethod
    def _lines_before(block: np.ndarray, at: np.ndarray, line: np.ndarray) -> np.ndarray:
        """How many lines its block has touched before the time of each touch, each again."""
        order = np.lexsort((line, at, block))
        block, at, line = block[order], at[order], line[order]
        moment = np.r_[True, (block[1:] != block[:-1]) | (at[1:] != at[:-1])]
        total = np.cumsum(moment | np.r_[True, line[1:] != line[:-1]])
        before = np.empty_like(total)
        before[order] = (total[moment] - 1)[np.cumsum(moment) - 1]
        return before

    def of(self, pcs: Iterable[int]) -> tuple[float, float]:
        """Sectors that these instructions touch, once each stay, and what nobody uses of them."""
        pc, stay, used, times = self._stays
        mine = unique_values(stay[np.isin(pc, list(pcs))])
        brought, vain = times[mine], times[mine] * (SECTOR - used[mine]) / SECTOR
        return float(brought.sum()), float(vain.sum())
