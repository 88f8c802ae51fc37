"""Sums, products and quotients rounded once, in any of PTX's four rounding modes.

NumPy has no fused multiply-add and only rounds to nearest. A result is therefore computed as an
unevaluated sum `high + error` in float64 (TwoSum and TwoProduct; Muller et al., Handbook of
Floating-Point Arithmetic, ch. 4), from which any single rounding follows.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from perflint.sim.values import Value

_SPLIT = np.float64(134217729.0)  # 2^27 + 1, Dekker's constant for 53 bits
_TIE_MASK = np.uint64((1 << 29) - 1)  # the bits of a float64 that a float32 lacks
_TIE = np.uint64(1 << 28)
_SMALLEST = np.float32(2.0**-126)


def two_sum(a: Value, b: Value) -> tuple[Value, Value]:
    """a + b as (rounded, error); the error is 0 where the sum is not finite."""
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    return total, np.where(np.isfinite(error), error, 0.0)


def two_product(a: Value, b: Value) -> tuple[Value, Value]:
    """a * b as (rounded, error), for magnitudes well inside the float64 range."""
    product = a * b
    wide_a, wide_b = _SPLIT * a, _SPLIT * b
    a1, b1 = wide_a - (wide_a - a), wide_b - (wide_b - b)
    a2, b2 = a - a1, b - b1
    error = a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)
    return product, np.where(np.isfinite(error), error, 0.0)


def to_odd(high: Value, error: Value) -> Value:
    """high + error rounded to odd: a later rounding to fewer bits is then the only one."""
    bits = np.asarray(high, dtype=np.float64).view(np.int64)
    toward = np.where((error > 0) == (high > 0), 1, -1)
    inexact = (error != 0) & (bits & 1 == 0)
    return (bits + np.where(inexact, toward, 0)).view(np.float64)


def to_f32(exact: Value, mode: str) -> Value:
    """A float64, rounded to odd where it was not exact, as float32."""
    return _directed(exact.astype(np.float32), exact, mode)


def _directed(near: Value, exact: Value, mode: str) -> Value:
    if mode == "rn":
        return near
    back = near.astype(np.float64)
    kind = near.dtype.type
    inf = kind(np.inf)
    if mode == "rp":
        return np.where(back < exact, np.nextafter(near, inf), near)
    if mode == "rm":
        return np.where(back > exact, np.nextafter(near, -inf), near)
    return np.where(np.abs(back) > np.abs(exact), np.nextafter(near, kind(0)), near)


def by_error(near: Value, error: Value, mode: str) -> Value:
    """A value rounded to nearest, corrected for a mode by the sign of (exact - near)."""
    if mode == "rn":
        return near
    kind = near.dtype.type
    inf = kind(np.inf)
    if mode == "rp":
        return np.where(error > 0, np.nextafter(near, inf), near)
    if mode == "rm":
        return np.where(error < 0, np.nextafter(near, -inf), near)
    outward = ((error < 0) & (near > 0)) | ((error > 0) & (near < 0))
    return np.where(outward, np.nextafter(near, kind(0)), near)


def add_f32(a: Value, b: Value, mode: str) -> Value:
    if mode == "rn":
        return a + b
    total, error = two_sum(a.astype(np.float64), b.astype(np.float64))
    return _signed_zero(to_f32(to_odd(total, error), mode), a, b, mode)


def add_f64(a: Value, b: Value, mode: str) -> Value:
    if mode == "rn":
        return a + b
    total, error = two_sum(a, b)
    return _signed_zero(by_error(total, error, mode), a, b, mode)


def _signed_zero(total: Value, a: Value, b: Value, mode: str) -> Value:
    """IEEE 754, 6.3: an exact zero sum of unlike signs is -0 when rounding down."""
    if mode != "rm":
        return total
    # a + b, not total: a sum that only underflows to zero keeps the sign it has
    cancelled = (a + b == 0) & (np.signbit(a) != np.signbit(b))
    return np.where(cancelled, -np.abs(total), total)


def multiply_f32(a: Value, b: Value, mode: str) -> Value:
    if mode == "rn":
        return a * b
    return to_f32(a.astype(np.float64) * b, mode)


def multiply_f64(a: Value, b: Value, mode: str) -> Value:
    if mode == "rn":
        return a * b
    # By mantissas, so that nothing over- or underflows on the way.
    near = a * b
    (a_part, a_exponent), (b_part, b_exponent) = np.frexp(a), np.frexp(b)
    product, rest = two_product(a_part, b_part)
    error = (product - np.ldexp(near, -(a_exponent + b_exponent))) + rest
    return by_error(near, np.where(np.isfinite(a) & np.isfinite(b), error, 0), mode)


def fma_f32(a: Value, b: Value, c: Value, mode: str = "rn") -> Value:
    """a * b + c of float32, rounded once.

    The product is exact in float64. Rounding the sum to float64 and then to float32 differs from
    one rounding only where the float64 lies halfway between two float32, or the result is
    subnormal: those lanes are done again, to odd.
    """
    product = np.multiply(a, b, dtype=np.float64)
    total = product + c
    if mode == "rn":
        near = total.astype(np.float32)
        size = np.abs(near)
        odd = (total.view(np.uint64) & _TIE_MASK) == _TIE
        if not size.min(initial=np.inf) >= _SMALLEST:  # also where there is a NaN
            odd |= (size < _SMALLEST) & (total != 0)
        if not odd.any():
            return near
    total, error = two_sum(product, np.asarray(c, dtype=np.float64))
    result = to_f32(to_odd(total, error), mode)
    return _signed_zero(result, product, c, mode)


def fma_f64(a: Value, b: Value, c: Value, mode: str = "rn") -> Value:
    """a * b + c of float64, rounded once (Boldo and Melquiond, "Emulation of FMA", 2008)."""
    product, product_error = two_product(a, b)
    middle, low = two_sum(c, product_error)
    high, high_error = two_sum(product, middle)
    rest = to_odd(*two_sum(high_error, low))
    total, error = two_sum(high, rest)
    plain = product + c
    # Of an exact zero only the plain sum has the right sign.
    normal = np.isfinite(total) & (total != 0)
    result = np.where(normal, by_error(total, error, mode), plain)
    result = _signed_zero(result, product, c, mode)
    size = np.abs(product)
    extreme = ~((size > 1e-270) & (size < 1e290)) & (a != 0) & (b != 0)
    extreme |= (np.abs(c) < 1e-270) & (c != 0)
    extreme |= np.abs(c) > 1e290
    extreme &= np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    if extreme.any():
        result = _exact_lanes(result, extreme, a, b, c, mode)
    return result


def _exact_lanes(result: Value, lanes: Value, a: Value, b: Value, c: Value, mode: str) -> Value:
    """The few lanes near overflow or underflow, in rational arithmetic."""
    shape = np.shape(result)
    a, b, c, lanes = (np.atleast_1d(np.broadcast_to(x, shape)) for x in (a, b, c, lanes))
    out = np.atleast_1d(result).copy()
    for lane in np.flatnonzero(lanes):
        x, y, z = float(a[lane]), float(b[lane]), float(c[lane])
        out[lane] = _round_fraction(Fraction(x) * Fraction(y) + Fraction(z), x, y, z, mode)
    return out.reshape(shape)


def _round_fraction(exact: Fraction, x: float, y: float, z: float, mode: str) -> float:
    if exact == 0:
        signs = (math.copysign(1, x) * math.copysign(1, y) < 0, math.copysign(1, z) < 0)
        return -0.0 if all(signs) or (any(signs) and mode == "rm") else 0.0
    try:
        near = exact.numerator / exact.denominator  # int division rounds once, to nearest
    except OverflowError:
        near = math.inf if exact > 0 else -math.inf
    if math.isinf(near):
        past = mode in ("rn", "rp") if exact > 0 else mode in ("rn", "rm")
        return near if past else math.nextafter(near, 0.0)
    if near == 0:
        near = math.copysign(0.0, 1 if exact > 0 else -1)
    if mode == "rp" and Fraction(near) < exact:
        return math.nextafter(near, math.inf)
    if mode == "rm" and Fraction(near) > exact:
        return math.nextafter(near, -math.inf)
    if mode == "rz" and abs(Fraction(near)) > abs(exact):
        return math.nextafter(near, 0.0)
    return near


def divide_f32(a: Value, b: Value, mode: str) -> Value:
    if mode == "rn":
        return a / b
    wide = a.astype(np.float64) / b  # too wide to over- or underflow
    product, low = two_product(wide, b.astype(np.float64))
    rest = ((a - product) - low) * np.sign(b)
    return to_f32(to_odd(wide, np.where(np.isfinite(rest), rest, 0)), mode)


def divide_f64(a: Value, b: Value, mode: str) -> Value:
    near = a / b
    if mode == "rn":
        return near
    (near_part, near_exponent), (b_part, b_exponent) = np.frexp(near), np.frexp(b)
    product, low = two_product(near_part, b_part)
    rest = (np.ldexp(a, -(near_exponent + b_exponent)) - product) - low
    rest = np.where(near == 0, a, rest)  # underflow: all of it is left
    rest = np.where(np.isinf(near), -np.sign(near) * np.sign(b), rest)  # overflow
    exact = ~np.isfinite(a) | ~np.isfinite(b) | (b == 0)
    return by_error(near, np.where(exact, 0, rest * np.sign(b)), mode)


def root(a: Value, mode: str) -> Value:
    """The square root of float32 or float64."""
    near = np.sqrt(a)
    if mode == "rn":
        return near
    if a.dtype == np.float32:
        wide = near.astype(np.float64)
        error = a - wide * wide
        return by_error(near, np.where(np.isfinite(error), error, 0), mode)
    _, exponent = np.frexp(a)
    half = exponent // 2
    scaled = np.ldexp(near, -half)
    product, low = two_product(scaled, scaled)
    error = (np.ldexp(a, -2 * half) - product) - low
    return by_error(near, np.where(np.isfinite(error), error, 0), mode)


def f64_to_bf16(exact: Value) -> Value:
    """A float64 (rounded to odd where inexact) as brain float bits, to nearest even."""
    near = exact.astype(np.float32)
    back = near.astype(np.float64)
    cut = np.where(np.abs(back) > np.abs(exact), np.nextafter(near, np.float32(0)), near)
    sticky = (back != exact) & np.isfinite(near)
    bits = cut.astype(np.float32).view(np.uint32) | np.where(sticky, np.uint32(1), np.uint32(0))
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = ((bits + (np.uint32(0x7FFF) + odd)) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(exact), np.uint16(0x7FFF), rounded)
