"""Polynomials against integer arithmetic, and their printing."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.analysis import operations
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.simplify import build, value_range, zero_bits
from perflint.analysis.symbols import (
    BLOCK,
    LOADED,
    TID_X,
    TID_Y,
    Loop,
    Op,
    Opaque,
    Parameter,
    Special,
    Symbol,
)

X, Y = Special("%tid.x"), Special("%tid.y")
W, H = Parameter(0, 0, "u32"), Parameter(1, 0, "u32")
SYMBOLS: tuple[Symbol, ...] = (X, Y, W, H, Loop(4, 1))
NAMES = {W: "w", H: "h"}

Tree = tuple[Any, ...]

small = st.integers(-20, 20)
symbols = st.sampled_from(SYMBOLS)
trees = st.recursive(
    small.map(lambda n: ("number", n)) | symbols.map(lambda s: ("symbol", s)),
    lambda inner: st.tuples(st.sampled_from("+-*"), inner, inner),
    max_leaves=12,
)  # fmt: skip
values = st.fixed_dictionaries({s: st.integers(-50, 50) for s in SYMBOLS})


def as_polynomial(tree: Tree) -> Polynomial:
    match tree:
        case ("number", n):
            return Polynomial(n)
        case ("symbol", s):
            return Polynomial.of(s)
        case ("+", a, b):
            return as_polynomial(a) + as_polynomial(b)
        case ("-", a, b):
            return as_polynomial(a) - as_polynomial(b)
        case (_, a, b):
            return as_polynomial(a) * as_polynomial(b)
    raise AssertionError(tree)


def as_number(tree: Tree, at: dict[Symbol, int]) -> int:
    match tree:
        case ("number", n):
            return int(n)
        case ("symbol", s):
            return at[s]
        case ("+", a, b):
            return as_number(a, at) + as_number(b, at)
        case ("-", a, b):
            return as_number(a, at) - as_number(b, at)
        case (_, a, b):
            return as_number(a, at) * as_number(b, at)
    raise AssertionError(tree)


@given(trees, values)
def test_algebra_agrees_with_integers(tree: Tree, at: dict[Symbol, int]) -> None:
    assert as_polynomial(tree).evaluate(at) == as_number(tree, at)


@given(trees, trees, values)
def test_substitution_is_evaluation_in_two_steps(
    tree: Tree, put: Tree, at: dict[Symbol, int]
) -> None:
    replaced = as_polynomial(tree).substitute(lambda s: as_polynomial(put) if s == X else None)
    assert replaced.evaluate(at) == as_number(tree, {**at, X: as_number(put, at)})


@given(trees, trees)
def test_equal_polynomials_have_equal_hashes_and_texts(a: Tree, b: Tree) -> None:
    left, right = as_polynomial(("+", a, b)), as_polynomial(("+", b, a))
    assert (left, hash(left), left.text) == (right, hash(right), right.text)
    assert left - right == Polynomial()


@given(trees)
def test_coefficient_of_takes_a_linear_term_apart(tree: Tree) -> None:
    polynomial = as_polynomial(tree)
    rest = polynomial - polynomial.coefficient_of(X) * Polynomial.of(X)
    assert rest.coefficient_of(X) == Polynomial()


def test_huge_products_stay_evaluable() -> None:
    wide = Polynomial()
    for n in range(40):
        wide = wide + Polynomial.of(Parameter(n)) * (n + 1)
    square = wide * wide
    assert len(square.terms) <= Polynomial.max_terms
    at = {Parameter(n): n - 7 for n in range(40)}
    assert square.evaluate(at) == wide.evaluate(at) ** 2


def test_evaluation_over_lanes() -> None:
    lanes = np.arange(32)
    address = Polynomial.of(X) * Polynomial.of(W) * 4 + 16
    np.testing.assert_array_equal(address.evaluate({X: lanes, W: 10}), lanes * 40 + 16)


def test_a_symbol_without_a_value_is_named() -> None:
    with pytest.raises(KeyError, match="param"):
        Polynomial.of(W).evaluate({})


block = Polynomial.of(Special("%ctaid.x"))
x, y, w, h = (Polynomial.of(s) for s in (X, Y, W, H))


@pytest.mark.parametrize(
    ("polynomial", "text"),
    [
        (h * 4, "4*h"),
        (w * 4 + 4, "4*(w + 1)"),
        (x, "threadIdx.x"),
        (Polynomial.of(Special("%ntid.x")) * -1, "-blockDim.x"),
        (w * h * 8, "8*h*w"),
        (w * 2 - 6, "2*(w - 3)"),
        (w - h, "w - h"),
        (Polynomial(), "0"),
        (Polynomial(-12), "-12"),
        (Polynomial.of(Op("rem.s32", (x, w))) * 4, "4*(threadIdx.x % w)"),
        (Polynomial.of(Op("shr.u32", (x + 1, Polynomial(5)))), "((threadIdx.x + 1) >> 5)"),
        (Polynomial.of(Opaque("loaded", 3, "%r1", LOADED)) * 4, None),
    ],
)  # fmt: skip
def test_description_in_source_terms(polynomial: Polynomial, text: str | None) -> None:
    assert polynomial.describe(NAMES.get) == text


def test_dependence_is_that_of_all_symbols() -> None:
    mixed = x * w + Polynomial.of(Op("and.b32", (y + Polynomial.of(Special("%ctaid.x")), w)))
    assert mixed.depends == TID_X | TID_Y | BLOCK


# --- operations, and what is proved about them

#: Operation, and its value for 32-bit operands as the PTX manual defines it (C's for div and rem).
C_MEANING: dict[str, Callable[[int, int], int]] = {
    "and.b32": lambda a, b: a & b,
    "or.b32": lambda a, b: a | b,
    "xor.b32": lambda a, b: a ^ b,
    "min.s32": min,
    "max.s32": max,
    "div.s32": lambda a, b: int(np.fix(a / b)) if b else -1,
    "rem.s32": lambda a, b: a - int(np.fix(a / b)) * b if b else a,
    "shl.b32": lambda a, b: a << b if 0 <= b < 32 else 0,
}


@given(st.sampled_from(sorted(C_MEANING)), st.integers(-(2**20), 2**20), st.integers(0, 31))
def test_operations_over_numbers(name: str, a: int, b: int) -> None:
    assert int(operations.evaluate(name, [a, b])) == C_MEANING[name](a, b)


@given(st.integers(0, 2**32 - 1), st.integers(0, 31), st.integers(0, 31))
def test_bit_fields(a: int, position: int, length: int) -> None:
    field = (a >> position) & (2**length - 1)
    assert int(operations.evaluate("bfe.u32", [a, position, length])) == field
    put = int(operations.evaluate("bfi.b32", [field, 0, position, length]))
    assert put == field << position


@given(st.integers(-(2**31), 2**32 - 1))
def test_counting_bits(a: int) -> None:
    content = a % 2**32
    assert int(operations.evaluate("clz.b32", [a])) == 32 - content.bit_length()
    assert int(operations.evaluate("popc.b32", [a])) == content.bit_count()
    found = int(operations.evaluate("bfind.u32", [a]))
    shift = int(operations.evaluate("bfind.shiftamt.u32", [a]))
    assert found == content.bit_length() - 1
    assert shift == (-1 if content == 0 else 31 - found)
    assert int(operations.evaluate("popc.b64", [np.array(a)])) == (a % 2**64).bit_count()
    assert int(operations.evaluate("clz.b64", [np.array(a)])) == 64 - (a % 2**64).bit_length()


@given(*[st.integers(0, 2**32 - 1)] * 3)
def test_lop3_reads_its_table(a: int, b: int, c: int) -> None:
    """0xE8 is the majority, 0x96 the parity (PTX ISA, lop3: ta = 0xF0, tb = 0xCC, tc = 0xAA)."""
    assert operations.evaluate("lop3.b32", [a, b, c, 0xE8]) == (a & b) | (a & c) | (b & c)
    assert operations.evaluate("lop3.b32", [a, b, c, 0x96]) == a ^ b ^ c


thread_index = {X: st.integers(0, 1023), Y: st.integers(0, 1023), W: st.integers(1, 4096)}
operands = st.one_of(
    st.integers(0, 2047).map(Polynomial),
    st.tuples(st.sampled_from((X, Y)), st.sampled_from((1, 2, 4, 32, 1024)), st.integers(0, 3)).map(
        lambda t: Polynomial.of(t[0]) * t[1] + t[2]
    ),
    st.tuples(*[st.sampled_from((1, 3, 8, 32, 64))] * 2, st.integers(0, 70)).map(
        lambda t: Polynomial.of(X) * t[0] + Polynomial.of(Y) * t[1] + t[2]
    ),
    st.just(w * 16),
)


@settings(max_examples=300)
@given(
    st.sampled_from(
        ["and.b32", "or.b32", "xor.b32", "shl.b32", "shr.u32", "div.u32", "rem.u32", "min.u32"]
    ),
    operands,
    operands,
    st.fixed_dictionaries(thread_index),
)
def test_what_is_simplified_keeps_its_value(
    name: str, a: Polynomial, b: Polynomial, at: dict[Symbol, int]
) -> None:
    if name.startswith(("shl", "shr")):
        b = Polynomial((b.constant or 3) % 8)
    numbers = [a.evaluate(at), b.evaluate(at)]
    if numbers[1] == 0 and name.startswith(("div", "rem")):
        return
    assert int(build(name, (a, b)).evaluate(at)) == int(operations.evaluate(name, numbers))


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("or.b32", (x * 2, Polynomial(1)), x * 2 + 1),
        ("or.b32", (x, block * 1024), x + block * 1024),
        ("and.b32", (x, Polynomial(1023)), x),
        ("and.b32", (x * 4, Polynomial(-4)), x * 4),
        ("shr.u32", (x * 8, Polynomial(2)), x * 2),
        ("rem.u32", (x, Polynomial(2048)), x),
        ("and.b32", (w * 4, Polynomial(3)), Polynomial()),
        ("selp", (w + x, w + y, Polynomial(1)), w + x),
    ],
)  # fmt: skip
def test_bit_operations_that_are_polynomials(
    name: str, arguments: tuple[Polynomial, ...], result: Polynomial
) -> None:
    assert build(name, arguments) == result


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("or.b32", (x, Polynomial(1))), ("and.b32", (x, Polynomial(31))),
     ("and.b32", (w, Polynomial(-4))), ("rem.u32", (x, Polynomial(32))),
     ("shr.u32", (x, Polynomial(5))), ("or.b32", (x * 2, w))],
)  # fmt: skip
def test_bit_operations_that_are_none(name: str, arguments: tuple[Polynomial, ...]) -> None:
    assert build(name, arguments).symbol == Op(name, arguments)


def test_a_choice_between_two_places_of_one_array_keeps_the_array() -> None:
    base = Polynomial.of(Parameter(3))
    chosen = build("selp", (base + x, base + y, Polynomial.of(Op("setp.lt.s32", (w, h)))))
    assert chosen.terms[(Parameter(3),)] == 1


def _signs(value: Polynomial, places: int) -> Polynomial:
    """The sign of a 32-bit number in all bits, shifted down."""
    signs = Polynomial.of(Op("shr.s32", (value, Polynomial(31))))
    return Polynomial.of(Op("shr.u32", (signs, Polynomial(places))))


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("rem.s32", (x + 1, w), "((threadIdx.x + 1) % w)"),
        ("min.s32", (w, x * 4), "min(w, 4*threadIdx.x)"),
        ("selp", (x, y, Polynomial.of(Op("setp.lt.s32", (w, h)))),
         "((w < h) ? threadIdx.x : threadIdx.y)"),
        ("shl.b64", (Polynomial(1), Polynomial.of(Loop(7, 1))), "(1 << turn)"),
        ("xor.b32", (Polynomial.of(Loop(7, 2)), Polynomial.of(Special("%laneid"))),
         "(turn2 ^ lane)"),
        ("cvt.u8", (w,), "w"),
        ("shr.s32", (w + _signs(w, 28), Polynomial(4)), "(w / 16)"),
        ("shr.s32", (w + x + _signs(w + x, 28), Polynomial(4)), "((threadIdx.x + w) / 16)"),
        ("shr.s32", (w + _signs(w, 27), Polynomial(4)), "((((w >> 31) >> 27) + w) >> 4)"),
        ("shr.s32", (w + _signs(h, 28), Polynomial(4)), "((((h >> 31) >> 28) + w) >> 4)"),
        ("mul.hi.u32", (w, h), None),
        ("and.b32", (Polynomial.of(Opaque("merge", 3, "%r5", 0)), w), None),
    ],
)  # fmt: skip
def test_operations_in_the_words_of_c(
    name: str, arguments: tuple[Polynomial, ...], said: str | None
) -> None:
    found = Polynomial.of(Op(name, arguments)).describe(NAMES.get)
    assert found == said


def test_ranges_and_known_bits() -> None:
    assert value_range(x * 4 - y) == (-1023, 4092)
    assert value_range(w) is None
    assert zero_bits(x * 12 + 8) == 2


def test_by_how_much_one_is_beyond_another() -> None:
    rng = random.Random(5)
    symbols = [Polynomial.of(Parameter(i, 0, "u32")) for i in range(3)]

    def some() -> Polynomial:
        parts = (rng.randrange(3) * rng.choice(symbols) * rng.choice(symbols) for _ in range(3))
        return sum(parts, Polynomial(rng.randrange(-2, 3)))

    pairs = [(some(), some()) for _ in range(2000)]
    assert all(a.beyond(b) == (a - b).constant for a, b in pairs)
    assert {a.beyond(b) is None for a, b in pairs} == {True, False}


def test_long_ones_are_apart_as_well() -> None:
    long = sum((Polynomial.of(Parameter(i, 0, "u32")) for i in range(47)), Polynomial(3))
    assert (long + 4).beyond(long) == ((long + 4) - long).constant == 4
    assert long.beyond(Polynomial(3)) is None
