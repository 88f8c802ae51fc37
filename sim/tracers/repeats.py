"""Repeats: how often each warp asks for the same bytes again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perflint.sim.affine_trace import AffineBatch
from perflint.sim.cache_trace import address_sums, address_weights
from perflint.sim.lazy import lazy
from perflint.sim.trace import MemoryBatch, Setting, Tracing, Turn
from perflint.sim.tracers.request_buffer import SeriesGatherer

WARP = 32
_REGION = 40  #: a region's offsets are below 2^40
_HERE = np.zeros(1, np.int64)


class _Series:
    """Requests of some warps that differ in nothing but where they begin."""

    def __init__(self, first: MemoryBatch, warps: int) -> None:
        """Blocks have so many warps."""
        self.pc = first.pc
        self.begin = first.origin if isinstance(first, AffineBatch) else 0
        self.away: list[np.ndarray] = []  #: bytes from the first: int64, one for each time
        self.whole = bool(first.mask.all())
        self._mask = first.mask
        self._warp = first.block.astype(np.int64) * warps + first.warp
        self._sums = address_sums(first.mask, first.region, first.offset, first.size)
        if not self.whole:
            row, lane = np.nonzero(first.mask)
            self._thread = self._warp[row] * WARP + lane
            self._place = first.region[row, lane].astype(np.int64) << _REGION
            self._place += first.offset[row, lane]

    @lazy
    def _times(self) -> np.ndarray:
        return np.concatenate(self.away)[:, None]

    def requests(self) -> tuple[np.ndarray, np.ndarray]:
        """The warp and the addresses (as `address_sums`) of each request."""
        grown = self._sums.view(np.uint64)
        if self._times.any():
            grown = grown + address_weights(self._mask) * self._times.view(np.uint64)
        return _beside(self._warp, np.asarray(grown).view(np.int64), len(self._times))

    def lanes(self) -> tuple[np.ndarray, np.ndarray]:
        """The thread and the address of each lane that took part in one."""
        return _beside(self._thread, self._place + self._times, len(self._times))


def _beside(who: np.ndarray, what: np.ndarray, times: int) -> tuple[np.ndarray, np.ndarray]:
    """Both as columns: those who (n,) each of so many times, and what they wanted then."""
    shape = (times, len(who))
    return np.broadcast_to(who, shape).reshape(-1), np.broadcast_to(what, shape).reshape(-1)


class Repeats(Tracing):
    """Counts requests to global memory, and the different ones of each warp."""

    patient = True  #: an outer loop brings addresses back only after all turns of the inner ones

    def begin(self, setting: Setting) -> None:
        self._warps = setting.warps
        self._affine = SeriesGatherer(self._made)
        self._series: dict[int, list[_Series]] = {}  #: by instruction (pc)
        self.requests = 0  #: to global memory, of all instructions

    def _made(self, first: MemoryBatch) -> _Series:
        series = _Series(first, self._warps)
        self._series.setdefault(first.pc, []).append(series)
        return series

    def memory(self, batch: MemoryBatch, away: np.ndarray = _HERE) -> None:
        if batch.space != "global" or batch.kind == "atomic":
            return
        if isinstance(batch, AffineBatch):
            series = self._affine.of(batch)
            away = away + (batch.origin - series.begin)
        else:
            series = self._made(batch)
        series.away.append(away)
        self.requests += len(away) * batch.rows

    def repeat(self, turn: Turn, times: int) -> None:
        for batch in turn.memory:
            self.memory(batch, np.arange(1, times + 1) * turn.steps[batch.pc])

    def of(self, pcs: Sequence[int]) -> tuple[int, int]:
        """(requests, different ones: warp, lanes and addresses) of some instructions together.

        Where other lanes take part each time, as many as each lane alone has different addresses.
        """
        found = [series for pc in pcs for series in self._series.get(pc, ())]
        if not found:
            return 0, 0
        requests, different = _different([series.requests() for series in found])
        if not any(series.whole for series in found):
            lanes, alone = _different([series.lanes() for series in found])
            different = min(different, max(1, round(requests * alone / lanes)))
        return requests, different


def _different(parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[int, int]:
    """How many rows there are, and how many different ones."""
    first, second = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    new = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    return len(first), int(np.count_nonzero(new)) + bool(len(first))
