"""Video, packed, eight-bit and rarer instructions against Python's integers and NumPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim.meaning import Meaning, meanings_of
from perflint.sim.meaning.small_floats import decoded
from perflint.sim.values import DTYPE
from tests.sim.exact import bits_to_float
from tests.sim.test_forms import forms, module

EDGES = (0, 1, 2, 31, 32, 33, 127, 128, 255, 0x7FFF, 0x8000, 0xFFFF, 0x80000000, 0x7FFFFFFF,
         0xFFFFFFFF, 0x7F800000, 0x7FC00000, 0xFF800000, 0x3F800000, 0x00000001)  # fmt: skip
WORDS = st.one_of(st.sampled_from(EDGES), st.integers(0, 2**32 - 1))
TRIPLES = st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=8)


@cache
def meanings(text: str) -> tuple[Meaning, ...]:
    found = meanings_of(module([text]).kernels[0].instructions[0])
    assert found, text
    return found


def computed(text: str, rows: list[tuple[int, ...]], which: int = 0) -> list[int]:
    """The bits that an instruction gives, for rows of its sources' bits."""
    found = meanings(text)[which]
    columns = []
    for k, source in enumerate(found.sources):
        dtype = DTYPE[source]
        if dtype.kind == "b":
            columns.append(np.array([bool(row[k] & 1) for row in rows]))
            continue
        size = dtype.itemsize
        bits = [row[k] & (2 ** (8 * size) - 1) for row in rows]
        columns.append(np.array(bits, f"u{size}").view(dtype))
    with np.errstate(all="ignore"):
        out = found.function(*columns)
    if out.dtype.kind == "b":
        return [int(bit) for bit in out]
    return [int(bits) for bits in np.atleast_1d(out).view(f"u{out.dtype.itemsize}")]


# --- video, by the manual's pseudo-code -----------------------------------------------------------


def extended(word: int, selector: str, signed: bool) -> int:
    bits = {"b": 8, "h": 16}.get(selector[:1], 32)
    first = int(selector[1:]) * bits if selector else 0
    value = (word >> first) & (2**bits - 1)
    return value - 2**bits if signed and value >> (bits - 1) else value


def saturated(value: int, bits: int, signed: bool) -> int:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return min(max(value, low), high)


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
    "vavrg": lambda a, b: (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1,
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "gt": lambda a, b: int(a > b),
    "ge": lambda a, b: int(a >= b),
}


def video(text: str, a: int, b: int, c: int) -> int:
    """The result of a video instruction with a word for a result, or a part of one."""
    name, *operands = text.rstrip(";").replace(",", "").split()
    opcode, *modifiers = name.split(".")
    lanes = int(opcode[-1]) if opcode[-1] in "24" else 1
    opcode = opcode.rstrip("24")
    types = [m == "s32" for m in modifiers if m in ("u32", "s32")]
    if opcode == "vset":
        types = [False, *types]
    d_signed, a_signed, b_signed = types
    selectors = [o.partition(".")[2] for o in operands]
    second = next((m for m in modifiers if m in ("add", "min", "max")), None)
    if opcode == "vmad":
        negated = operands[3].startswith("-")
        product = extended(a, selectors[1], a_signed) * extended(b, selectors[2], b_signed)
        signed = a_signed or b_signed or negated
        total = product + (-1 if negated else 1) * extended(c, "", signed) + ("po" in modifiers)
        total >>= 7 if "shr7" in modifiers else 15 if "shr15" in modifiers else 0
        return (saturated(total, 32, signed) if "sat" in modifiers else total) & 0xFFFFFFFF
    if opcode in ("vshl", "vshr"):

        def operation(x: int, by: int) -> int:
            by = by & 31 if "wrap" in modifiers else min(by, 32)
            return x << by if opcode == "vshl" else x >> by
    else:
        operation = OPERATIONS[next((m for m in modifiers if m in OPERATIONS), opcode)]
    if lanes > 1:
        bits, out = 32 // lanes, extended(c, "", d_signed) if second else 0
        for k in range(lanes):
            selector = f"{'h' if lanes == 2 else 'b'}{k}"
            value = operation(extended(a, selector, a_signed), extended(b, selector, b_signed))
            value = saturated(value, bits, d_signed) if "sat" in modifiers else value
            out = out + value if second else out | (value & (2**bits - 1)) << (bits * k)
        return out & 0xFFFFFFFF
    value = operation(extended(a, selectors[1], a_signed), extended(b, selectors[2], b_signed))
    bits = {"b": 8, "h": 16}.get(selectors[0][:1], 32)
    if "sat" in modifiers:
        value = saturated(value, bits, d_signed)
    if second:
        value, other = extended(value & 0xFFFFFFFF, "", d_signed), extended(c, "", d_signed)
        return {"add": value + other, "min": min(value, other), "max": max(value, other)}[
            second
        ] & 0xFFFFFFFF
    if selectors[0]:
        first = int(selectors[0][1:]) * bits
        mask = (2**bits - 1) << first
        return (c & ~mask) | ((value << first) & mask)
    return value & 0xFFFFFFFF


