"""BlockReuse: how often the threads of a block load the same bytes of global memory again."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.sim import coalescing
from perflint.sim.cache_trace import address_sums
from perflint.sim.trace import MemoryBatch, Metric, Setting, Tracing
from perflint.sim.tracers.gathering import Gatherer

WORD = 4  #: bytes that are told apart
#: Blocks that are looked at, of those that run: what one loads again, the others do as well.
BLOCKS = 2
#: Words of an allocation in which they are: 64 MB. Memory is taken only for what is touched.
_MOST = 1 << 24


class BlockReuse(Tracing):
    """Counts the bytes that a block's loads ask for, and the distinct ones among them.

    A request counts each word once, however many of its lanes want it. A request for the same words
    as at the warp's last visit of an instruction asks for nothing new: who reloads a value, in a
    loop or by another instruction, shares it with nobody.
    """

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self.blocks = min(BLOCKS, len(setting.blocks))
        self._touched: dict[int, np.ndarray] = {}
        self._end: dict[int, int] = {}
        #: by load (its number in `_number`, by pc) and warp: what it asked for at its last visit
        self._last = np.zeros((8, self.blocks * setting.warps), np.int64)
        self._number: dict[int, int] = {}
        #: bytes that loads ask for, by instruction (pc), summed over `blocks`
        self.requested: dict[int, int] = {}
        self.regions: dict[int, int] = {}  #: the allocation that an instruction loads from
        #: distinct bytes that blocks load from each allocation, summed over blocks; once finished
        self.distinct: dict[int, int] = {}
        self.total = 0  #: bytes that all accesses to global memory ask for
        self.far: set[int] = set()  #: allocations of which blocks touch too much to be told

        self._gatherer = Gatherer(self._count)

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space == "global":
            rows = int(np.searchsorted(batch.block, self.blocks))  # ascending, as lanes are
            if rows:
                some = batch.head(rows)
                self._gatherer.add(some, self._repeats(some))

    def _count(self, batch: MemoryBatch, repeats: np.ndarray) -> None:
        words = coalescing.distinct_granules(batch.mask, batch.offset, batch.size, WORD)
        if batch.kind == "load":
            words = np.where(repeats, 0, words)
            self._mark(batch)
            found = self.requested.get(batch.pc, 0)
            self.requested[batch.pc] = found + WORD * int(words.sum())
        self.total += WORD * int(words.sum())

    def _repeats(self, batch: MemoryBatch) -> np.ndarray:
        """Which requests ask for what their warp asked for at its last visit, (n,) bool."""
        warps = self._setting.warps
        row = batch.block.astype(np.int64) * warps + batch.warp
        if batch.kind != "load":
            return np.zeros(len(row), bool)
        wanted = address_sums(batch.mask, batch.region, batch.offset, batch.size)
        same: np.ndarray = np.any(self._last[: len(self._number), row] == wanted, axis=0)
        number = self._number.setdefault(batch.pc, len(self._number))
        if number == len(self._last):
            self._last = np.concatenate([self._last, np.zeros_like(self._last)])
        self._last[number, row] = wanted
        return same

    def _mark(self, batch: MemoryBatch) -> None:
        """Note the words that a batch loads."""
        request, lane = np.nonzero(batch.mask)
        if not len(request):
            return
        region = batch.region[request, lane]
        block = batch.block[request]
        first = batch.offset[request, lane] // WORD
        last = (batch.offset[request, lane] + batch.size - 1) // WORD
        self.regions[batch.pc] = int(region[0])
        same = bool((region == region[0]).all())
        for number in (int(region[0]),) if same else np.unique(region).tolist():
            mine = slice(None) if same else region == number
            low, high = int(first[mine].min()), int(last[mine].max())
            if low < 0 or high >= _MOST:
                self.far.add(number)
                continue
            image = self._touched.get(number)
            if image is None:
                shape = (self.blocks, _MOST)
                image = self._touched[number] = np.zeros(shape, bool)
            self._end[number] = max(self._end.get(number, 0), high + 1)
            for step in range((batch.size + WORD - 2) // WORD + 1):
                image[block[mine], np.minimum(first[mine] + step, last[mine])] = True

    def finish(self) -> None:
        self._gatherer.flush()
        self.distinct = {
            region: WORD * int(np.count_nonzero(image[:, : self._end[region]]))
            for region, image in self._touched.items()
        }
        self._touched.clear()
        self._last = self._last[:0]

    def metrics(self) -> Mapping[str, Metric]:
        asked, distinct = sum(self.requested.values()), sum(self.distinct.values())
        return {"loads per distinct byte of a block": asked / distinct if distinct else 0.0}
