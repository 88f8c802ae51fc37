"""Integer arithmetic (PTX ISA 9.7.1 and 9.7.2).

Sums and low products do not depend on the sign, so they are computed unsigned: registers are held
unsigned, and no view is needed.
"""

from __future__ import annotations

import operator
from functools import partial

import numpy as np

from perflint.sim.meaning import floating
from perflint.sim.meaning.registry import Form, Function, Meaning, meaning
from perflint.sim.values import DTYPE, Value

_INTEGERS = {f"{kind}{width}" for kind in "us" for width in (16, 32, 64)}


def unsigned(ptx_type: str) -> str:
    """The unsigned type of the same width."""
    return "u" + ptx_type[1:]


def widened(ptx_type: str) -> str:
    """The type of the same kind with twice the bits."""
    return ptx_type[0] + str(2 * int(ptx_type[1:]))


def add_carry_out(a: Value, b: Value) -> tuple[Value, Value]:
    total = a + b
    return total, total < a


def add_carry_in_out(a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
    half = a + b
    total = half + carry.astype(half.dtype)
    return total, (half < a) | (total < half)


def sub_carry_out(a: Value, b: Value) -> tuple[Value, Value]:
    """The carry of `a + ~b + 1`, which is set where nothing is borrowed.

    That is what `addc` after `sub.cc` adds: ptxas (13.0, sm_80 and sm_90) hands the predicate of
    `IADD3 d, P, a, -b` to `IMAD.X` as it is, and a `subc` is `IADD3.X a, ~b, P`. The manual
    (9.7.2.3) speaks of a borrow, and tells no difference: within one chain there is none.
    """
    return a - b, a >= b


def sub_carry_in_out(a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
    total = a + ~b + carry.astype(a.dtype)
    return total, (a > b) | ((a == b) & carry)


def add_saturated(a: Value, b: Value) -> Value:
    limits = np.iinfo(np.int32)
    return np.clip(a.astype(np.int64) + b, limits.min, limits.max).astype(np.int32)


def sub_saturated(a: Value, b: Value) -> Value:
    limits = np.iinfo(np.int32)
    return np.clip(a.astype(np.int64) - b, limits.min, limits.max).astype(np.int32)


def multiply_wide(wide: str, a: Value, b: Value) -> Value:
    dtype = DTYPE[wide]
    return a.astype(dtype) * b.astype(dtype)


def multiply_high(narrow: str, a: Value, b: Value) -> Value:
    """The upper half of the product of 16- or 32-bit numbers."""
    dtype = DTYPE[widened(narrow)]
    bits = int(narrow[1:])
    return ((a.astype(dtype) * b.astype(dtype)) >> dtype.type(bits)).astype(DTYPE[narrow])


def multiply_high_u64(a: Value, b: Value) -> Value:
    """The upper 64 bits of a 128-bit product, by 32-bit halves."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a1, a0, b1, b0 = a >> half, a & low, b >> half, b & low
    middle = a1 * b0 + ((a0 * b0) >> half)
    other = a0 * b1 + (middle & low)
    return a1 * b1 + (middle >> half) + (other >> half)


def multiply_high_s64(a: Value, b: Value) -> Value:
    ua, ub = a.view(np.uint64), b.view(np.uint64)
    zero = np.uint64(0)
    high = multiply_high_u64(ua, ub) - np.where(a < 0, ub, zero) - np.where(b < 0, ua, zero)
    return high.view(np.int64)


def low_24(signed: bool, a: Value) -> Value:
    """The low 24 bits, sign-extended where signed, as 64 bits."""
    if signed:
        return ((a.astype(np.int64) << 40) >> 40).astype(np.int64)
    return (a & np.uint32(0xFFFFFF)).astype(np.uint64)


def multiply_24(high: bool, signed: bool, a: Value, b: Value) -> Value:
    """`mul24`: the low 32 bits of the 48-bit product, or bits 47 to 16 (.hi)."""
    product = low_24(signed, a) * low_24(signed, b)
    if high:
        product = product >> product.dtype.type(16)
    return product.astype(np.int32 if signed else np.uint32)


def divide(a: Value, b: Value) -> Value:
    """Truncating division; a zero divisor gives all ones (unspecified in PTX, seen on GPUs)."""
    if a.dtype.kind == "u":
        quotient = a // np.where(b == 0, b.dtype.type(1), b)
        return np.where(b == 0, ~b.dtype.type(0), quotient)
    size = f"u{a.dtype.itemsize}"
    quotient = magnitude(a) // magnitude(np.where(b == 0, b.dtype.type(1), b))
    signed = np.where((a < 0) != (b < 0), -quotient, quotient).astype(size).view(a.dtype)
    return np.where(b == 0, a.dtype.type(-1), signed)


def remainder(a: Value, b: Value) -> Value:
    """`a - b * (a / b)`, with the dividend's sign; a zero divisor gives the dividend."""
    quotient = divide(a, b)
    return np.where(b == 0, a, a - quotient * b)


def magnitude(a: Value) -> Value:
    """|a| of a signed value, unsigned, exact for the most negative number too."""
    bits = a.view(f"u{a.dtype.itemsize}")
    return np.where(a < 0, -bits, bits)


def absolute_difference(a: Value, b: Value) -> Value:
    return np.where(a > b, a - b, b - a)


def sum_of_absolute_difference(a: Value, b: Value, c: Value) -> Value:
    return c + absolute_difference(a, b)


def dot_product(lanes: int, a_signed: bool, b_signed: bool, high: bool) -> Function:
    """`dp4a` (four bytes by four bytes) and `dp2a` (two halves by two bytes of b)."""
    width = 32 // lanes

    def part(x: Value, index: int, bits: int, signed: bool) -> Value:
        piece = (x >> np.uint32(index * bits)) & np.uint32((1 << bits) - 1)
        wide = piece.astype(np.int64)
        return ((wide << (64 - bits)) >> (64 - bits)) if signed else wide

    def dot(a: Value, b: Value, c: Value) -> Value:
        total = c.astype(np.int64)
        for index in range(lanes):
            of_b = index + (2 if high else 0)
            total = total + part(a, index, width, a_signed) * part(b, of_b, 8, b_signed)
        return total.astype(np.uint64).astype(np.uint32)

    return dot


@meaning("add", "sub", flags="cc sat rn rz rm rp ftz")
def _add_sub(form: Form) -> Meaning | None:
    if form.type not in _INTEGERS:
        return floating.add_sub(form)
    plain = operator.add if form.opcode == "add" else operator.sub
    if form.flags == {"sat"}:
        clipped = add_saturated if form.opcode == "add" else sub_saturated
        return Meaning(clipped, ("s32",), ("s32", "s32")) if form.type == "s32" else None
    u = unsigned(form.type)
    if form.flags == {"cc"}:
        carrying = add_carry_out if form.opcode == "add" else sub_carry_out
        return Meaning(carrying, (u, "pred"), (u, u))
    return None if form.flags else Meaning(plain, (u,), (u, u))


@meaning("addc", "subc", flags="cc")
def _add_sub_carry(form: Form) -> Meaning:
    u = unsigned(form.type)
    function: Function = add_carry_in_out if form.opcode == "addc" else sub_carry_in_out
    if "cc" in form.flags:
        return Meaning(function, (u, "pred"), (u, u, "pred"))
    return Meaning(lambda a, b, c: function(a, b, c)[0], (u,), (u, u, "pred"))


@meaning("mul", flags="lo hi wide rn rz rm rp ftz sat")
def _mul(form: Form) -> Meaning | None:
    if form.type not in _INTEGERS:
        return floating.multiply(form)
    return product(form.type, form.flags)


def product(ptx_type: str, flags: frozenset[str]) -> Meaning | None:
    """`mul.lo`, `mul.hi` and `mul.wide` of an integer type."""
    if flags == {"lo"}:
        u = unsigned(ptx_type)
        return Meaning(operator.mul, (u,), (u, u))
    if flags == {"wide"} and ptx_type[1:] != "64":
        wide = widened(ptx_type)
        return Meaning(partial(multiply_wide, wide), (wide,), (ptx_type, ptx_type))
    if flags == {"hi"}:
        function: Function = {
            "u64": multiply_high_u64,
            "s64": multiply_high_s64,
        }.get(ptx_type, partial(multiply_high, ptx_type))
        return Meaning(function, (ptx_type,), (ptx_type, ptx_type))
    return None


@meaning("mad", flags="lo hi wide sat cc rn rz rm rp ftz")
def _mad(form: Form) -> Meaning | None:
    if form.type not in _INTEGERS:
        return floating.fused(form)
    times = product(form.type, form.flags - {"cc", "sat"})
    if times is None:
        return None
    multiply, result = times.function, times.results[0]
    if "sat" in form.flags:
        if form.type != "s32":
            return None
        return Meaning(
            lambda a, b, c: add_saturated(multiply(a, b), c), (result,), (*times.sources, result)
        )
    u = unsigned(result)
    dtype = DTYPE[u]
    if "cc" in form.flags:
        return Meaning(
            lambda a, b, c: add_carry_out(multiply(a, b).view(dtype), c),
            (u, "pred"),
            (*times.sources, u),
        )
    if result == u:
        return Meaning(lambda a, b, c: multiply(a, b) + c, (u,), (*times.sources, u))
    return Meaning(lambda a, b, c: multiply(a, b).view(dtype) + c, (u,), (*times.sources, u))


@meaning("madc", flags="lo hi cc")
def _madc(form: Form) -> Meaning | None:
    times = product(form.type, form.flags - {"cc"})
    if times is None or form.type == "pred":
        return None
    multiply, u = times.function, unsigned(form.type)
    dtype = DTYPE[u]
    if "cc" in form.flags:
        return Meaning(
            lambda a, b, c, k: add_carry_in_out(multiply(a, b).view(dtype), c, k),
            (u, "pred"),
            (*times.sources, u, "pred"),
        )
    return Meaning(
        lambda a, b, c, k: add_carry_in_out(multiply(a, b).view(dtype), c, k)[0],
        (u,),
        (*times.sources, u, "pred"),
    )


@meaning("mul24", flags="lo hi")
def _mul24(form: Form) -> Meaning:
    function = partial(multiply_24, "hi" in form.flags, form.type == "s32")
    return Meaning(function, (form.type,), (form.type, form.type))


@meaning("mad24", flags="lo hi sat")
def _mad24(form: Form) -> Meaning | None:
    times = partial(multiply_24, "hi" in form.flags, form.type == "s32")
    t = form.type
    if "sat" in form.flags:
        if form.flags != {"hi", "sat"} or t != "s32":
            return None
        return Meaning(lambda a, b, c: add_saturated(times(a, b), c), (t,), (t, t, t))
    return Meaning(lambda a, b, c: times(a, b) + c, (t,), (t, t, t))


@meaning("div", flags="rn rz rm rp ftz approx full")
def _div(form: Form) -> Meaning | None:
    if form.type not in _INTEGERS:
        return floating.division(form)
    return Meaning(divide, (form.type,), (form.type, form.type))


@meaning("rem")
def _rem(form: Form) -> Meaning:
    return Meaning(remainder, (form.type,), (form.type, form.type))


@meaning("abs", flags="ftz")
def _abs(form: Form) -> Meaning | None:
    if form.type not in _INTEGERS:
        return floating.absolute(form)
    return Meaning(magnitude, (unsigned(form.type),), (form.type,))


@meaning("neg", flags="ftz")
def _neg(form: Form) -> Meaning | None:
    if form.type not in _INTEGERS:
        return floating.negate(form)
    u = unsigned(form.type)
    return Meaning(operator.neg, (u,), (u,))


@meaning("min", "max", flags="ftz NaN xorsign abs relu")
def _min_max(form: Form) -> Meaning | None:
    if form.type not in _INTEGERS:
        return floating.minimum_maximum(form)
    if form.flags - {"relu"}:
        return None
    function: Function = np.minimum if form.opcode == "min" else np.maximum
    if "relu" in form.flags:
        inner = function

        def function(a: Value, b: Value) -> Value:
            return np.maximum(inner(a, b), a.dtype.type(0))

    return Meaning(function, (form.type,), (form.type, form.type))


@meaning("sad")
def _sad(form: Form) -> Meaning | None:
    if form.type == "pred":
        return None
    t, u = form.type, unsigned(form.type)
    if t == u:
        return Meaning(sum_of_absolute_difference, (u,), (u, u, u))
    dtype = DTYPE[u]
    return Meaning(lambda a, b, c: absolute_difference(a, b).view(dtype) + c, (u,), (t, t, u))


@meaning("dp4a")
def _dp4a(form: Form) -> Meaning | None:
    if len(form.types) != 2:
        return None
    a, b = form.types
    return Meaning(dot_product(4, a == "s32", b == "s32", False), ("u32",), ("u32", "u32", "s32"))


@meaning("dp2a", flags="lo hi")
def _dp2a(form: Form) -> Meaning | None:
    if len(form.types) != 2:
        return None
    a, b = form.types
    function = dot_product(2, a == "s32", b == "s32", "hi" in form.flags)
    return Meaning(function, ("u32",), ("u32", "u32", "s32"))
