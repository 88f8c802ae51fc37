"""Floating-point instructions against exact rational arithmetic (PTX ISA 9.7.3 to 9.7.5)."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim.values import DTYPE
from tests.sim.exact import bits_to_float, rounded, same
from tests.sim.test_integer_meanings import meaning

MODES = ("rn", "rz", "rm", "rp")
WIDTH = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def finite(ptx_type: str) -> st.SearchStrategy[float]:
    """Finite numbers of a format: any bits, and clusters that cancel or tie."""
    any_bits = st.integers(0, 2 ** WIDTH[ptx_type] - 1).map(lambda b: bits_to_float(b, ptx_type))
    near_one = st.integers(-8, 8).map(lambda k: 1.0 + k * 2.0**-7)
    powers = st.integers(-14, 14).map(lambda k: 2.0**k)
    drawn = st.one_of(any_bits, near_one, powers, st.sampled_from([0.0, -0.0, 3.0, -1.0]))
    return drawn.filter(math.isfinite)


def close(ptx_type: str) -> st.SearchStrategy[float]:
    """Numbers of one magnitude, so that sums are inexact by all amounts."""
    precision = {"f32": 24, "f64": 53}[ptx_type]
    mantissa = st.integers(2 ** (precision - 1), 2**precision - 1)
    scaled = st.tuples(mantissa, st.integers(-60, 10), st.sampled_from([1, -1]))
    return scaled.map(lambda t: t[2] * math.ldexp(t[0], t[1] - precision))


def held(value: float, ptx_type: str) -> np.ndarray:
    if ptx_type == "bf16":
        return (np.array([value], np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.array([value], DTYPE[ptx_type])


def number(value: np.ndarray, ptx_type: str) -> float:
    if ptx_type == "bf16":
        return bits_to_float(int(value[0]), "bf16")
    return float(value[0])


def run(name: str, ptx_type: str, *operands: float) -> float:
    with np.errstate(all="ignore"):
        found = meaning(name, len(operands) + 1).function(*(held(x, ptx_type) for x in operands))
    return number(np.atleast_1d(found), ptx_type)


def signed_zero(exact: Fraction, name: str, mode: str, *terms: float) -> float:
    """The sign of an exact zero: of like terms theirs, else + (- when rounding down)."""
    if exact != 0:
        return rounded(exact, name, mode)
    signs = {math.copysign(1, t) for t in terms}
    if len(signs) == 1:
        return math.copysign(0.0, signs.pop())
    return -0.0 if mode == "rm" else 0.0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("t", ["f32", "f64"])
@given(data=st.data())
def test_sum_product_quotient_round_once(t: str, mode: str, data: st.DataObject) -> None:
    a, b = data.draw(st.one_of(st.tuples(finite(t), finite(t)), st.tuples(close(t), close(t))))
    total = Fraction(a) + Fraction(b)
    assert same(run(f"add.{mode}.{t}", t, a, b), signed_zero(total, t, mode, a, b))
    difference = Fraction(a) - Fraction(b)
    assert same(run(f"sub.{mode}.{t}", t, a, b), signed_zero(difference, t, mode, a, -b))
    product = Fraction(a) * Fraction(b)
    sign = math.copysign(1, a) * math.copysign(1, b)
    want = rounded(product, t, mode) if product else math.copysign(0.0, sign)
    assert run(f"mul.{mode}.{t}", t, a, b) == want
    if a and b:
        assert run(f"div.{mode}.{t}", t, a, b) == rounded(Fraction(a) / Fraction(b), t, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("t", ["f32", "f64"])
@given(data=st.data())
def test_fused_multiply_add_rounds_once(t: str, mode: str, data: st.DataObject) -> None:
    drawn = st.one_of(st.tuples(*[finite(t)] * 3), st.tuples(*[close(t)] * 3))
    a, b, c = data.draw(drawn)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    sign = math.copysign(1, a) * math.copysign(1, b)
    want = signed_zero(exact, t, mode, sign, c)
    assert same(run(f"fma.{mode}.{t}", t, a, b, c), want)


def test_fma_f32_halfway_in_float64() -> None:
    """Where the float64 sum ties between two float32 and only the lost bits decide."""
    a, b, c = 1.0 + 2.0**-23, 1.0 + 2.0**-23, 2.0**-60
    assert run("fma.rn.f32", "f32", a, b, c) == rounded(
        Fraction(a) * Fraction(b) + Fraction(c), "f32"
    )
    many = np.arange(1, 2000, dtype=np.float32)
    got = meaning("fma.rn.f32", 4).function(many, many + 1, np.float32(2.0**-30))
    for k, value in enumerate(got.tolist(), start=1):
        assert value == rounded(Fraction(k * (k + 1)) + Fraction(1, 2**30), "f32")


@pytest.mark.parametrize("t", ["f16", "bf16"])
@given(data=st.data())
def test_halves_round_once(t: str, data: st.DataObject) -> None:
    a, b, c = data.draw(st.tuples(*[finite(t)] * 3))
    if Fraction(a) + Fraction(b):
        assert run(f"add.{t}", t, a, b) == rounded(Fraction(a) + Fraction(b), t)
    if Fraction(a) * Fraction(b) and (t == "f16" or abs(a * b) > 1e-30):
        assert run(f"mul.{t}", t, a, b) == rounded(Fraction(a) * Fraction(b), t)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact and (t == "f16" or abs(exact) > 2.0**-120):
        assert run(f"fma.rn.{t}", t, a, b, c) == rounded(exact, t)


@pytest.mark.parametrize("mode", MODES)
@given(st.floats(2.0**-100, 2.0**100, width=32))
def test_roots_and_reciprocals(mode: str, a: float) -> None:
    assert run(f"rcp.{mode}.f32", "f32", a) == rounded(1 / Fraction(a), "f32", mode)
    root = run(f"sqrt.{mode}.f32", "f32", a)
    below = Fraction(root) ** 2 <= Fraction(a)
    above = Fraction(root) ** 2 >= Fraction(a)
    if mode in ("rz", "rm"):
        assert below
    if mode == "rp":
        assert above
    assert abs(root - math.sqrt(a)) <= math.ulp(np.float32(root).item()) * 2**30


def test_minimum_and_maximum() -> None:
    """PTX ISA 9.7.3.11: a number beats NaN, .NaN the other way, -0 is less than +0."""
    nan = math.nan
    for name, a, b, want in [
        ("min.f32", nan, 1.0, 1.0), ("max.f32", 1.0, nan, 1.0), ("min.f32", nan, nan, nan),
        ("min.NaN.f32", nan, 1.0, nan), ("max.NaN.f32", 2.0, 1.0, 2.0),
        ("min.f32", 0.0, -0.0, -0.0), ("max.f32", -0.0, 0.0, 0.0), ("min.f32", -1.0, 2.0, -1.0),
    ]:  # fmt: skip
        assert same(run(name, "f32", a, b), want), name


def test_saturation_and_flushing() -> None:
    tiny = 2.0**-130
    assert run("add.sat.f32", "f32", 0.75, 0.75) == 1.0
    assert run("add.sat.f32", "f32", -3.0, 0.75) == 0.0
    assert run("add.sat.f32", "f32", math.nan, 1.0) == 0.0
    assert run("mul.ftz.f32", "f32", tiny, 1.0) == 0.0
    assert same(run("mul.ftz.f32", "f32", -tiny, 1.0), -0.0)
    assert run("mul.f32", "f32", tiny, 1.0) == tiny
    assert run("add.ftz.f32", "f32", 2.0**-126, -(2.0**-127)) != 2.0**-127


def test_signs_keep_a_nans_payload() -> None:
    payload = np.array([0x7FC12345, 0xFFC12345], np.uint32)
    assert meaning("neg.f32", 2).function(payload).tolist() == [0xFFC12345, 0x7FC12345]
    assert meaning("abs.f32", 2).function(payload).tolist() == [0x7FC12345, 0x7FC12345]
    assert run("copysign.f32", "f32", -1.0, 3.0) == -3.0


#: name, the function in f64, and the least and greatest argument that the bound is stated for
APPROXIMATIONS = [
    ("rcp.approx.f32", lambda x: 1 / x, 2.0**-126, 2.0**126),
    ("sqrt.approx.f32", np.sqrt, 2.0**-126, 2.0**127),
    ("rsqrt.approx.f32", lambda x: 1 / np.sqrt(x), 2.0**-126, 2.0**127),
    ("ex2.approx.f32", np.exp2, -125.0, 127.0),
    ("lg2.approx.f32", np.log2, 2.0**-126, 2.0**127),
    ("sin.approx.f32", np.sin, -2 * math.pi, 2 * math.pi),
    ("cos.approx.f32", np.cos, -2 * math.pi, 2 * math.pi),
    ("tanh.approx.f32", np.tanh, -16.0, 16.0),
]


@pytest.mark.parametrize(
    ("name", "function", "low", "high"), APPROXIMATIONS, ids=[row[0] for row in APPROXIMATIONS]
)
@given(data=st.data())
def test_approximations(name: str, function: Any, low: float, high: float, data: Any) -> None:
    """2^-23 relative is the tightest bound that PTX ISA 9.7.3 states for any of them (`rcp`)."""
    low, high = float(np.float32(low)), float(np.float32(high))
    x = data.draw(st.floats(low, high, width=32, allow_subnormal=False))
    exact = function(np.float64(x))
    found = float(run(name, "f32", x))
    if abs(exact) < 2.0**-126:
        assert abs(found) <= 2.0**-126
    else:
        assert abs(found - exact) <= 2.0**-23 * abs(exact)


@pytest.mark.parametrize(
    ("test", "expected"),
    [("finite", [1, 1, 0, 0, 1]), ("infinite", [0, 0, 1, 0, 0]), ("number", [1, 1, 1, 0, 1]),
     ("notanumber", [0, 0, 0, 1, 0]), ("normal", [1, 0, 0, 0, 0]), ("subnormal", [0, 1, 0, 0, 0])],
)  # fmt: skip
def test_testp(test: str, expected: list[int]) -> None:
    values = np.array([1.0, 2.0**-130, math.inf, math.nan, 0.0], np.float32)
    assert meaning(f"testp.{test}.f32", 2).function(values).tolist() == [bool(e) for e in expected]


# --- comparison -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [  # of (1,2), (2,2), (3,2), (nan,2): the tables of PTX ISA 9.7.6
        ("eq", "0100"), ("ne", "1010"), ("lt", "1000"), ("le", "1100"), ("gt", "0010"),
        ("ge", "0110"), ("equ", "0101"), ("neu", "1011"), ("ltu", "1001"), ("leu", "1101"),
        ("gtu", "0011"), ("geu", "0111"), ("num", "1110"), ("nan", "0001"),
    ],
)  # fmt: skip
def test_float_comparisons(name: str, expected: str) -> None:
    a, b = np.array([1, 2, 3, math.nan], np.float32), np.float32(2)
    want = [c == "1" for c in expected]
    assert meaning(f"setp.{name}.f32", 3).function(a, b).tolist() == want
    assert meaning(f"set.{name}.u32.f32", 3).function(a, b).tolist() == [
        0xFFFFFFFF if w else 0 for w in want
    ]
    assert meaning(f"set.{name}.f32.f32", 3).function(a, b).tolist() == [float(w) for w in want]


def test_integer_comparisons_know_the_sign() -> None:
    bits = np.array([0xFFFFFFFF, 1], np.uint32)
    assert meaning("setp.lt.s32", 3).function(bits.view(np.int32), np.int32(0)).tolist() == [
        True, False,
    ]  # fmt: skip
    assert meaning("setp.hi.u32", 3).function(bits, np.uint32(1)).tolist() == [True, False]
    joined = meaning("setp.ge.and.u32", 4).function(bits, np.uint32(1), np.array([False, True]))
    assert joined.tolist() == [False, True]


# --- conversion -----------------------------------------------------------------------------------

INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")


def bounds(ptx_type: str) -> tuple[int, int]:
    info = np.iinfo(DTYPE[ptx_type])
    return int(info.min), int(info.max)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("source", INTEGERS)
@given(data=st.data())
def test_integers_to_floats_round_once(source: str, mode: str, data: st.DataObject) -> None:
    low, high = bounds(source)
    near = st.integers(-3, 3).map(lambda k: max(low, min(high, (1 << 24) + k)))
    value = data.draw(st.one_of(st.integers(low, high), st.sampled_from([low, high, 0]), near))
    for result in ("f32", "f64"):
        found = meaning(f"cvt.{mode}.{result}.{source}", 2)
        got = np.atleast_1d(found.function(np.array([value], DTYPE[source])))
        assert got.dtype == DTYPE[result]
        assert float(got[0]) == rounded(Fraction(value), result, mode)


@pytest.mark.parametrize("result", INTEGERS)
@given(value=st.one_of(finite("f64"), st.floats(-300, 300), st.integers(-(2**64), 2**64)))
def test_floats_to_integers_clamp(result: str, value: float) -> None:
    low, high = bounds(result)
    number = float(value)
    for mode, whole in (
        ("rzi", math.trunc), ("rmi", math.floor), ("rpi", math.ceil), ("rni", round),
    ):  # fmt: skip
        found = meaning(f"cvt.{mode}.{result}.f64", 2).function(np.array([number]))
        assert int(found[0]) == min(max(whole(number), low), high)


def test_nan_becomes_zero() -> None:
    for result in INTEGERS:
        found = meaning(f"cvt.rzi.{result}.f32", 2).function(np.array([np.nan], np.float32))
        assert int(found[0]) == 0


@pytest.mark.parametrize(("source", "result"), [("s32", "u8"), ("s64", "s32"), ("u32", "s8")])
def test_integers_to_integers(source: str, result: str) -> None:
    low, high = bounds(result)
    values = np.array([0, 1, 100, 127, 128, 255, 256, 70000, 2**31 - 1], DTYPE[source])
    clamped = meaning(f"cvt.sat.{result}.{source}", 2).function(values)
    assert clamped.tolist() == [min(max(int(v), low), high) for v in values]
    cut = meaning(f"cvt.{result}.{source}", 2).function(values)
    assert cut.tolist() == [(int(v) - low) % (high - low + 1) + low for v in values]


@pytest.mark.parametrize("result", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("mode", ["rn", "rz"])
@given(data=st.data())
def test_narrowing_rounds_once(result: str, mode: str, data: st.DataObject) -> None:
    source = "f64" if result == "f32" else "f32"
    value = data.draw(finite(source))
    found = meaning(f"cvt.{mode}.{result}.{source}", 2)
    with np.errstate(all="ignore"):
        got = number(np.atleast_1d(found.function(held(value, source))), result)
    want = rounded(Fraction(value), result, mode)
    if not math.isinf(want) or mode == "rn":
        assert got == want


def test_widening_and_integral_rounding() -> None:
    half = np.array([0x3C00, 0xC100], np.uint16).view(np.float16)
    assert meaning("cvt.f32.f16", 2).function(half).tolist() == [1.0, -2.5]
    values = np.array([-2.5, -0.5, 0.5, 1.5], np.float32)
    for mode, want in (
        ("rni", [-2, 0, 0, 2]), ("rzi", [-2, 0, 0, 1]), ("rmi", [-3, -1, 0, 1]),
        ("rpi", [-2, 0, 1, 2]),
    ):  # fmt: skip
        assert meaning(f"cvt.{mode}.f32.f32", 2).function(values).tolist() == want
    assert meaning("cvt.sat.f32.f32", 2).function(values).tolist() == [0, 0, 0.5, 1]


def test_packing_two_halves() -> None:
    high, low = np.float32(1.0), np.float32(-2.0)
    packed = int(meaning("cvt.rn.f16x2.f32", 3).function(high, low))
    assert struct.unpack("<2e", packed.to_bytes(4, "little")) == (-2.0, 1.0)
    assert int(meaning("cvt.rn.bf16x2.f32", 3).function(high, low)) == 0x3F80C000
    relu = int(meaning("cvt.rn.relu.f16x2.f32", 3).function(high, low))
    assert struct.unpack("<2e", relu.to_bytes(4, "little")) == (0.0, 1.0)


def test_tf32_keeps_ten_mantissa_bits() -> None:
    bits = np.array([0x3F801000, 0x3F800FFF, 0x3F803000], np.uint32).view(np.float32)
    assert meaning("cvt.rna.tf32.f32", 2).function(bits).tolist() == [
        0x3F802000, 0x3F800000, 0x3F804000,
    ]  # fmt: skip


def test_packed_halves_are_two_of_each() -> None:
    a = np.frombuffer(struct.pack("<4e", 1, 2, -3, 4), np.uint32)
    b = np.frombuffer(struct.pack("<4e", 5, 6, 7, 8), np.uint32)
    total = meaning("add.f16x2", 3).function(a, b)
    assert struct.unpack("<4e", total.tobytes()) == (6, 8, 4, 12)
    product = meaning("fma.rn.f16x2", 4).function(a, b, a)
    assert struct.unpack("<4e", product.tobytes()) == (6, 14, -24, 36)
    flipped = meaning("neg.f16x2", 2).function(a)
    assert struct.unpack("<4e", flipped.tobytes()) == (-1, -2, 3, -4)
    x, y = (np.array([n], np.uint32) for n in (0x0001FFFF, 0x00020003))
    assert meaning("add.u16x2", 3).function(x, y).tolist() == [0x00030002]


@pytest.mark.parametrize("dtype", ["u32", "s32"])
def test_a_comparison_of_pairs_has_a_half_of_its_mask_for_each(dtype: str) -> None:
    ones, pair = np.array([0x3C003C00], np.uint32), np.array([0x40003800], np.uint32)  # 2, 0.5
    assert meaning(f"set.lt.{dtype}.f16x2", 3).function(ones, pair).tolist() == [0xFFFF0000]
    assert meaning(f"set.ge.{dtype}.f16x2", 3).function(ones, pair).tolist() == [0x0000FFFF]
    one = meaning(f"set.lt.{dtype}.bf16x2", 3).function(
        np.uint32(0x3F803F80), np.uint32(0x40003F00)
    )
    assert int(one) == 0xFFFF0000


def test_unknown_forms_have_no_meaning() -> None:
    from perflint.grammar.model import Instruction, Register
    from perflint.sim.meaning import meanings_of

    for name in ("tex.2d.v4.f32.f32", "cvt.rn.e4m3x2.f32", "add.rz.f16", "mul.f128"):
        opcode, *modifiers = name.split(".")
        written = tuple(Register(f"%r{k}") for k in range(3))
        assert not meanings_of(Instruction(opcode, tuple(modifiers), written, 0, 1))
