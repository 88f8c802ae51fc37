"""Exact rounding of rationals to binary floating point: the oracle of the arithmetic tests."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

#: precision in bits, exponent of the smallest normal number, largest exponent
FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127),
           "f64": (53, -1022, 1023)}  # fmt: skip


def rounded(value: Fraction, ptx_type: str, mode: str = "rn") -> float:
    """A rational as the nearest number of a format (or the next one, by mode), as a float."""
    precision, smallest, largest = FORMATS[ptx_type]
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    ulp = Fraction(2) ** (max(exponent, smallest) - precision + 1)
    units = size / ulp
    whole = units.numerator // units.denominator
    rest = units - whole
    away = (mode == "rp" and value > 0) or (mode == "rm" and value < 0)
    if mode == "rn":
        up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    else:
        up = away and rest > 0
    out = (whole + up) * ulp
    top = (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** largest
    sign = -1.0 if value < 0 else 1.0
    if out > top:
        return sign * (math.inf if mode == "rn" or away else float(top))
    return sign * float(out)


def same(got: float, want: float) -> bool:
    """Equal, and equally signed where zero; NaN equals NaN."""
    if math.isnan(want):
        return math.isnan(got)
    return got == want and (want != 0 or math.copysign(1, got) == math.copysign(1, want))


def bits_to_float(bits: int, ptx_type: str) -> float:
    """The number that bits stand for."""
    if ptx_type == "bf16":
        return float(np.array([bits << 16], np.uint32).view(np.float32)[0])
    code = {"f16": ("u2", "f2"), "f32": ("u4", "f4"), "f64": ("u8", "f8")}[ptx_type]
    return float(np.array([bits], code[0]).view(code[1])[0])
