"""BlockReuse: how often the threads of a block load the same bytes of global memory again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from perflint.base.records import dataclass
from perflint.sim import coalescing
from perflint.sim.affine_trace import AffineBatch, moved
from perflint.sim.cache_trace import address_sums, address_weights
from perflint.sim.lazy import lazy
from perflint.sim.trace import MemoryBatch, Metric, Setting, Tracing, Turn
from perflint.sim.tracers.request_buffer import Gatherer, SeriesGatherer
from perflint.sim.tracers.touched_words import TouchedWords, words_told
from perflint.sim.unique_values import unique_values

WORD = 4  #: bytes that are told apart
_WIDE = 44  #: words are numbered by fewer bits, below 0 as well
_ALL = (1 << 64) - 1
_NOW = np.zeros(1, np.uint64)
#: Requests of turns that are alike that are looked at together.
_AT_ONCE = 1 << 19


def _words(offset: np.ndarray, size: int) -> np.ndarray:
    """The words that accesses at byte offsets (n,) lie in, (n, k); the last one where fewer do."""
    spread = np.arange((size + WORD - 2) // WORD + 1)
    last = (offset + size - 1) // WORD
    return np.asarray(np.minimum(offset[:, None] // WORD + spread, last[:, None]))


class _Series:
    """Loads or stores of some warps that differ in nothing but where they begin."""

    def __init__(self, first: MemoryBatch, warps: int) -> None:
        """Blocks have so many warps."""
        self.first, self.kind, self.pc = first, first.kind, first.pc
        self.begin = _origin(first)
        self.row = first.block.astype(np.int64) * warps + first.warp
        self._sums = address_sums(first.mask, first.region, first.offset, first.size)
        self._lanes = address_weights(first.mask)
        self.words = coalescing.distinct_granules(first.mask, first.offset, first.size, WORD)
        self.total = int(self.words.sum())
        self.origins: list[int] = []  #: of those whose words are still to be noted

    def wanted(self, origin: int, step: int = 0, turns: np.ndarray = _NOW) -> np.ndarray:
        """`address_sums` of the requests that begin elsewhere, and so many steps on, (t, n)."""
        away = np.uint64((origin - self.begin) & _ALL) + np.uint64(step & _ALL) * turns
        sums = self._sums.view(np.uint64) + self._lanes * away[:, None]
        return np.asarray(sums.view(np.int64))

    @lazy
    def number(self) -> int | None:
        """The region they load from; None if there are several."""
        regions = self.first.region[self.first.mask]
        return int(regions[0]) if len(regions) and (regions == regions[0]).all() else None

    @lazy
    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """The block and the word of each word that they load, each once, both (n,)."""
        some = self.first
        request, lane = np.nonzero(some.mask)
        word = _words(some.offset[request, lane], some.size)
        both = (some.block[request].astype(np.int64) << _WIDE)[:, None] + word
        both = unique_values(both.reshape(-1))
        block = (both + (1 << _WIDE - 1)) >> _WIDE
        return block, both - (block << _WIDE)


def _origin(batch: MemoryBatch) -> int:
    """Where a batch begins, as far as it has one place to begin at."""
    return batch.origin if isinstance(batch, AffineBatch) else 0


#: Requests that differ by their beginning alone whose words are noted at once.
_MANY = 64


@dataclass(frozen=True, eq=False)
class _Further:
    """A load of a turn that is repeated: where it begins, and the bytes that it moves on by."""

    series: _Series
    origin: int
    step: int


class BlockReuse(Tracing):
    """Counts the bytes that a block's loads ask for, and the distinct ones among them.

    A request counts each word once, however many of its lanes want it. A request for the same words
    as at the warp's last visit of an instruction asks for nothing new: who reloads a value, in a
    loop or by another instruction, shares it with nobody.
    """

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._blocks = len(setting.blocks)
        self._touched: dict[int, TouchedWords] = {}
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
        same = self._again(series.pc, series.row, series.wanted(origin)[0])
        words = series.total
        if same.any():
            words = int(series.words[~same].sum())
        self.requested[series.pc] = self.requested.get(series.pc, 0) + WORD * words
        self.total += WORD * words
        if series.number is not None:
            self.regions[series.pc] = series.number
        if not same.all():
            series.origins.append(origin)
            if len(series.origins) >= _MANY:
                self._note(series)

    def _note(self, series: _Series) -> None:
        """Note the words that requests of a series load."""
        block, word = series.places
        if series.number is not None and series.origins:
            away = (np.array(series.origins) - series.begin) // WORD
            places = word + away[:, None]
            self._mark_words(series.number, np.broadcast_to(block, places.shape), places)
        series.origins.clear()

    def repeat(self, turn: Turn, times: int) -> None:
        accesses = [each for each in turn.memory if each.space == "global"]
        series = [
            self._series.of(each, WORD)
            if isinstance(each, AffineBatch)
            else _Series(each, self._setting.warps)
            for each in accesses
        ]
        plain = all(turn.steps[each.pc] % WORD == 0 for each in accesses) and all(
            each.number is not None and np.array_equal(each.row, series[0].row) for each in series
        )
        if not plain:
            for n in range(1, times + 1):
                for each in accesses:
                    self.memory(moved(each, n * turn.steps[each.pc]))
            return
        loads = []
        for each, own in zip(accesses, series, strict=True):
            if each.kind == "load":
                loads.append(_Further(own, _origin(each), turn.steps[each.pc]))
            else:
                self.total += times * WORD * own.total
        if loads:
            self._repeat_loads(loads, times)

    def _repeat_loads(self, loads: Sequence[_Further], times: int) -> None:
        """Count the loads of a turn so many times more, each time further."""
        row = loads[0].series.row
        own = [self._number[each.series.pc] for each in loads]
        others = [self._last[n, row] for n in range(len(self._number)) if n not in own]
        most = max(1, _AT_ONCE // (len(row) * len(loads)))
        for first in range(1, times + 1, most):
            turns = np.arange(first, min(first + most, times + 1), dtype=np.uint64)
            wanted = [each.series.wanted(each.origin, each.step, turns) for each in loads]
            before = [
                np.concatenate([self._last[n, row][None], each[:-1]])
                for n, each in zip(own, wanted, strict=True)
            ]
            for k, each in enumerate(loads):
                visits = [*others, *wanted[:k], *before[k:]]
                same = np.logical_or.reduce([wanted[k] == visit for visit in visits])
                again = int((same * each.series.words).sum())
                asked = WORD * (len(turns) * each.series.total - again)
                self.requested[each.series.pc] = self.requested.get(each.series.pc, 0) + asked
                self.total += asked
            for n, sums in zip(own, wanted, strict=True):
                self._last[n, row] = sums[-1]
        for each in loads:
            self._mark_further(each, times)

    def _mark_further(self, load: _Further, times: int) -> None:
        """Note the words that a load loads so many times more."""
        series, step = load.series, load.step // WORD
        block, word = series.places
        assert series.number is not None
        word = word + (load.origin + load.step - series.begin) // WORD
        if step == 0:
            self._mark_words(series.number, block, word)
            return
        last = word + step * (times - 1)
        low, high = np.minimum(word, last), np.maximum(word, last)
        if (touched := self._near(series.number, int(low.min()), int(high.max()))) is not None:
            touched.add_runs(block, word, step, times)

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
        for number in (int(region[0]),) if same else unique_values(region).tolist():
            mine = slice(None) if same else region == number
            places = np.broadcast_to(block[mine, None], words[mine].shape)
            self._mark_words(number, places, words[mine])

    def _mark_words(self, number: int, block: np.ndarray, words: np.ndarray) -> None:
        touched = self._near(number, int(words.min()), int(words.max()))
        if touched is not None:
            touched.add(block, words)

    def _near(self, number: int, low: int, high: int) -> TouchedWords | None:
        """Where a region's words from `low` to `high` are noted; None if they are too far."""
        if low < 0 or high >= words_told(self._blocks):
            self.far.add(number)
            return None
        if number not in self._touched:
            self._touched[number] = TouchedWords(self._blocks)
        return self._touched[number]

    def finish(self) -> None:
        self._gatherer.flush()
        for series in self._series:
            self._note(series)
        self.distinct = {
            region: WORD * touched.distinct
            for region, touched in self._touched.items()
            if region not in self.far
        }
        self._touched.clear()
        self._last = self._last[:0]

    def metrics(self) -> Mapping[str, Metric]:
        asked, distinct = sum(self.requested.values()), sum(self.distinct.values())
        return {"loads per distinct byte of a block": asked / distinct if distinct else 0.0}
