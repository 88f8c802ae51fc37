"""Affine values behave as the arrays they stand for, whatever is done with them."""

from __future__ import annotations

import operator
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.sim.affine_lanes import Affine, plain
from perflint.sim.meaning.bits import shift_left, shift_right
from perflint.sim.meaning.integer import multiply_wide
from perflint.sim.patterns import KINDS, Axes

_POINTS = np.array(list(product(range(3), range(5))), np.int64)
pytestmark = pytest.mark.filterwarnings("ignore:overflow")
AXES = Axes([_POINTS[:, 0], _POINTS[:, 1]], [2, 4], len(_POINTS))

#: Numbers around what widths of 8 to 64 bits make special.
edges = st.sampled_from([0, 1, 3, 4, 31, 32, 64, 127, 255, 256, 4096, 65535])
wide = st.builds(
    lambda power, near: (1 << power) + near, st.sampled_from([7, 8, 16, 31, 32, 63]), edges
)
numbers = st.builds(
    operator.mul, st.one_of(edges, wide, st.integers(0, 100)), st.sampled_from([1, -1])
)
kinds = st.sampled_from(["u2", "i2", "u4", "i4", "u8", "i8"])

BINARY: dict[str, Any] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "eq": operator.eq, "ne": operator.ne, "min": np.minimum, "max": np.maximum,
}  # fmt: skip


def affine(first: int, second: int, base: int, code: str) -> Any:
    """base + first * i + second * j over the box, as the machine would make it."""
    kind = KINDS[np.dtype(code)]
    index = [Affine(AXES.pattern(unit), 0, kind) for unit in ((1, 0), (0, 1))]
    scalars = [kind.scalar(number) for number in (first, second, base)]
    return index[0] * scalars[0] + index[1] * scalars[1] + scalars[2]


def expected(first: int, second: int, base: int, code: str) -> np.ndarray:
    whole = [base + first * int(i) + second * int(j) for i, j in _POINTS]
    bits = 8 * np.dtype(code).itemsize
    return np.array([n & ((1 << bits) - 1) for n in whole], f"u{bits // 8}").view(code)


def same(found: Any, wanted: Any) -> bool:
    full = np.broadcast_to(plain(found), len(_POINTS))
    wanted = np.broadcast_to(wanted, len(_POINTS))
    return full.dtype == wanted.dtype and full.tobytes() == wanted.tobytes()


@settings(max_examples=300, deadline=None)
@given(numbers, numbers, numbers, kinds)
def test_values(first: int, second: int, base: int, code: str) -> None:
    assert same(affine(first, second, base, code), expected(first, second, base, code))


@pytest.mark.parametrize("name", BINARY)
@settings(max_examples=120, deadline=None)
@given(
    a=st.tuples(numbers, numbers, numbers), b=st.tuples(numbers, numbers, numbers), code=kinds,
    scalar=st.sampled_from(["", "left", "right"]),
)  # fmt: skip
def test_two_operands(
    name: str, a: tuple[int, int, int], b: tuple[int, int, int], code: str, scalar: str
) -> None:
    a = (0, 0, a[2]) if scalar == "left" else a
    b = (0, 0, b[2]) if scalar == "right" else b
    function = BINARY[name]
    found = function(affine(*a, code), affine(*b, code))
    assert same(found, function(expected(*a, code), expected(*b, code)))


@settings(max_examples=300, deadline=None)
@given(numbers, numbers, numbers, kinds, st.integers(0, 70))
def test_shifts(first: int, second: int, base: int, code: str, count: int) -> None:
    value, array = affine(first, second, base, code), expected(first, second, base, code)
    for shift in (shift_left, shift_right):
        assert same(shift(value, np.uint32(count)), shift(array, np.uint32(count)))


@settings(max_examples=300, deadline=None)
@given(
    numbers, numbers, numbers, kinds, st.sampled_from(["u1", "i1", "u2", "i2", "u4", "i8", "u8"])
)
def test_conversions(first: int, second: int, base: int, code: str, other: str) -> None:
    value, array = affine(first, second, base, code), expected(first, second, base, code)
    assert same(value.astype(other), array.astype(other))
    assert same(value.astype("f8"), array.astype("f8"))
    assert same(-value, -array)
    assert same(~value, ~array)
    size = np.dtype(code).itemsize
    for kind in "uif" if size > 1 else "ui":
        assert same(value.view(f"{kind}{size}"), array.view(f"{kind}{size}"))


@settings(max_examples=100, deadline=None)
@given(numbers, numbers, numbers, numbers, st.sampled_from(["u4", "i4"]))
def test_wide_products(first: int, second: int, base: int, by: int, code: str) -> None:
    value, array = affine(first, second, base, code), expected(first, second, base, code)
    factor = KINDS[np.dtype(code)].scalar(by)
    result = "u64" if code == "u4" else "s64"
    assert same(multiply_wide(result, value, factor), multiply_wide(result, array, factor))


def test_numpy_takes_them_for_arrays() -> None:
    value, array = affine(2, 3, 7, "u4"), expected(2, 3, 7, "u4")
    assert np.array_equal(np.where(array > 9, value, np.uint32(0)), np.where(array > 9, array, 0))
    assert np.array_equal(np.concatenate([value, value]), np.concatenate([array, array]))
    assert (np.ndim(value), len(value), int(value.max())) == (1, 15, 23)
    assert np.array_equal(value[np.array([1, 4])], array[[1, 4]])
    assert np.array_equal(value // np.uint32(3), array // np.uint32(3))
    assert value.moved(AXES.subset(np.array([0, 14]))).array.tolist() == [7, 23]


def test_what_is_kept_is_bounded() -> None:
    count = 1 << 20
    axes = Axes([np.arange(count)], [count - 1], count)
    for step in range(1, 30):
        found = Affine(axes.pattern((step,)), 0, KINDS[np.dtype("u8")]).array
        assert int(found[-1]) == step * (count - 1)
    kept = [p for p in axes._patterns.values() if "offsets" in p.__dict__]
    assert 0 < len(kept) < 10
