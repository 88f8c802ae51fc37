"""`cvt` (PTX ISA 9.7.9.21): between integers and floating-point types of all widths."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from perflint.sim.meaning import rounding
from perflint.sim.meaning.bits import leading_zeros
from perflint.sim.meaning.floating import flushed, saturated
from perflint.sim.meaning.integer import magnitude
from perflint.sim.meaning.registry import Form, Function, Meaning, meaning
from perflint.sim.values import DTYPE, Value, bf16_to_f32

_FLOATS = ("f16", "bf16", "f32", "f64")
_INTEGRAL: dict[str, Function] = {
    "rni": np.rint,
    "rzi": np.trunc,
    "rmi": np.floor,
    "rpi": np.ceil,
}
_MANTISSA = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}


def clamp_integer(dtype: np.dtype[Any], a: Value) -> Value:
    """An integer saturated to the range of another type."""
    have, want = np.iinfo(a.dtype), np.iinfo(dtype)
    low, high = max(have.min, want.min), min(have.max, want.max)
    return np.clip(a, a.dtype.type(low), a.dtype.type(high)).astype(dtype)


def float_to_integer(dtype: np.dtype[Any], integral: Function, a: Value) -> Value:
    """Rounded to an integer, clamped to the type's range; NaN becomes 0."""
    limits = np.iinfo(dtype)
    number = integral(a.astype(np.float64))
    number = np.where(np.isnan(number), 0.0, number)
    if dtype.itemsize < 8:
        return np.clip(number, limits.min, limits.max).astype(dtype)
    past = number >= float(limits.max)  # 2^63 or 2^64: the largest integers are no float64
    inside = np.where(past | (number < float(limits.min)), 0.0, number).astype(dtype)
    below = number < float(limits.min)
    return np.where(past, dtype.type(limits.max), np.where(below, dtype.type(limits.min), inside))


def integer_to_float(ptx_type: str, mode: str, a: Value) -> Value:
    """An integer as a float, rounded once: surplus bits are cut or rounded up beforehand."""
    precision = _MANTISSA[ptx_type]
    size = magnitude(a) if a.dtype.kind == "i" else a
    size = size.astype(np.uint64)
    negative = a < 0
    surplus = np.uint64(64) - leading_zeros(size)
    surplus = np.where(surplus > precision, surplus - np.uint64(precision), np.uint64(0))
    unit = np.uint64(1) << surplus
    rest = size & (unit - np.uint64(1))
    kept = size - rest
    if mode == "rn":
        half = unit >> np.uint64(1)
        odd = (kept & unit) != 0
        up = (rest > half) | ((rest == half) & odd & (surplus != 0))
    elif mode == "rz":
        up = rest != rest
    else:
        up = (rest != 0) & (negative == (mode == "rm"))
    # A carry out of bit 63 leaves 0 where 2^64 is meant.
    rounded = kept + np.where(up, unit, np.uint64(0))
    number = rounded.astype(np.float64)
    number = np.where(up & (rounded == 0), 2.0**64, number)
    return from_double(ptx_type, "rn", np.where(negative, -number, number))


def from_double(ptx_type: str, mode: str, exact: Value) -> Value:
    """A float64 (exact or rounded to odd) in another floating-point type, as it is held."""
    if ptx_type == "f64":
        return exact
    if ptx_type == "f32":
        return rounding.to_f32(exact, mode)
    if ptx_type == "f16":
        return rounding._directed(exact.astype(np.float16), exact, mode)
    near = rounding.f64_to_bf16(exact)
    if mode == "rz":
        past = np.abs(bf16_to_f32(near).astype(np.float64)) > np.abs(exact)
        return np.where(past, near - np.uint16(1), near)
    return near


def float_to_float(
    source: str, result: str, mode: str, integral: Function | None, a: Value
) -> Value:
    number = bf16_to_f32(a) if source == "bf16" else a
    if integral is not None:
        number = integral(number)
    if result == source:
        return from_double("bf16", "rn", number.astype(np.float64)) if source == "bf16" else number
    if result == "f32" and mode == "rn":
        return number.astype(np.float32)
    return from_double(result, mode, number.astype(np.float64))


def to_tf32(away: bool, a: Value) -> Value:
    """Float32 bits with 10 mantissa bits, to nearest, ties away from zero (.rna) or even."""
    bits = a.view(np.uint32)
    cut = np.uint32(0x1FFF)
    if away:
        rounded = bits + np.uint32(0x1000)
    else:
        rounded = bits + np.uint32(0x0FFF) + ((bits >> np.uint32(13)) & np.uint32(1))
    return np.where(np.isfinite(a), rounded & ~cut, bits)


def pair(half: str, mode: str, relu: bool, upper: Value, lower: Value) -> Value:
    """Two float32 as one register of halves, the first operand in the upper half."""
    out = []
    for number in (upper, lower):
        if relu:
            number = np.where(number > 0, number, np.float32(0) * number * 0)
        held = from_double(half, mode, number.astype(np.float64))
        out.append(held.view(np.uint16).astype(np.uint32))
    return (out[0] << np.uint32(16)) | out[1]


@meaning("cvt", flags="rn rz rm rp rna rni rzi rmi rpi sat ftz relu")
def _cvt(form: Form) -> Meaning | None:
    if len(form.types) != 2:
        return None
    result, source = form.types
    mode = form.rounding
    if result in ("f16x2", "bf16x2"):
        if source != "f32" or form.operands != 3 or mode not in ("rn", "rz"):
            return None
        function: Function = partial(pair, result[:-2], mode, "relu" in form.flags)
        return Meaning(function, (result,), (source, source))
    if form.operands != 2 or source.endswith("x2"):
        return None
    if result == "tf32":
        known = source == "f32" and form.flags in ({"rna"}, {"rn"})
        return Meaning(partial(to_tf32, "rna" in form.flags), ("b32",), ("f32",)) if known else None
    if form.flags & {"rna", "relu"}:
        return None
    function = _between(result, source, form)
    return Meaning(function, (result,), (source,))


def _between(result: str, source: str, form: Form) -> Function:
    integral = next((_INTEGRAL[f] for f in _INTEGRAL if f in form.flags), None)
    dtype = DTYPE[result]
    if source not in _FLOATS and result not in _FLOATS:
        if "sat" in form.flags:
            return partial(clamp_integer, dtype)
        return lambda a: a.astype(dtype)
    if source not in _FLOATS:
        direct = form.rounding == "rn" and (
            result == "f64" or (result == "f32" and source[1:] != "64")
        )
        function: Function = (
            (lambda a: a.astype(dtype))
            if direct
            else partial(integer_to_float, result, form.rounding)
        )
    elif result not in _FLOATS:
        inner = partial(float_to_integer, dtype, integral or np.trunc)
        widen = bf16_to_f32 if source == "bf16" else None
        flush = "ftz" in form.flags and source == "f32"
        if widen is None and not flush:
            return inner
        return lambda a: inner((widen or flushed)(a))
    else:
        function = partial(float_to_float, source, result, form.rounding, integral)
    if "ftz" in form.flags:
        function = _flushing(function, source, result)
    if "sat" in form.flags and result != "bf16":
        plain = function
        return lambda a: saturated(plain(a))
    return function


def _flushing(function: Function, source: str, result: str) -> Function:
    def flush(a: Value) -> Value:
        out = function(flushed(a) if source == "f32" else a)
        return flushed(out) if result == "f32" else out

    return flush
