"""Columns of integers as short text: differences, zigzag, variable length, deflate, base64.

What a trace holds is regular: the difference between neighbours repeats, and deflate folds it.
`docs/trace.md` states the format; the page's `trace.js` reads the same.
"""

from __future__ import annotations

import base64
import binascii
import zlib

import numpy as np

_BITS = 7  #: of a number in each byte; the highest bit says that another byte follows
_LEVEL = 9
_MOST_BYTES = 10  #: of one number: 64 bits


class ColumnError(ValueError):
    """A column that is none, or is cut short."""


def packed(values: np.ndarray) -> str:
    """A column of integers below 2^62 in size, (n,), as text."""
    column = np.asarray(values, np.int64)
    steps = np.diff(column, prepend=np.int64(0))
    zigzag = ((steps << 1) ^ (steps >> 63)).view(np.uint64)
    return base64.b64encode(zlib.compress(_varints(zigzag), _LEVEL)).decode("ascii")


def _varints(numbers: np.ndarray) -> bytes:
    """Little-endian groups of seven bits, the shortest form."""
    n = len(numbers)
    shifts = np.arange(_MOST_BYTES, dtype=np.uint64) * np.uint64(_BITS)
    groups = (numbers[:, None] >> shifts) & np.uint64(0x7F)
    length = np.maximum(1, _MOST_BYTES - (groups[:, ::-1] != 0).argmax(axis=1))
    length = np.where(groups.any(axis=1), length, 1)
    place = np.arange(_MOST_BYTES)
    out = groups.astype(np.uint8)
    out[place < (length - 1)[:, None]] |= 0x80
    return out[place < length[:, None]].tobytes() if n else b""


def unpacked(text: object, count: int) -> np.ndarray:
    """The column of `count` integers, (n,) int64. Raises ColumnError."""
    if not isinstance(text, str):
        raise ColumnError("a column is no text")
    try:
        raw = base64.b64decode(text, validate=True)
        inflate = zlib.decompressobj()
        data = inflate.decompress(raw, max(1, count * _MOST_BYTES))
    except (binascii.Error, zlib.error, ValueError) as error:
        raise ColumnError(f"a column cannot be read: {error}") from None
    if not inflate.eof:
        raise ColumnError("a column is cut short, or longer than said")
    found = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(found < 0x80)
    if len(ends) != count or (count and ends[-1] != len(found) - 1):
        raise ColumnError(f"a column has {len(ends)} numbers and not {count}")
    if not count:
        return np.zeros(0, np.int64)
    starts = np.concatenate([[0], ends[:-1] + 1])
    place = np.arange(len(found)) - np.repeat(starts, ends - starts + 1)
    if int(place.max()) >= _MOST_BYTES:
        raise ColumnError("a column has a number of more than 64 bits")
    parts = (found & 0x7F).astype(np.uint64) << (place.astype(np.uint64) * np.uint64(_BITS))
    zigzag = np.add.reduceat(parts, starts)
    steps = (zigzag >> np.uint64(1)).view(np.int64) ^ -(zigzag & np.uint64(1)).view(np.int64)
    return np.cumsum(steps)
