"""Floating-point arithmetic (PTX ISA 9.7.3 to 9.7.5).

The `.approx` functions are computed to float32 or float64 accuracy, which is better than the
hardware's: their last bits differ from a GPU's.
"""

from __future__ import annotations

import operator
from functools import partial

import numpy as np

from perflint.sim.meaning import rounding
from perflint.sim.meaning.registry import Form, Function, Meaning, meaning
from perflint.sim.values import DTYPE, Value, bf16_to_f32, f32_to_bf16

_WIDE = ("f32", "f64")
#: The smallest normal number, by bytes.
_SMALLEST = {2: np.float16(2.0**-14), 4: np.float32(2.0**-126)}


def flushed(a: Value) -> Value:
    """`.ftz`: subnormal float32 and float16 become a zero of their sign."""
    small = np.abs(a) < _SMALLEST[a.dtype.itemsize]
    return np.where(small, np.copysign(a.dtype.type(0), a), a) if small.any() else a


def saturated(a: Value) -> Value:
    """`.sat`: clamped to [0, 1], NaN to 0."""
    kind = a.dtype.type
    return np.where(np.isnan(a), kind(0), np.minimum(np.maximum(a, kind(0)), kind(1)))


def decorated(function: Function, form: Form) -> Function:
    """A function of float32 or float16 with the form's `.ftz` and `.sat` around it."""
    if "ftz" in form.flags and form.type in ("f32", "f16"):
        plain = function

        def function(*sources: Value) -> Value:
            return flushed(plain(*(flushed(x) for x in sources)))

    if "sat" in form.flags:
        inner = function

        def saturating(*sources: Value) -> Value:
            return saturated(inner(*sources))

        return saturating
    return function


def through_f32(function: Function) -> Function:
    """A float32 function as one of brain floats; 24 bits are enough to round only once."""

    def on_bits(*sources: Value) -> Value:
        return f32_to_bf16(function(*(bf16_to_f32(x) for x in sources)))

    return on_bits


def fma_small(a: Value, b: Value, c: Value) -> Value:
    """a * b + c of half floats, rounded once: the product is exact in float64."""
    product = a.astype(np.float64) * b
    return rounding.to_odd(*rounding.two_sum(product, c.astype(np.float64)))


def fma_f16(a: Value, b: Value, c: Value) -> Value:
    return fma_small(a, b, c).astype(np.float16)


def fma_bf16(a: Value, b: Value, c: Value) -> Value:
    return rounding.f64_to_bf16(fma_small(*(bf16_to_f32(x) for x in (a, b, c))))


def add_sub(form: Form) -> Meaning | None:
    """`add` and `sub` of a floating-point type."""
    plain: Function = operator.add if form.opcode == "add" else operator.sub
    return binary(form, plain, rounding.add_f32, rounding.add_f64)


def binary(form: Form, plain: Function, f32: Function, f64: Function) -> Meaning | None:
    """A function of two numbers in a rounding mode; of halves to nearest only."""
    t, mode = form.type, form.rounding
    if t in _WIDE:
        function = plain
        if mode != "rn":
            rounded = f32 if t == "f32" else f64
            if form.opcode == "sub":
                function = lambda a, b: rounded(a, -b, mode)  # noqa: E731
            else:
                function = partial(rounded, mode=mode)
        return Meaning(decorated(function, form), (t,), (t, t))
    if mode != "rn":
        return None
    if t == "f16":
        return Meaning(decorated(plain, form), (t,), (t, t))
    if t == "bf16" and "sat" not in form.flags:
        return Meaning(through_f32(plain), (t,), (t, t))
    return None


def multiply(form: Form) -> Meaning | None:
    return binary(form, operator.mul, rounding.multiply_f32, rounding.multiply_f64)


@meaning("fma", flags="rn rz rm rp ftz sat relu")
def fused(form: Form) -> Meaning | None:
    """`fma` and the floating-point `mad`."""
    t, mode = form.type, form.rounding
    if "relu" in form.flags and t not in ("f16", "bf16"):
        return None
    if t == "f32":
        function: Function = rounding.fma_f32
    elif t == "f64":
        function = rounding.fma_f64
    elif mode == "rn" and t in ("f16", "bf16"):
        return _fused_half(form)
    else:
        return None
    if mode != "rn":
        function = partial(function, mode=mode)
    return Meaning(decorated(function, form), (t,), (t, t, t))


def _fused_half(form: Form) -> Meaning | None:
    """Subnormal halves are kept with `.ftz` too: see `decorated`."""
    t = form.type
    if t == "bf16":
        if form.flags - {"rn", "relu"}:
            return None
        function = through_f32(rectified) if "relu" in form.flags else None
        plain: Function = fma_bf16
    else:
        if form.flags >= {"sat", "relu"}:
            return None
        plain = fma_f16
        function = saturated if "sat" in form.flags else rectified if "relu" in form.flags else None
    if function is None:
        return Meaning(plain, (t,), (t, t, t))
    after = function
    return Meaning(lambda a, b, c: after(plain(a, b, c)), (t,), (t, t, t))


def rectified(a: Value) -> Value:
    """`.relu`: negative numbers and -0 become +0; NaN stays."""
    kind = a.dtype.type
    return np.where(a > 0, a, np.where(np.isnan(a), kind(np.nan), kind(0)))