VIDEO = [
    text for text in forms()
    if text.startswith("v") and not text.startswith("vote") and "s32.s32.u32.add" not in text[5:]
]  # fmt: skip


@pytest.mark.parametrize("opcode", sorted({text.split(".")[0] for text in VIDEO}))
@given(rows=TRIPLES)
def test_video(opcode: str, rows: list[tuple[int, int, int]]) -> None:
    for text in VIDEO:
        if text.split(".")[0] == opcode:
            assert computed(text, rows) == [video(text, *row) for row in rows], text


# --- integers -------------------------------------------------------------------------------------


def find_nth(mask: int, base: int, offset: int) -> int:
    """`fns`, by the manual's pseudo-code."""
    offset = offset - 2**32 if offset >> 31 else offset
    if offset == 0:
        return base if base < 32 and mask >> base & 1 else 0xFFFFFFFF
    at, left = base, abs(offset) - 1
    while 0 <= at < 32:
        if mask >> at & 1:
            if left == 0:
                return at
            left -= 1
        at += 1 if offset > 0 else -1
    return 0xFFFFFFFF


@given(
    rows=st.lists(
        st.tuples(WORDS, st.integers(0, 31), st.integers(-5, 5).map(lambda n: n & 0xFFFFFFFF)),
        min_size=1,
        max_size=8,
    )
)
def test_find_nth_set_bit(rows: list[tuple[int, int, int]]) -> None:
    want = [find_nth(*row) for row in rows]
    assert computed("fns.b32 %r1, %r2, %r3, %r4;", rows) == want


@given(rows=TRIPLES)
def test_lop3_with_a_predicate(rows: list[tuple[int, int, int]]) -> None:
    """The majority of the bits; the predicate says whether there is any, joined with another."""
    four = [(*row, row[0]) for row in rows]
    words = [(a & b) | (a & c) | (b & c) for a, b, c in rows]
    for join in ("and", "or"):
        text = f"lop3.{join}.b32 %r1|%p1, %r2, %r3, %r4, 0xe8, %p2;"
        assert computed(text, four) == words
        both = [(w != 0, bool(r[0] & 1)) for w, r in zip(words, rows, strict=True)]
        want = [int(p and q if join == "and" else p or q) for p, q in both]
        assert computed(text, four, 1) == want


@given(rows=TRIPLES)
def test_packing_saturates(rows: list[tuple[int, int, int]]) -> None:
    for kind, bits in (("u8", 8), ("s8", 8), ("u16", 16), ("s16", 16)):
        rest = ".b32 %r1, %r2, %r3, %r4;" if bits == 8 else " %r1, %r2, %r3;"
        want = []
        for a, b, c in rows:
            high, low = (
                saturated(extended(x, "", True), bits, kind[0] == "s") & (2**bits - 1)
                for x in (a, b)
            )
            packed = high << bits | low
            want.append((c << 16 | packed) & 0xFFFFFFFF if bits == 8 else packed)
        assert computed(f"cvt.pack.sat.{kind}.s32{rest}", rows) == want


