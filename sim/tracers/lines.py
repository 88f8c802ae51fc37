"""Lines: the 128-byte lines that requests to global memory touch, and those that blocks share.

A line has one tag in L1: a request looks up one for each line that it touches, however many of the
line's sectors it moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

import numpy as np

from perflint.base.records import dataclass
from perflint.sim import coalescing
from perflint.sim.affine_trace import AffineBatch, moved
from perflint.sim.coalescing import LINE
from perflint.sim.lazy import lazy
from perflint.sim.trace import MemoryBatch, Metric, Setting, Tracing, Turn
from perflint.sim.tracers.memory import apart
from perflint.sim.tracers.request_buffer import Gatherer, SeriesGatherer
from perflint.sim.tracers.touched_words import TouchedWords
from perflint.sim.unique_values import unique_values

#: Lines that are kept at least before equal ones are dropped.
_MOST_WAITING = 1 << 18
#: Bytes of a drawing of a region's lines, one for each line and block.
_MOST_DRAWN = 1 << 27
#: Of a key the bits below the line: the block; and those below the region.
_BLOCK, _LINES = 12, 36
_NO_KEYS = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class _Cost:
    """What requests take, and the lines that their blocks touch by them."""

    requests: int
    sectors: int
    lines: int
    touched: np.ndarray  #: (m,) int64: region, line, block; some more than once

    @lazy
    def keys(self) -> np.ndarray:
        """What is touched, each once."""
        return unique_values(self.touched)


class _Series:
    """Requests that begin at other lines, and are else those of the first batch."""

    def __init__(self, first: AffineBatch) -> None:
        self.first = first
        self.origins: list[int] = []  #: of those that are still to be counted

    @lazy
    def cost(self) -> _Cost:
        return _cost(self.first)


class Lines(Tracing):
    """Counts requests to global memory, their sectors and lines, and the lines of each block."""

    def begin(self, setting: Setting) -> None:
        self.requests = self.sectors = self.lines = 0
        self._blocks = len(setting.blocks)
        self._sizes = {each.region: each.size or 0 for each in setting.allocations}
        self._touched: list[np.ndarray] = []
        self._drawn: dict[int, TouchedWords] = {}  #: by region: lines of turns that are repeated
        self._merged = 0  #: touched lines, each once
        self._waiting = 0  #: … and those that were not merged yet: to sort is dear
        self.footprint = 0  #: different lines of a block, summed over blocks; once finished
        self.different = 0  #: lines of all blocks, each once

        self._gatherer = Gatherer(self._count)
        self._series = SeriesGatherer(_Series)

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space != "global":
            return
        if isinstance(batch, AffineBatch):
            self._series.of(batch, LINE).origins.append(batch.origin)
        else:
            self._gatherer.add(batch)

    def repeat(self, turn: Turn, times: int) -> None:
        for batch in turn.memory:
            if batch.space != "global":
                continue
            step = turn.steps[batch.pc]
            period = LINE // gcd(step, LINE)  # after so many turns requests lie as they did before
            short = 0 < abs(step) < LINE
            for first in range(1, min(period, times) + 1):
                further = moved(batch, first * step)
                some = (times - first) // period + 1
                if isinstance(further, AffineBatch):
                    series = self._series.of(further, LINE)
                    cost, away = series.cost, (further.origin - series.first.origin) // LINE
                else:
                    cost, away = _cost(further), 0
                self._add(cost, some)
                if not short:
                    self._touch_on(cost.keys + (away << _BLOCK), period * step // LINE, some)
            if short:
                self._touch_between(batch, *sorted((step, times * step)))

    def _touch_between(self, batch: MemoryBatch, low: int, high: int) -> None:
        """Note all lines from so many bytes further than a batch's to so many: none is skipped."""
        row, lane = np.nonzero(batch.mask)
        offset, region = batch.offset[row, lane], batch.region[row, lane]
        keys = _keys(region, offset + low, batch.block[row])
        more = (offset + high >> 7) - (offset + low >> 7)
        for each in unique_values(more).tolist():
            self._touch_on(unique_values(keys[more == each]), 1, each + 1)

    def _touch_on(self, keys: np.ndarray, step: int, times: int) -> None:
        """Note lines, and those so many lines on, `times` in all."""
        if not step or times == 1 or not len(keys):
            self._touch(keys)
            return
        block, line, region = _parts(keys)
        last = line + step * (times - 1)
        for number in unique_values(region).tolist():
            mine = region == number
            low, end = int(last[mine].min()), int(max(line[mine].max(), last[mine].max())) + 1
            drawing = self._drawing(number, end) if low >= 0 else None
            if drawing is not None:
                drawing.add_runs(block[mine], line[mine], step, times)
            else:
                self._touch_far(keys[mine], np.arange(times) * step)

    def _drawing(self, region: int, end: int) -> TouchedWords | None:
        """Where a region's lines up to an end are noted; None if they are too many to be drawn."""
        if region not in self._drawn:
            width = max(-(-self._sizes.get(region, 0) // LINE), 2 * end)
            if width * self._blocks > _MOST_DRAWN:
                return None
            self._drawn[region] = TouchedWords(self._blocks, width)
        found = self._drawn[region]
        return found if end <= found.width else None

    def _touch_far(self, keys: np.ndarray, away: np.ndarray) -> None:
        """Note lines that lie so many lines further than others."""
        some = max(1, _MOST_WAITING // max(1, len(keys)))
        for start in range(0, len(away), some):
            self._touch((keys + (away[start : start + some, None] << _BLOCK)).reshape(-1))

    def _count(self, batch: MemoryBatch) -> None:
        cost = _cost(batch)
        self._add(cost, 1)
        self._touch(cost.touched)

    def _add(self, cost: _Cost, times: int) -> None:
        self.requests += times * cost.requests
        self.sectors += times * cost.sectors
        self.lines += times * cost.lines

    def _touch(self, keys: np.ndarray) -> None:
        self._touched.append(keys)
        self._waiting += len(keys)
        if self._waiting > max(_MOST_WAITING, self._merged):
            self._merge()

    def _take(self, series: _Series) -> None:
        """Count the requests of a series."""
        self._add(series.cost, len(series.origins))
        away = np.array(series.origins, np.int64) - series.first.origin
        self._touch_far(series.cost.keys, unique_values(away) // LINE)

    def _merge(self) -> None:
        self._touched = [unique_values(np.concatenate([_NO_KEYS, *self._touched]))]
        self._waiting, self._merged = 0, len(self._touched[0])

    def finish(self) -> None:
        self._gatherer.flush()
        for series in self._series:
            self._take(series)
        if not self._touched and not self._drawn:
            return
        self._merge()
        listed = self._touched[0]
        for number, drawn in self._drawn.items():
            block, line, region = _parts(listed)
            here = (region == number) & (line < drawn.width)
            drawn.add(block[here], line[here])
            listed = listed[~here]
        drawings = self._drawn.values()
        self.footprint = len(listed) + sum(each.distinct for each in drawings)
        self.different = len(unique_values(listed >> _BLOCK)) + sum(
            each.different for each in drawings
        )
        self._touched.clear()
        self._drawn.clear()

    def metrics(self) -> Mapping[str, Metric]:
        return {"lines": self.lines, "lines of blocks": self.footprint}


def _keys(region: np.ndarray, offset: np.ndarray, block: np.ndarray) -> np.ndarray:
    """A number for the line of each byte offset and the block that touches it, int64."""
    line = (region.astype(np.int64) << _LINES) + (offset >> 7)
    return np.asarray((line << _BLOCK) + (block & (1 << _BLOCK) - 1))


def _parts(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The block, the line within its region, and the region of each key."""
    line = keys >> _BLOCK
    return keys & (1 << _BLOCK) - 1, line & (1 << _LINES) - 1, line >> _LINES


def _cost(batch: MemoryBatch) -> _Cost:
    """What the requests of a batch take."""
    offset = apart(batch)
    keyed = _keys(batch.region, batch.offset, batch.block[:, None])
    first = batch.mask.copy()  # lanes that touch another line than the lane before
    first[:, 1:] &= (keyed[:, 1:] != keyed[:, :-1]) | ~batch.mask[:, :-1]
    return _Cost(
        len(batch.warp),
        int(coalescing.sectors(batch.mask, offset, batch.size).sum()),
        int(coalescing.lines(batch.mask, offset, batch.size).sum()),
        keyed[first],
    )
