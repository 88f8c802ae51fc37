"""One request of a batch, kept as a witness that can be checked by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perflint.sim.accesses import Witness
from perflint.sim.launch import Dim3
from perflint.sim.trace import DenseBatch, MemoryBatch


def witness(
    batch: MemoryBatch, row: int, blocks: Sequence[Dim3], measured: int, golden: int
) -> Witness:
    """A request of a batch with its figures; `blocks` are those of the run."""
    lanes = _flat(batch, row) if isinstance(batch, DenseBatch) else _dense(batch, row)
    return Witness(blocks[int(batch.block[row])], int(batch.warp[row]), lanes, measured, golden)


def _dense(batch: MemoryBatch, row: int) -> tuple[int | None, ...]:
    places = zip(batch.offset[row].tolist(), batch.mask[row].tolist(), strict=True)
    return tuple(offset if there else None for offset, there in places)


def _flat(batch: DenseBatch, row: int) -> tuple[int | None, ...]:
    """The same, without making the other requests' columns."""
    lanes = batch.lanes
    first, last = 32 * row, 32 * row + 32
    if not lanes.full:
        first, last = np.searchsorted(lanes.row, (row, row + 1)).tolist()
    out: list[int | None] = [None] * 32
    at = lanes.array(batch.at)[first:last].tolist()
    for lane, offset in zip((lanes.slots[first:last] & 31).tolist(), at, strict=True):
        out[lane] = int(offset)
    return tuple(out)
