"""What memory holds that nobody wrote: values distinct by position, sane as indices and numbers."""

from __future__ import annotations

import numpy as np

from perflint.sim.launch import Fill
from perflint.sim.values import DTYPE, f32_to_bf16

_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: Fibonacci hashing


def mixed(index: np.ndarray, salt: int, bits: int) -> np.ndarray:
    """A bijection on `bits`-bit numbers, so that positions below 2^bits get distinct values."""
    mask = np.uint64((1 << bits) - 1)
    shift = np.uint64(bits // 2 + 1)
    x = (index.astype(np.uint64) + np.uint64(salt * 0x632BE5AB & 0xFFFFFFFFFFFFFFFF)) & mask
    x = (x * _ODD) & mask
    x ^= x >> shift
    x = (x * np.uint64(0xBF58476D1CE4E5B9)) & mask
    return x ^ (x >> shift)


def filled(fill: Fill, element: str, limit: int, start: int, count: int, salt: int) -> np.ndarray:
    """`count` elements of PTX type `element` from element number `start`, as bytes (uint8).

    Integers lie in [0, limit), further bounded by their type; floats in [0, 1), distinct as far
    as their mantissa reaches. `salt` tells regions apart.
    """
    dtype = DTYPE[element]
    if fill is Fill.ZERO:
        return np.zeros(count * dtype.itemsize, dtype=np.uint8)
    index = np.arange(start, start + count, dtype=np.int64)
    if element in ("f32", "f64", "f16", "bf16", "tf32", "f16x2", "bf16x2"):
        return _floats(element, index, salt)
    top = min(limit, int(np.iinfo(dtype).max)) if dtype.kind in "iu" else 2
    top = max(1, min(top, 1 << 31))
    if fill is Fill.IDENTITY:
        return (index % top).astype(dtype).view(np.uint8)
    return (((mixed(index, salt, 32) * np.uint64(top)) >> np.uint64(32)).astype(dtype)).view(
        np.uint8
    )


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
