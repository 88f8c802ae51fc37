"""Bytes that regions began with, kept for the next run that begins with the same.

To fill a page, and to have it mapped, costs more than what most runs do with it; the runs of a
kernel and of its variants read the same arrays.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

#: Bytes that are kept at most, and the addresses that they may take.
MOST, MOST_ADDRESSES = 1 << 27, 1 << 28

Key = tuple[Hashable, ...]  #: equal for regions that begin alike
Kept = tuple[np.ndarray, np.ndarray]  #: bytes, and which of their pages are filled

_kept: dict[Key, Kept] = {}  #: the oldest first


def take(key: Key) -> Kept | None:
    """What was kept, which is the taker's from then on."""
    return _kept.pop(key, None)


def keep(key: Key, data: np.ndarray, filled: np.ndarray) -> None:
    """Keep bytes that nobody changed and that nobody else has, in the place of the oldest."""
    _kept.pop(key, None)
    _kept[key] = data, filled
    while _is_too_much():
        del _kept[next(iter(_kept))]


def _is_too_much() -> bool:
    addresses = sum(len(data) for data, _ in _kept.values())
    pages = sum(int(np.count_nonzero(filled)) for _, filled in _kept.values())
    return addresses > MOST_ADDRESSES or pages << 12 > MOST
