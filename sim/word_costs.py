"""What requests of one word a lane cost in shared memory, without a column for each lane.

`request_costs.costs` takes (n, 32) arrays. Here lanes stand behind one another, as the machine has
them: what is not there takes no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from perflint.sim import banks
from perflint.sim.trace import DenseBatch, MemoryBatch
from perflint.sim.unique_values import unique_values

_RULES = ("cc2", "cc5")  #: 32 banks of a word each
_BANKS = 32


def of_one_block(batch: DenseBatch) -> tuple[DenseBatch, int]:
    """The requests of a batch's first block, and how often they are there.

    All of them, once, where the blocks' requests differ.
    """
    lanes, at, per_block = batch.lanes, batch.at, batch.lanes.warps_per_block
    blocks, rest = divmod(batch.rows, per_block)
    if blocks < 2 or rest or at.ndim == 0 or not lanes.full or batch.rows != lanes.rows:
        return batch, 1
    by_block = at.reshape(blocks, -1)
    if not np.array_equal(by_block[0], by_block[-1]) or not (by_block == by_block[0]).all():
        return batch, 1
    return replace(batch, rows=per_block), blocks


def word_costs(rule: str, size: int, batches: Sequence[MemoryBatch]) -> np.ndarray | None:
    """As `request_costs.costs`, of shared requests of at most a word a lane, in their order.

    None where these are not batches of lanes with their offsets, or some are misaligned.
    """
    if rule not in _RULES:
        return None
    starts = np.cumsum([0, *(b.rows for b in batches)]).tolist()
    parts = []
    for batch, start in zip(batches, starts, strict=False):
        part = _flat(batch, start)
        if part is None:
            return None
        parts.append(part)
    columns = zip(*parts, strict=True)
    row, offset, active = (np.concatenate(c) if len(c) > 1 else c[0] for c in columns)
    if size > 1 and (offset & (size - 1)).any():
        return None
    ways = _ways(row, offset >> 2, starts[-1])
    one = np.minimum(ways, 1)
    return np.stack([active, ways, one, ways, ways])


def _flat(batch: MemoryBatch, start: int) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Row, counted from `start`, and offset of each lane (n,), and the lanes of each row."""
    if not isinstance(batch, DenseBatch):
        return None
    lanes = batch.lanes
    row, offset, active = lanes.row, lanes.array(batch.at), lanes.active
    if batch.rows != lanes.rows:
        if not lanes.full:
            return None
        count = 32 * batch.rows
        row, offset, active = row[:count], offset[:count], active[: batch.rows]
    return row + start, offset, active


def _ways(row: np.ndarray, word: np.ndarray, rows: int) -> np.ndarray:
    """Distinct words on the busiest bank of each row, (rows,) int64; `row` ascends."""
    busy = np.bincount(row * _BANKS + (word & (_BANKS - 1)), minlength=rows * _BANKS)
    ways: np.ndarray = busy.reshape(rows, _BANKS).max(axis=1)
    # words that ascend with the lane are distinct; the others are told apart
    falls = (word[1:] <= word[:-1]) & (row[1:] == row[:-1])
    if falls.any():
        some = unique_values(row[1:][falls])
        some = some[ways[some] > 1]
        if len(some):
            ways[some] = _distinct(row, word, some, rows)
    return ways.astype(np.int64)


def _distinct(row: np.ndarray, word: np.ndarray, some: np.ndarray, rows: int) -> np.ndarray:
    """`_ways` of some rows, whose lanes may want the same word."""
    place = np.full(rows, -1)
    place[some] = np.arange(len(some))
    mine = place[row]
    chosen = mine >= 0
    mine, word = mine[chosen], word[chosen]
    column = np.arange(len(mine)) - np.searchsorted(mine, mine)
    mask = np.zeros((len(some), _BANKS), bool)
    offset = np.zeros((len(some), _BANKS), np.int64)
    mask[mine, column], offset[mine, column] = True, word * banks.WORD
    return banks.wavefronts(mask, offset, banks.WORD).measured
