"""Generators: what they make, that their text reads back, and what is no generator."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.profile.arguments import ArgumentSpecError, made, parse
from perflint.stress import generators as g
from perflint.stress.generator_text import parse as read

INTEGER = np.dtype(np.int32)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("7", [7, 7, 7, 7, 7, 7]),
        ("-1", [-1] * 6),
        ("i", [0, 1, 2, 3, 4, 5]),
        ("32*i", [0, 32, 64, 96, 128, 160]),
        ("3*i-2", [-2, 1, 4, 7, 10, 13]),
        ("9-i", [9, 8, 7, 6, 5, 4]),
        ("reversed", [5, 4, 3, 2, 1, 0]),
        ("5*i mod 7", [0, 5, 3, 1, 6, 4]),
        ("plus(-2, i mod 3)", [-2, -1, 0, -2, -1, 0]),
        ("cycle(3, 17)", [3, 17, 3, 17, 3, 17]),
        ("blocks(2, 10*i)", [0, 0, 10, 10, 20, 20]),
        ("repeat(2, i+1)", [1, 2, 1, 2, 1, 2]),
        ("every(3, 1, 0)", [1, 0, 0, 1, 0, 0]),
        ("at(4, i, 0)", [0, 0, 0, 0, 4, 0]),
        ("sorted(4*i mod 5)", [0, 0, 1, 2, 3, 4]),
        ("merged(3, 1)", [6, 7, 8, 9, 10, 11]),
        ("rows(20, 1)", [0, 4, 8, 12, 16, 20]),
        ("rows(20, at(1, 1, 0))", [0, 0, 20, 20, 20, 20]),
        ("rows(20, 0)", [0, 0, 0, 0, 0, 0]),
    ],
)
def test_what_they_make(text: str, values: list[int]) -> None:
    found = read(text)
    assert g.array(found, INTEGER, 6).tolist() == values
    assert found.text == text


def test_random_ones_hold_what_they_say() -> None:
    some = g.array(read("random(3, 50)"), INTEGER, 4000)
    assert some.min() == 0 and some.max() == 49
    fractions = g.array(read("random(3)"), np.dtype(np.float32), 4000)
    assert 0 <= fractions.min() < 0.01 and 0.99 < fractions.max() <= 1
    assert sorted(g.array(read("shuffled(1)"), INTEGER, 99).tolist()) == list(range(99))
    assert (g.array(read("random(3, 50)"), INTEGER, 4000) == some).all()
    assert (g.array(read("random(4, 50)"), INTEGER, 4000) != some).any()


_numbers = st.integers(-(10**6), 10**6)
_sizes = st.integers(1, 1000)


def _nested(inner: st.SearchStrategy[g.Generator]) -> st.SearchStrategy[g.Generator]:
    return st.one_of(
        st.builds(g.Modulo, inner, _sizes),
        st.builds(g.Plus, inner, _numbers),
        st.builds(g.Blocks, _sizes, inner),
        st.builds(g.Repeat, _sizes, inner),
        st.builds(g.Every, _sizes, inner, inner),
        st.builds(g.At, st.integers(0, 99), inner, inner),
        st.builds(g.Sorted, inner),
        st.builds(g.Rows, _sizes, inner),
    )


_generators = st.recursive(
    st.one_of(
        st.builds(g.Constant, st.one_of(_numbers, st.floats(-1e6, 1e6))),
        st.builds(g.Affine, _numbers, _numbers),
        st.just(g.Reversed()),
        st.builds(g.Random, st.integers(0, 9), st.one_of(st.none(), _sizes)),
        st.builds(g.Shuffled, st.integers(0, 9)),
        st.builds(g.Cycle, st.lists(_numbers, min_size=1, max_size=5).map(tuple)),
    ),
    _nested,
    max_leaves=4,
)


@given(_generators, st.integers(1, 70))
def test_a_text_reads_back_as_an_array_like_it(generator: g.Generator, count: int) -> None:
    again = read(generator.text)
    assert again.text == generator.text
    mine, its = (g.array(each, np.dtype(np.float64), count) for each in (generator, again))
    assert np.array_equal(mine, its)


@pytest.mark.parametrize(
    "text",
    ["", "j", "i*3", "32*", "random()", "random(1, 0)", "blocks(0, i)", "i mod 0", "i i",
     "at(1, 2)", "cycle()", "rows(1.5, i)", "9" * 19, "sorted(" * 20 + "i" + ")" * 20,
     "every(-1, 0, 1)", "$"],
)  # fmt: skip
def test_what_is_none(text: str) -> None:
    with pytest.raises(g.GeneratorError):
        read(text)


@pytest.mark.parametrize("text", ["0.5", "300", "-1", f"{10**17}*i mod 3"])
def test_what_fits_no_byte(text: str) -> None:
    with pytest.raises(g.GeneratorError):
        g.array(read(text), np.dtype(np.uint8), 1000)


def test_launches_take_them() -> None:
    launch = parse(
        "k<<<1,32>>>(a=32*i mod 100:s32[4,4], b=rows(9, at(0, 1, 0)):u32[3], c=random:f32[4])"
    )
    a, b, _ = (made(name, value, 0) for name, value in launch.arguments)
    assert a.shape == (4, 4) and a.reshape(-1)[:5].tolist() == [0, 32, 64, 96, 28]
    assert b.tolist() == [0, 9, 9]


@pytest.mark.parametrize("fill", ["nothing", "blocks(0, i)", "32*", "-1-"])
def test_launches_say_what_is_none(fill: str) -> None:
    with pytest.raises(ArgumentSpecError, match="argument 'a'"):
        parse(f"k<<<1,32>>>(a={fill}:s32[4])")


def test_launches_say_what_does_not_fit() -> None:
    with pytest.raises(ArgumentSpecError, match="which no uint8 holds"):
        made("a", dict(parse("k<<<1,1>>>(a=32*i:u8[9])").arguments)["a"], 0)
