"""One request of a batch, kept as a witness that can be checked by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perflint.sim.accesses import Witness
from perflint.sim.launch import Dim3
from perflint.sim.trace import MemoryBatch


def witness(
    batch: MemoryBatch, row: int, blocks: Sequence[Dim3], measured: int, golden: int
) -> Witness:
    """A request of a batch with its figures; `blocks` are those of the run."""
    lanes: list[int | None] = batch.offset[row].tolist()
    for absent in np.flatnonzero(~batch.mask[row]).tolist():
        lanes[absent] = None
    return Witness(
        blocks[int(batch.block[row])], int(batch.warp[row]), tuple(lanes), measured, golden
    )
