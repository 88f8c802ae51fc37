"""Addresses: how many different ones the lanes of a request have, and how many lanes meet in one.

Constant loads are served one address after another, and atomics of one address one lane after
another: both are counted here by instruction, with the bytes that each instruction reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.accesses import Witness
from perflint.sim.affine_trace import AffineBatch
from perflint.sim.requests import distinct
from perflint.sim.trace import MemoryBatch, Setting, Tracing, Turn
from perflint.sim.tracers.request_buffer import Gatherer, SeriesGatherer
from perflint.sim.tracers.witnesses import witness
from perflint.sim.unique_values import unique_values

_NOWHERE = np.iinfo(np.int64).max  #: sorts behind every address
_REGION = 40  #: a region's offsets are below 2^40


@dataclass
class AddressCount:
    """One instruction's requests in one run."""

    space: str
    requests: int = 0
    lanes: int = 0
    addresses: int = 0  #: different ones, summed over requests
    meeting: int = 0  #: lanes at the request's most wanted address, summed over requests
    together: int = 0  #: requests whose active lanes, two or more, all had one address
    alone: int = 0  #: requests of a single lane
    first: int = _NOWHERE  #: the lowest byte offset that a lane reached in its region
    last: int = -1  #: the byte behind the highest one
    regions: frozenset[int] = frozenset()
    witness: Witness | None = None  #: the request with the most lanes at one address: how many
    scattered: Witness | None = None  #: the one with the most different addresses: how many


@dataclass(eq=False)
class _Series:
    """Requests that differ in nothing but where they begin."""

    first: AffineBatch
    low: int = 0  #: the least and the most bytes that one begins behind the first
    high: int = 0
    count: int = 0

    def take(self, first: int, last: int, times: int = 1) -> None:
        """So many more, that begin between two origins."""
        away = first - self.first.origin, last - self.first.origin
        self.low, self.high = min(self.low, *away), max(self.high, *away)
        self.count += times


class Addresses(Tracing):
    """Counts addresses and the lanes that share them."""

    def begin(self, setting: Setting) -> None:
        self._blocks = setting.blocks
        self.counts: dict[int, AddressCount] = {}
        self._gatherer = Gatherer(self._count)
        self._series = SeriesGatherer(_Series)

    def memory(self, batch: MemoryBatch) -> None:
        if isinstance(batch, AffineBatch):
            self._series.of(batch).take(batch.origin, batch.origin)
        else:
            self._gatherer.add(batch)

    def repeat(self, turn: Turn, times: int) -> None:
        for batch in turn.memory:
            step = turn.steps[batch.pc]
            if isinstance(batch, AffineBatch):
                self._series.of(batch).take(batch.origin + step, batch.origin + step * times, times)
            else:
                self._gatherer.flush()  # the first of equally bad requests is the one to show
                away = sorted((step, step * times))
                self._count(batch, times, (away[0], away[1]))

    def finish(self) -> None:
        self._gatherer.flush()
        for series in self._series:
            self._count(series.first, series.count, (series.low, series.high))

    def _count(self, batch: MemoryBatch, times: int = 1, away: tuple[int, int] = (0, 0)) -> None:
        """Count a batch, and as often the like ones that begin up to so many bytes away."""
        count = self.counts.setdefault(batch.pc, AddressCount(batch.space))
        address = (batch.region.astype(np.int64) << _REGION) + batch.offset
        some, which = distinct(batch.mask, address, 1)
        mask = batch.mask[some]
        lanes = mask.sum(axis=1)
        different, most = _shared(mask, address[some])
        repeated = times * np.bincount(np.arange(len(mask))[which], minlength=len(mask))
        count.requests += int(repeated.sum())
        count.lanes += int((lanes * repeated).sum())
        count.addresses += int((different * repeated).sum())
        count.meeting += int((most * repeated).sum())
        count.together += int(repeated[(different == 1) & (lanes > 1)].sum())
        count.alone += int(repeated[lanes == 1].sum())
        if batch.mask.any():
            reached = batch.offset[batch.mask]
            count.first = min(count.first, int(reached.min()) + away[0])
            count.last = max(count.last, int(reached.max()) + away[1] + batch.size)
            count.regions |= set(unique_values(batch.region[batch.mask]).tolist())
        count.witness = self._most(count.witness, batch, some, most)
        count.scattered = self._most(count.scattered, batch, some, different)

    def _most(
        self, known: Witness | None, batch: MemoryBatch, some: Any, figures: np.ndarray
    ) -> Witness | None:
        """The witness known, or the request of a batch with the highest figure if it is higher."""
        at = int(figures.argmax()) if len(figures) else 0
        if not len(figures) or (known is not None and figures[at] <= known.measured):
            return known
        row = int(np.arange(len(batch.warp))[some][at])
        return witness(batch, row, self._blocks, int(figures[at]), 1)


def _shared(mask: np.ndarray, address: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(different addresses, lanes at the most wanted one) of each request, both (n,) int64."""
    if not len(mask):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    key = np.sort(np.where(mask, address, _NOWHERE), axis=1)
    active = key != _NOWHERE
    begins = active.copy()
    begins[:, 1:] &= key[:, 1:] != key[:, :-1]
    # the number of the run that each lane is in; lanes that take part in nothing are in none
    run = np.cumsum(begins, axis=1) - 1 + 32 * np.arange(len(key))[:, None]
    sizes = np.bincount(run[active], minlength=32 * len(key)).reshape(-1, 32)
    return begins.sum(axis=1), sizes.max(axis=1)
