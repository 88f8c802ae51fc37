"""Eight-bit floating-point numbers: e4m3 and e5m2 (PTX ISA 5.2.3)."""

from __future__ import annotations

from functools import cache

import numpy as np

from perflint.sim.meaning.floating import rectified
from perflint.sim.values import Value

#: exponent bits, mantissa bits, largest finite number
FORMATS = {"e4m3": (4, 3, 448.0), "e5m2": (5, 2, 57344.0)}


@cache
def numbers(ptx_type: str) -> np.ndarray:
    """What each of the 256 bit patterns stands for, (256,) float64.

    e4m3 has no infinities: only all ones is NaN. e5m2 is the upper byte of a half float.
    """
    if ptx_type == "e5m2":
        high = np.arange(256, dtype=np.uint16) << np.uint16(8)
        return high.view(np.float16).astype(np.float64)
    exponent_bits, mantissa_bits, _ = FORMATS[ptx_type]
    bits = np.arange(256)
    exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1)
    mantissa = (bits & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    bias = (1 << (exponent_bits - 1)) - 1
    size = np.where(
        exponent == 0, mantissa * 2.0 ** (1 - bias), (1 + mantissa) * 2.0 ** (exponent - bias)
    )
    size = np.where((bits & 127) == 127, np.nan, size)
    return np.where(bits >= 128, -size, size)


def decoded(ptx_type: str, bits: Value) -> Value:
    """Bytes (uint8) as float64."""
    return numbers(ptx_type)[bits]


def encoded(ptx_type: str, relu: bool, number: Value) -> Value:
    """Floats to the nearest byte, ties to even, out of range to the largest (`.satfinite`).

    NaN becomes 0x7f, which is a NaN in both formats (PTX ISA 9.7.9.21).
    """
    wide = np.asarray(number, dtype=np.float64)
    if relu:
        wide = rectified(wide)
    _, mantissa_bits, largest = FORMATS[ptx_type]
    size = np.minimum(np.abs(np.where(np.isnan(wide), 0.0, wide)), largest)
    smallest = {"e4m3": -6, "e5m2": -14}[ptx_type]
    _, exponent = np.frexp(size)
    unit = np.ldexp(1.0, np.maximum(exponent - 1, smallest) - mantissa_bits)
    rounded = np.minimum(np.rint(size / unit) * unit, largest)
    codes = np.searchsorted(numbers(ptx_type)[: _finite(ptx_type)], rounded).astype(np.uint8)
    signed = codes | np.where(np.signbit(wide), np.uint8(128), np.uint8(0))
    return np.where(np.isnan(wide), np.uint8(127), signed)


def _finite(ptx_type: str) -> int:
    """How many patterns from 0 on are finite."""
    return int(np.argmin(np.isfinite(numbers(ptx_type)[:128])))