def division(form: Form) -> Meaning | None:
    """`div`; the approximate forms are rounded to nearest."""
    if form.type not in _WIDE:
        return None
    return binary(form, operator.truediv, rounding.divide_f32, rounding.divide_f64)


def absolute(form: Form) -> Meaning | None:
    return _sign_bit(form, lambda bits, sign: bits & ~sign)


def negate(form: Form) -> Meaning | None:
    return _sign_bit(form, lambda bits, sign: bits ^ sign)


def _sign_bit(form: Form, change: Function) -> Meaning | None:
    """A change of the sign bit keeps a NaN's payload: it is done on the bits."""
    dtype = DTYPE[form.type]
    width = 8 * dtype.itemsize
    unsigned = np.dtype(f"u{dtype.itemsize}")
    pieces = 2 if form.type.endswith("x2") else 1
    sign = sum(1 << (width // pieces * (piece + 1) - 1) for piece in range(pieces))
    mask = unsigned.type(sign)
    bits = f"b{width}"

    def function(a: Value) -> Value:
        return change(a, mask)

    if "ftz" in form.flags:
        if pieces == 2:
            return None  # see packed.py
        return Meaning(
            lambda a: flushed(change(a.view(unsigned), mask).view(dtype)),
            (form.type,),
            (form.type,),
        )
    return Meaning(function, (bits,), (bits,))


def extreme(largest: bool, a: Value, b: Value) -> Value:
    """`min` and `max`: a number wins over a NaN, and -0 is less than +0."""
    unsigned = f"u{a.dtype.itemsize}"
    result = (np.fmax if largest else np.fmin)(a, b)
    x, y = a.view(unsigned), b.view(unsigned)
    return np.where(a == b, (x & y if largest else x | y).view(a.dtype), result)


def extreme_or_nan(largest: bool, a: Value, b: Value) -> Value:
    either = np.isnan(a) | np.isnan(b)
    return np.where(either, a.dtype.type(np.nan), extreme(largest, a, b))


def _signed_by_both(function: Function, a: Value, b: Value) -> Value:
    """`.xorsign.abs`: of the magnitudes, with the product's sign."""
    size = function(np.abs(a), np.abs(b))
    return np.where(np.signbit(a) != np.signbit(b), -size, size)


def minimum_maximum(form: Form) -> Meaning | None:
    if form.flags - {"ftz", "NaN", "xorsign", "abs"} or form.operands not in (3, 4):
        return None
    t = form.type
    function: Function = partial(
        extreme_or_nan if "NaN" in form.flags else extreme, form.opcode == "max"
    )
    if "xorsign" in form.flags:
        function = partial(_signed_by_both, function)
    if form.operands == 4:
        if t != "f32" or "xorsign" in form.flags:
            return None
        three = decorated(lambda a, b, c: function(function(a, b), c), form)
        return Meaning(three, (t,), (t, t, t))
    if t == "bf16":
        return Meaning(through_f32(function), (t,), (t, t))
    if t not in ("f16", *_WIDE):
        return None
    return Meaning(decorated(function, form), (t,), (t, t))


def in_double(function: Function) -> Function:
    """A function evaluated in float64 and rounded to its argument's type."""

    def evaluated(a: Value) -> Value:
        return function(a.astype(np.float64)).astype(a.dtype)

    return evaluated


_FUNCTIONS: dict[str, Function] = {
    "rsqrt": lambda a: 1.0 / np.sqrt(a),
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
}


@meaning(*_FUNCTIONS, flags="approx ftz")
def _function(form: Form) -> Meaning | None:
    t = form.type
    function = in_double(_FUNCTIONS[form.opcode])
    if t == "bf16":
        return Meaning(through_f32(function), (t,), (t,))
    if t not in ("f16", *_WIDE):
        return None
    return Meaning(decorated(function, form), (t,), (t,))


@meaning("rcp", "sqrt", flags="approx ftz rn rz rm rp")
def _reciprocal_root(form: Form) -> Meaning | None:
    t, mode = form.type, form.rounding
    if t not in _WIDE:
        return None
    one = DTYPE[t].type(1)
    divide = rounding.divide_f32 if t == "f32" else rounding.divide_f64
    if form.opcode == "rcp":
        return Meaning(decorated(lambda a: divide(one, a, mode), form), (t,), (t,))
    return Meaning(decorated(partial(rounding.root, mode=mode), form), (t,), (t,))


@meaning("copysign")
def _copysign(form: Form) -> Meaning | None:
    if form.type not in _WIDE:
        return None
    return Meaning(lambda a, b: np.copysign(b, a), (form.type,), (form.type, form.type))


_TESTS: dict[str, Function] = {
    "finite": np.isfinite,
    "infinite": np.isinf,
    "number": lambda a: ~np.isnan(a),
    "notanumber": np.isnan,
    "normal": lambda a: np.isfinite(a) & (np.abs(a) >= np.finfo(a.dtype).tiny),
    "subnormal": lambda a: (np.abs(a) < np.finfo(a.dtype).tiny) & (a != 0),
}


@meaning("testp", flags=" ".join(_TESTS))
def _testp(form: Form) -> Meaning | None:
    test = next(iter(form.flags), None)
    if form.type not in _WIDE or test is None:
        return None
    return Meaning(_TESTS[test], ("pred",), (form.type,))
