"""Requests that differ only in where they begin cost the same: find one of each kind."""

from __future__ import annotations

from typing import Any

import numpy as np

_FEW = 16  #: requests that are not worth comparing
#: Powers of 2^64 / golden ratio: the coefficients of a hash of a request's offsets.
_ODD = np.array([pow(0x9E3779B97F4A7C15, k, 1 << 64) for k in range(1, 33)], np.uint64)
_ABSENT = np.int64(-1 << 62)  #: stands for a lane that takes no part: no distance of places


def distinct(mask: np.ndarray, offset: np.ndarray, period: int) -> tuple[Any, Any]:
    """(rows that stand for all, which of them stands for each row).

    `mask` (n, 32) bool, `offset` (n, 32) int64. Two rows are alike where the same lanes take part
    and their offsets differ by the same multiple of `period`, a power of two. Rows are told apart
    by a hash, and compared in full afterwards: should two different ones share it, or most rows be
    different, every row stands for itself.
    """
    everything = slice(None), slice(None)
    if len(offset) <= _FEW:
        return everything
    if mask.all():
        relative = offset - (offset[:, :1] & -period)
    else:
        lead = offset[np.arange(len(offset)), mask.argmax(axis=1)]
        relative = np.where(mask, offset - (lead & -period)[:, None], _ABSENT)
    sums = relative.view(np.uint64) @ _ODD
    _, some, which = np.unique(sums, return_index=True, return_inverse=True)
    if 2 * len(some) > len(offset) or not np.array_equal(relative[some][which], relative):
        return everything
    return some, which
