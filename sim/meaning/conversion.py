"""`cvt` (PTX ISA 9.7.9.21): between integers and floating-point types of all widths."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from perflint.sim.meaning import rounding
from perflint.sim.meaning.bits import leading_zeros
from perflint.sim.meaning.floating import flushed, rectified, saturated
from perflint.sim.meaning.integer import magnitude
from perflint.sim.meaning.registry import Form, Function, Meaning, meaning
from perflint.sim.meaning.small_floats import decoded, encoded
from perflint.sim.values import DTYPE, UNSIGNED, Value, bf16_to_f32

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


def to_tf32(mode: str, relu: bool, finite: bool, a: Value) -> Value:
    """Float32 bits with 10 mantissa bits: ties to even (`rn`), away from zero (`rna`), or cut."""
    number = rectified(a) if relu else a
    bits = number.view(np.uint32)
    cut = np.uint32(0x1FFF)
    if mode == "rna":
        rounded = bits + np.uint32(0x1000)
    elif mode == "rn":
        rounded = bits + np.uint32(0x0FFF) + ((bits >> np.uint32(13)) & np.uint32(1))
    else:
        rounded = bits
    out = np.where(np.isfinite(number), rounded & ~cut, bits)
    if not finite:
        return out
    past = ((out & np.uint32(0x7F800000)) == np.uint32(0x7F800000)) & ~np.isnan(number)
    largest = (out & np.uint32(0x80000000)) | np.uint32(0x7F7FE000)
    return np.where(past, largest, np.where(np.isnan(number), np.uint32(0x7FFFFFFF), out))


def pair(half: str, mode: str, relu: bool, upper: Value, lower: Value) -> Value:
    """Two float32 as one register of halves, the first operand in the upper half."""
    out = []
    for number in (upper, lower):
        if relu:
            number = rectified(number)
        held = from_double(half, mode, number.astype(np.float64))
        out.append(held.view(np.uint16).astype(np.uint32))
    return (out[0] << np.uint32(16)) | out[1]


def bytes_of(form: Form, eight: str) -> Meaning | None:
    """`cvt` to and from two packed eight-bit floats."""
    relu = "relu" in form.flags
    types = [m for m in form.modifiers if m in (f"{eight}x2", "f32", "f16x2")]
    if types == ["f16x2", f"{eight}x2"] and form.flags <= {"rn", "relu", f"{eight}x2"}:

        def widened(a: Value) -> Value:
            out = []
            for shift in (0, 8):
                half = decoded(eight, (a >> np.uint16(shift)).astype(np.uint8))
                half = (rectified(half) if relu else half).astype(np.float16)
                out.append(half.view(np.uint16).astype(np.uint32))
            return (out[1] << np.uint32(16)) | out[0]

        return Meaning(widened, ("b32",), ("b16",))
    if not form.flags <= {"rn", "satfinite", "relu", f"{eight}x2"} or "satfinite" not in form.flags:
        return None

    def joined(upper: Value, lower: Value) -> Value:
        high, low = (encoded(eight, relu, x).astype(np.uint16) for x in (upper, lower))
        return (high << np.uint16(8)) | low

    if types == [f"{eight}x2", "f32"] and form.operands == 3:
        return Meaning(joined, ("b16",), ("f32", "f32"))
    if types != [f"{eight}x2", "f16x2"] or form.operands != 2:
        return None

    def narrowed(a: Value) -> Value:
        halves = [(a >> np.uint32(shift)).astype(np.uint16).view(np.float16) for shift in (16, 0)]
        return joined(*halves)

    return Meaning(narrowed, ("b16",), ("b32",))


def packed_integers(form: Form) -> Meaning | None:
    """`cvt.pack.sat`: two integers, saturated, in the low bits, above them c's."""
    if form.flags != {"pack", "sat"} or form.types[1:2] != ("s32",):
        return None
    dtype = DTYPE[form.types[0]]
    bits = 8 * dtype.itemsize
    if dtype.itemsize > 2 or (bits == 8) != (form.operands == 4):
        return None

    def function(a: Value, b: Value, *rest: Value) -> Value:
        high, low = (
            clamp_integer(dtype, x).view(UNSIGNED[dtype.itemsize]).astype(np.uint32) for x in (a, b)
        )
        both = (high << np.uint32(bits)) | low
        return both if not rest else (rest[0] << np.uint32(16)) | both

    return Meaning(function, ("b32",), ("s32", "s32", *(("b32",) * (form.operands - 3))))


@meaning("cvt", flags="rn rz rm rp rna rni rzi rmi rpi sat ftz relu satfinite pack e4m3x2 e5m2x2")
def _cvt(form: Form) -> Meaning | None:
    eight = next((m[:-2] for m in form.modifiers if m in ("e4m3x2", "e5m2x2")), None)
    if eight is not None:
        return bytes_of(form, eight)
    if "pack" in form.flags:
        return packed_integers(form)
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
        named = form.flags & {"rna", "rn", "rz"}
        if source != "f32" or len(named) != 1 or form.flags - named - {"relu", "satfinite"}:
            return None
        finite = "satfinite" in form.flags
        function = partial(to_tf32, next(iter(named)), "relu" in form.flags, finite)
        return Meaning(function, ("b32",), ("f32",))
    if form.flags & {"rna", "satfinite"}:
        return None
    function = _between(result, source, form)
    if "relu" in form.flags:
        if source != "f32" or result not in ("f16", "bf16") or "ftz" in form.flags:
            return None
        inner = function
        function = lambda a: inner(rectified(a))  # noqa: E731
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
