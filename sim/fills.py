"""What memory holds that nobody wrote: values distinct by position, sane as indices and numbers."""

from __future__ import annotations

import numpy as np

from perflint.sim.launch import Contents, Fill, Marked, Offsets, Progression, Same
from perflint.sim.values import DTYPE, f32_to_bf16

_ODD = np.uint32(0x9E3779B1)  # 2^32 / golden ratio: Fibonacci hashing
_OTHER = np.uint32(0x85EBCA6B)  # from MurmurHash3's finaliser


def mixed(index: np.ndarray, salt: int, bits: int) -> np.ndarray:
    """A bijection on `bits`-bit numbers, so that positions below 2^bits get distinct values.

    Integers (n,) to uint32 (n,).
    """
    mask = np.uint32((1 << bits) - 1)
    x = index.astype(np.uint32)
    x += np.uint32(salt * 0x632BE5AB & 0xFFFFFFFF)
    for odd, shift in ((_ODD, bits // 2 + 1), (_OTHER, bits // 2)):
        x *= odd
        x &= mask
        x ^= x >> np.uint32(shift)
    return x


def filled(fill: Fill, element: str, limit: int, start: int, count: int, salt: int) -> np.ndarray:
    """`count` elements of PTX type `element` from element number `start`, as bytes (uint8)."""
    return filled_at(fill, element, limit, np.arange(start, start + count, dtype=np.int64), salt)


def filled_at(
    fill: Fill,
    element: str,
    limit: int,
    index: np.ndarray,
    salt: int,
    contents: Contents | None = None,
) -> np.ndarray:
    """The elements of PTX type `element` with the numbers `index` (n,), as bytes (uint8).

    Integers lie in [0, limit), further bounded by their type; floats in [0, 1), distinct as far as
    their mantissa reaches; unless their `contents` are known. `salt` tells regions apart.
    """
    dtype = DTYPE[element]
    if isinstance(contents, Same):
        return np.full(len(index), contents.value).astype(dtype).view(np.uint8)
    if isinstance(contents, Progression):
        return (contents.first + contents.step * index).astype(dtype).view(np.uint8)
    if fill is Fill.ZERO:
        return np.zeros(len(index) * dtype.itemsize, dtype=np.uint8)
    if element in ("f32", "f64", "f16", "bf16", "tf32", "f16x2", "bf16x2"):
        return _floats(element, index, salt)
    if isinstance(contents, Marked):
        plain = filled_at(fill, element, limit, index, salt).view(dtype)
        return _marked(plain, index, contents.mark).view(np.uint8)
    if contents is not None:
        if isinstance(contents, Offsets):
            numbers = _offsets(fill, index, salt, contents)
        else:
            numbers = _flags(fill, index, salt)
        most = min(np.iinfo(dtype).max, np.iinfo(np.int64).max)
        return np.asarray(np.minimum(numbers, most).astype(dtype).view(np.uint8))
    top = max(1, min(limit, int(np.iinfo(dtype).max), 1 << 31))
    if fill is Fill.IDENTITY:
        return (index % top).astype(dtype).view(np.uint8)
    x = mixed(index, salt, 32)
    if top & (top - 1) == 0:  # the upper bits, as below
        x >>= np.uint32(33 - top.bit_length())
    else:
        x = (x.astype(np.uint64) * np.uint64(top)) >> np.uint64(32)
    return x.astype(dtype).view(np.uint8)


def _offsets(fill: Fill, index: np.ndarray, salt: int, contents: Offsets) -> np.ndarray:
    """Ascending offsets, (n,) int64: rows of equal length, and for RANDOM each end moved at will.

    An end moves by at most a mean row, so that no row ends before it begins. The first and the
    last stay.
    """
    rows, mean = contents.rows, contents.mean
    row = np.clip(index, 0, rows)
    if rows and contents.total is not None and contents.total < rows * mean:
        first, mean = row * contents.total // rows, contents.total // rows
    else:
        first = row * mean
    if fill is Fill.IDENTITY:
        return np.asarray(first)
    moved = mixed(row, salt, 32).astype(np.int64) % (mean + 1)
    return np.asarray(first + np.where((row == 0) | (row == rows), 0, moved))


def _marked(plain: np.ndarray, index: np.ndarray, mark: int) -> np.ndarray:
    """What is a mark at every fourth element, and elsewhere leads to one in three steps at most."""
    to = (index & 3) - 1
    value = plain.astype(np.int64) & ~np.int64(3) | to
    bits = np.where(to < 0, np.int64(mark), value).astype(np.uint64)
    return np.asarray(bits.astype(f"u{plain.dtype.itemsize}").view(plain.dtype))


def _flags(fill: Fill, index: np.ndarray, salt: int) -> np.ndarray:
    """Flags (n,) int64. A warp that reads neighbours finds both, or all alike."""
    turn = ((index >> 5) + salt) & 3
    some = (mixed(index, salt, 32) >> np.uint32(31)).astype(np.int64)
    if fill is Fill.IDENTITY:
        return np.asarray((turn & 1) ^ 1)
    return np.where(turn & 1, (turn & 2) ^ 2 != 0, some).astype(np.int64)


def _floats(element: str, index: np.ndarray, salt: int) -> np.ndarray:
    if element == "f64":
        return (mixed(index, salt, 32).astype(np.float64) * 2.0**-32).view(np.uint8)
    if element in ("f32", "tf32"):
        return (mixed(index, salt, 24).astype(np.float32) * np.float32(2.0**-24)).view(np.uint8)
    if element.endswith("x2"):
        low = _floats(element[:-2], 2 * index, salt).view(np.uint16)
        high = _floats(element[:-2], 2 * index + 1, salt).view(np.uint16)
        return np.stack([low, high], axis=1).reshape(-1).view(np.uint8)
    bits = 10 if element == "f16" else 7
    number = mixed(index, salt, bits).astype(np.float32) * np.float32(2.0**-bits)
    if element == "f16":
        return number.astype(np.float16).view(np.uint8)
    return np.asarray(f32_to_bf16(number)).view(np.uint8)
