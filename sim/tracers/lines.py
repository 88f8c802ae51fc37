"""Lines: the 128-byte lines that requests to global memory touch, and those that blocks share.

A line has one tag in L1: a request looks up one for each line that it touches, however many of the
line's sectors it moves.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.base.records import dataclass
from perflint.sim import coalescing
from perflint.sim.affine_trace import AffineBatch
from perflint.sim.coalescing import LINE
from perflint.sim.trace import MemoryBatch, Metric, Setting, Tracing
from perflint.sim.tracers.memory import apart
from perflint.sim.tracers.request_buffer import Gatherer, SeriesGatherer

#: Lines that are kept before equal ones are dropped.
_MOST_WAITING = 1 << 18
#: Of a key the bits below the line: the block.
_BLOCK = 12


@dataclass(frozen=True, eq=False)
class _Cost:
    """What requests take, and the lines that their blocks touch by them."""

    requests: int
    sectors: int
    lines: int
    touched: np.ndarray  #: (m,) int64: region, line, block; some more than once


class _Series:
    """Requests that begin at other lines, and are else those of the first batch."""

    def __init__(self, first: AffineBatch) -> None:
        self.first = first
        self.origins: list[int] = []  #: of those that are still to be counted


class Lines(Tracing):
    """Counts requests to global memory, their sectors and lines, and the lines of each block."""

    def begin(self, setting: Setting) -> None:
        self.requests = self.sectors = self.lines = 0
        self._touched: list[np.ndarray] = []
        self._waiting = 0  #: touched lines that were not merged yet
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
        if self._waiting > _MOST_WAITING:
            self._merge()

    def _take(self, series: _Series) -> None:
        """Count the requests of a series."""
        cost = _cost(series.first)
        self._add(cost, len(series.origins))
        touched = np.unique(cost.touched)
        away = np.unique(np.array(series.origins) - series.first.origin) // LINE << _BLOCK
        some = max(1, _MOST_WAITING // max(1, len(touched)))
        for start in range(0, len(away), some):
            self._touch((touched + away[start : start + some, None]).reshape(-1))

    def _merge(self) -> None:
        self._touched = [np.unique(np.concatenate(self._touched))]
        self._waiting = 0

    def finish(self) -> None:
        self._gatherer.flush()
        for series in self._series:
            self._take(series)
        if self._touched:
            self._merge()
            self.footprint = len(self._touched[0])
            self.different = len(np.unique(self._touched[0] >> _BLOCK))

    def metrics(self) -> Mapping[str, Metric]:
        return {"lines": self.lines, "lines of blocks": self.footprint}


def _cost(batch: MemoryBatch) -> _Cost:
    """What the requests of a batch take."""
    offset = apart(batch)
    line = (batch.region.astype(np.int64) << 36) + (batch.offset >> 7)
    keyed = (line << _BLOCK) + (batch.block[:, None] & (1 << _BLOCK) - 1)
    first = batch.mask.copy()  # lanes that touch another line than the lane before
    first[:, 1:] &= (keyed[:, 1:] != keyed[:, :-1]) | ~batch.mask[:, :-1]
    return _Cost(
        len(batch.warp),
        int(coalescing.sectors(batch.mask, offset, batch.size).sum()),
        int(coalescing.lines(batch.mask, offset, batch.size).sum()),
        keyed[first],
    )
