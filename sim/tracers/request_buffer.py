"""Requests of one instruction, gathered until there are enough of them to be counted at once.

A loop makes small batches, one a turn. What costs the same for a few requests as for thousands, a
dozen NumPy calls, is then paid once for hundreds of turns. For tracers to which the order of
different instructions is nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Generic, TypeVar

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.affine_trace import AffineBatch
from perflint.sim.trace import ColumnBatch, MemoryBatch

#: Requests that are worth a call: some 0.4 MB of offsets, regions and masks.
PLENTY = 1024

Handle = Callable[..., None]
T = TypeVar("T")


@dataclass(eq=False)
class _Waiting:
    batches: list[MemoryBatch] = field(default_factory=list)
    columns: list[tuple[np.ndarray, ...]] = field(default_factory=list)
    rows: int = 0


class Gatherer:
    """Hands `handle` the batches of an instruction as a few large ones, in their order."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._waiting: dict[tuple[int, str, str, int], _Waiting] = {}

    def add(self, batch: MemoryBatch, *columns: np.ndarray) -> None:
        """Take a batch, and arrays of as many rows that are gathered beside it."""
        key = (batch.pc, batch.space, batch.kind, batch.size)
        waiting = self._waiting.setdefault(key, _Waiting())
        waiting.batches.append(batch)
        waiting.columns.append(columns)
        waiting.rows += batch.rows
        if waiting.rows >= PLENTY:
            self._flush(key)

    def flush(self) -> None:
        """Hand over what waits."""
        for key in list(self._waiting):
            self._flush(key)

    def _flush(self, key: tuple[int, str, str, int]) -> None:
        waiting = self._waiting.pop(key)
        batches, first = waiting.batches, waiting.batches[0]
        if len(batches) == 1:
            self._handle(first, *waiting.columns[0])
            return
        pc, space, kind, size = key
        gathered = ColumnBatch(
            pc=pc,
            space=space,
            kind=kind,
            size=size,
            block=np.concatenate([b.block for b in batches]),
            warp=np.concatenate([b.warp for b in batches]),
            order=first.order,
            mask=np.concatenate([b.mask for b in batches]),
            region=np.concatenate([b.region for b in batches]),
            offset=np.concatenate([b.offset for b in batches]),
        )
        self._handle(gathered, *map(np.concatenate, zip(*waiting.columns, strict=True)))


class SeriesGatherer(Generic[T]):
    """Tells batches that differ in nothing but where their pattern begins from others.

    `make` makes of the first what counts them; the first must be kept as long as that is.
    """

    def __init__(self, make: Callable[[AffineBatch], T]) -> None:
        self._make = make
        self._series: dict[tuple[object, ...], T] = {}

    def of(self, batch: AffineBatch, granule: int = 1) -> T:
        """What counts those that begin as far behind a multiple of `granule` as a batch does."""
        # the first batch holds the lanes and the pattern: no other ones have their identity
        key = (
            batch.pc, batch.kind, batch.size, batch.rows, batch.number, id(batch.lanes),
            id(batch.pattern), batch.origin % granule,
        )  # fmt: skip
        series = self._series.get(key)
        if series is None:
            series = self._series[key] = self._make(batch)
        return series

    def __iter__(self) -> Iterator[T]:
        return iter(self._series.values())
