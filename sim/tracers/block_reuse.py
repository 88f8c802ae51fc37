"""BlockReuse: how often the threads of a block load the same bytes of global memory again."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.sim import coalescing
from perflint.sim.affine_trace import AffineBatch
from perflint.sim.cache_trace import address_sums, address_weights
from perflint.sim.lazy import lazy
from perflint.sim.trace import MemoryBatch, Metric, Setting, Tracing
from perflint.sim.tracers.gathering import Gatherer, SeriesGatherer

WORD = 4  #: bytes that are told apart
#: Words of an allocation in which they are: 64 MB. Memory is taken only for what is touched.
_MOST = 1 << 24


def _words(offset: np.ndarray, size: int) -> np.ndarray:
    """The words that accesses at byte offsets (n,) lie in, (n, k); the last one where fewer do."""
    spread = np.arange((size + WORD - 2) // WORD + 1)
    last = (offset + size - 1) // WORD
    return np.asarray(np.minimum(offset[:, None] // WORD + spread, last[:, None]))


class _Series:
    """Loads or stores of some warps that differ in nothing but where they begin."""

    def __init__(self, first: AffineBatch, warps: int) -> None:
        """Blocks have so many warps."""
        self.first, self.kind, self.pc = first, first.kind, first.pc
        self.row = first.block.astype(np.int64) * warps + first.warp
        self._sums = address_sums(first.mask, first.region, first.offset, first.size)
        self._lanes = address_weights(first.mask)
        self.words = coalescing.distinct_granules(first.mask, first.offset, first.size, WORD)
        self.total = int(self.words.sum())
        self.origins: list[int] = []  #: of those whose words are still to be noted

    def wanted(self, origin: int) -> np.ndarray:
        """`address_sums` of the requests that begin elsewhere."""
        away = np.uint64((origin - self.first.origin) & 0xFFFFFFFFFFFFFFFF)
        return (self._sums.view(np.uint64) + self._lanes * away).view(np.int64)

    @lazy
    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """The block and the word of each word that they load, each once, both (n,)."""
        some = self.first
        request, lane = np.nonzero(some.mask)
        word = _words(some.offset[request, lane], some.size)
        block = np.broadcast_to(some.block[request][:, None], word.shape)
        both = np.unique(np.stack((block.reshape(-1), word.reshape(-1)), axis=1), axis=0)
        return both[:, 0], both[:, 1]


#: Requests that differ by their beginning alone whose words are noted at once.
_MANY = 64


class BlockReuse(Tracing):
    """Counts the bytes that a block's loads ask for, and the distinct ones among them.

    A request counts each word once, however many of its lanes want it. A request for the same words
    as at the warp's last visit of an instruction asks for nothing new: who reloads a value, in a
    loop or by another instruction, shares it with nobody.
    """

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._blocks = len(setting.blocks)
        self._touched: dict[int, np.ndarray] = {}
        self._end: dict[int, int] = {}
        #: by load (its number in `_number`, by pc) and warp: what it asked for at its last visit
        self._last = np.zeros((8, self._blocks * setting.warps), np.int64)
        self._number: dict[int, int] = {}
        #: bytes that loads ask for, by instruction (pc), summed over the simulated blocks
        self.requested: dict[int, int] = {}
        self.regions: dict[int, int] = {}  #: the allocation that an instruction loads from
        #: distinct bytes that blocks load from each allocation, summed over blocks; once finished
        self.distinct: dict[int, int] = {}
        self.total = 0  #: bytes that all accesses to global memory ask for
        self.far: set[int] = set()  #: allocations of which blocks touch too much to be told

        self._gatherer = Gatherer(self._count)
        self._series = SeriesGatherer(lambda first: _Series(first, setting.warps))

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space != "global":
            return
        if isinstance(batch, AffineBatch):
            self._take(self._series.of(batch, WORD), batch.origin)
        else:
            self._gatherer.add(batch, self._repeats(batch))

    def _take(self, series: _Series, origin: int) -> None:
        if series.kind != "load":
            self.total += WORD * series.total
            return
        same = self._again(series.pc, series.row, series.wanted(origin))
        words = series.total
        if same.any():
            words = int(series.words[~same].sum())
        self.requested[series.pc] = self.requested.get(series.pc, 0) + WORD * words
        self.total += WORD * words
        if series.total:
            self.regions[series.pc] = series.first.number
        if not same.all():
            series.origins.append(origin)
            if len(series.origins) >= _MANY:
                self._note(series)

    def _note(self, series: _Series) -> None:
        """Note the words that requests of a series load."""
        block, word = series.places
        if len(word) and series.origins:
            away = (np.array(series.origins) - series.first.origin) // WORD
            places = word + away[:, None]
            self._mark_words(series.first.number, np.broadcast_to(block, places.shape), places)
        series.origins.clear()

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
        return self._again(batch.pc, row, wanted)

    def _again(self, pc: int, row: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Which of the warps' requests are those of their last visit of some load, (n,) bool."""
        same: np.ndarray = np.any(self._last[: len(self._number), row] == wanted, axis=0)
        number = self._number.setdefault(pc, len(self._number))
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
        words = _words(batch.offset[request, lane], batch.size)
        self.regions[batch.pc] = int(region[0])
        same = bool((region == region[0]).all())
        for number in (int(region[0]),) if same else np.unique(region).tolist():
            mine = slice(None) if same else region == number
            places = np.broadcast_to(block[mine, None], words[mine].shape)
            self._mark_words(number, places, words[mine])

    def _mark_words(self, number: int, block: np.ndarray, words: np.ndarray) -> None:
        low, high = int(words.min()), int(words.max())
        if low < 0 or high >= _MOST:
            self.far.add(number)
            return
        image = self._touched.get(number)
        if image is None:
            image = self._touched[number] = np.zeros((self._blocks, _MOST), bool)
        self._end[number] = max(self._end.get(number, 0), high + 1)
        image[block, words] = True

    def finish(self) -> None:
        self._gatherer.flush()
        for series in self._series:
            self._note(series)
        self.distinct = {
            region: WORD * int(np.count_nonzero(image[:, : self._end[region]]))
            for region, image in self._touched.items()
        }
        self._touched.clear()
        self._last = self._last[:0]

    def metrics(self) -> Mapping[str, Metric]:
        asked, distinct = sum(self.requested.values()), sum(self.distinct.values())
        return {"loads per distinct byte of a block": asked / distinct if distinct else 0.0}