# --- floats ---------------------------------------------------------------------------------------


def half(word: int, upper: int, kind: str) -> float:
    return bits_to_float((word >> (16 * upper)) & 0xFFFF, kind)


@pytest.mark.parametrize("kind", ["f16", "bf16"])
@given(rows=TRIPLES)
def test_packed_comparisons(kind: str, rows: list[tuple[int, int, int]]) -> None:
    tests: dict[str, Callable[[float, float], bool]] = {
        "eq": lambda a, b: a == b,
        "lt": lambda a, b: a < b,
        "geu": lambda a, b: not a < b,
        "nan": lambda a, b: a != a or b != b,
        "num": lambda a, b: a == a and b == b,
    }
    for name, test in tests.items():
        text = f"setp.{name}.{kind}x2 %p1|%p2, %r1, %r2;"
        for upper in (0, 1):
            want = [int(test(half(a, upper, kind), half(b, upper, kind))) for a, b, _ in rows]
            assert computed(text, rows, upper) == want, name


@given(rows=TRIPLES)
def test_magnitudes_with_the_sign_of_both(rows: list[tuple[int, int, int]]) -> None:
    for name in ("min", "max"):
        out = computed(f"{name}.xorsign.abs.f32 %f1, %f2, %f3;", rows)
        for (a, b, _), got in zip(rows, out, strict=True):
            sizes = [bits_to_float(x & 0x7FFFFFFF, "f32") for x in (a, b)]
            numbers = [x for x in sizes if x == x]
            number = bits_to_float(got, "f32")
            if not numbers:
                assert number != number
            else:
                assert abs(number) == (min if name == "min" else max)(numbers)
                assert got >> 31 == (a ^ b) >> 31


@given(rows=TRIPLES)
def test_extremes_of_three(rows: list[tuple[int, int, int]]) -> None:
    for name, pick in (("min", min), ("max", max)):
        out = computed(f"{name}.f32 %f1, %f2, %f3, %f4;", rows)
        for row, got in zip(rows, out, strict=True):
            numbers = [x for x in (bits_to_float(w, "f32") for w in row) if x == x]
            number = bits_to_float(got, "f32")
            assert number == pick(numbers) if numbers else number != number


@given(rows=TRIPLES)
def test_two_floats_in_a_register(rows: list[tuple[int, int, int]]) -> None:
    pairs = [(a << 32 | b, b << 32 | c) for a, b, c in rows]
    floats = [[np.uint32(x).view(np.float32) for x in row] for row in rows]
    with np.errstate(all="ignore"):
        for name, function in (("add", np.add), ("mul", np.multiply)):
            out = computed(f"{name}.rn.f32x2 %l1, %l2, %l3;", pairs)
            for (a, b, c), got in zip(floats, out, strict=True):
                halves = np.array([got], np.uint64).view(np.float32)
                want = np.array([function(b, c), function(a, b)])
                assert np.array_equal(halves, want, equal_nan=True)


@given(rows=TRIPLES)
def test_rectified_fused_halves(rows: list[tuple[int, int, int]]) -> None:
    for kind in ("f16", "bf16"):
        plain = computed(f"fma.rn.{kind} %h1, %h2, %h3, %h4;", rows)
        out = computed(f"fma.rn.relu.{kind} %h1, %h2, %h3, %h4;", rows)
        for before, after in zip(plain, out, strict=True):
            number = bits_to_float(before, kind)
            if number != number:
                assert bits_to_float(after, kind) != bits_to_float(after, kind)
            else:
                assert after == (before if number > 0 else 0)


@given(rows=TRIPLES)
def test_flushed_halves(rows: list[tuple[int, int, int]]) -> None:
    """`.ftz` makes zeros of half floats whose exponent is zero, before and after."""

    def flush(bits: int) -> int:
        return bits if bits & 0x7C00 else bits & 0x8000

    flushed = [tuple(flush(x & 0xFFFF) for x in row) for row in rows]
    plain = computed("add.f16 %h1, %h2, %h3;", flushed)
    out = computed("add.ftz.f16 %h1, %h2, %h3;", rows)
    for want, got in zip(map(flush, plain), out, strict=True):
        assert got == want or (want & 0x7FFF > 0x7C00 and got & 0x7FFF > 0x7C00)
    pairs = computed("neg.ftz.f16x2 %r1, %r2;", rows)
    for (a, *_), got in zip(rows, pairs, strict=True):
        for shift in (0, 16):
            want = flush((a >> shift) & 0xFFFF) ^ 0x8000
            have = (got >> shift) & 0xFFFF
            assert have == want or (want & 0x7FFF > 0x7C00 and have & 0x7FFF > 0x7C00)


LARGEST = {"e4m3": 448.0, "e5m2": 57344.0}


@pytest.mark.parametrize("kind", ["e4m3", "e5m2"])
@given(numbers=st.lists(st.floats(-1e5, 1e5, width=32), min_size=2, max_size=8))
def test_eight_bit_floats_are_the_nearest(kind: str, numbers: list[float]) -> None:
    table = decoded(kind, np.arange(128, dtype=np.uint8))
    finite = [(abs(float(x)), code) for code, x in enumerate(table) if np.isfinite(x)]
    rows = [tuple(int(np.float32(x).view(np.uint32)) for x in pair) for pair in pairwise(numbers)]
    out = computed(f"cvt.rn.satfinite.{kind}x2.f32 %h1, %f2, %f3;", rows)
    for pair, got in zip(pairwise(numbers), out, strict=True):
        for number, code in zip(pair, (got >> 8, got & 255), strict=True):
            size = min(abs(np.float32(number)), LARGEST[kind])
            near = min(finite, key=lambda each: (abs(each[0] - size), each[1] & 1))
            assert code & 127 == near[1]
            assert code >> 7 == int(np.signbit(np.float32(number)))


@pytest.mark.parametrize("kind", ["e4m3", "e5m2"])
def test_eight_bit_floats_survive_the_way_through_halves(kind: str) -> None:
    codes = [(code << 8 | code,) for code in range(256)]
    halves = computed(f"cvt.rn.f16x2.{kind}x2 %r1, %h2;", codes)
    back = computed(f"cvt.rn.satfinite.{kind}x2.f16x2 %h1, %r2;", [(h,) for h in halves])
    for (code,), got in zip(codes, back, strict=True):
        if (kind == "e4m3" and code & 127 < 127) or (kind == "e5m2" and code & 127 < 0x7C):
            assert got == code
    assert decoded("e4m3", np.array([0x7E, 1, 0x38, 0xB8], np.uint8)).tolist() == [
        448.0, 2.0**-9, 1.0, -1.0,
    ]  # fmt: skip


@given(rows=TRIPLES)
def test_tf32_rounds_to_ten_bits(rows: list[tuple[int, int, int]]) -> None:
    for mode in ("rn", "rna", "rz"):
        out = computed(f"cvt.{mode}.tf32.f32 %r1, %f2;", rows)
        for (word, *_), got in zip(rows, out, strict=True):
            if word & 0x7F800000 == 0x7F800000:
                continue  # infinities and NaN
            units, rest = (word & 0x7FFFFFFF) >> 13, word & 0x1FFF
            up = rest > 0x1000 or (rest == 0x1000 and (mode == "rna" or units & 1))
            want = (units + (up and mode != "rz")) << 13 | word & 0x80000000
            assert got == want, (mode, hex(word))
