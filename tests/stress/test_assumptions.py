"""Assumptions: what they say of an input, which contradict each other, and which are none."""

from __future__ import annotations

import numpy as np
import pytest

from perflint.stress.assumptions import bounds, broken, check, read
from perflint.stress.target import StressError

ARRAYS = {"idx": np.array([1, 2, 3]), "row": np.array([0, 2, 1]), "x": np.array([0.5, 1.5, 2.5])}
SCALARS = {"n": 2048, "a": 1.5}


def one(text: str) -> str:
    return broken([read(text, ARRAYS, SCALARS)], ARRAYS, SCALARS)


@pytest.mark.parametrize(
    "text",
    ["n > 0", "0 <= idx < n", "idx[i] < idx[i + 1]", "idx[i - 1] < idx[i]", "x > 0.25",
     "idx == i + 1", "n // 2 == 1024 && idx * 2 <= 6", "not idx > 3", "idx > 7 or row < 3",
     "-idx < 0", "a == 1.5"],
)  # fmt: skip
def test_holds(text: str) -> None:
    assert one(text) == ""


@pytest.mark.parametrize(
    "text", ["n < 0", "idx < 3", "row[i] <= row[i + 1]", "x > 0.75", "idx != 2", "idx == i"]
)
def test_does_not_hold(text: str) -> None:
    assert one(text) == text


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["n < 100"], "`n < 100` and `n = 2048 of the launch` contradict each other"),
        (["idx < 5", "n > 0", "idx > 7"], "`idx < 5` and `idx > 7` contradict each other"),
        (["idx[i + 1] > 7", "idx < 5"], "`idx[i + 1] > 7` and `idx < 5` contradict"),
        (["idx != idx"], "`idx != idx` cannot hold"),
        (["idx > n", "idx < 100"], "contradict each other"),
        (["idx < 3", "row > idx", "row < 2", "idx > 1"], "contradict each other"),
        (["a > 2"], "`a > 2` and `a = 1.5 of the launch`"),
    ],
)
def test_contradictions(texts: list[str], told: str) -> None:
    with pytest.raises(StressError) as error:
        check([read(text, ARRAYS, SCALARS) for text in texts], ARRAYS, SCALARS)
    assert told in str(error.value)


def test_what_can_hold_together() -> None:
    texts = ["idx[i] <= idx[i + 1]", "0 <= idx", "idx < n", "x > 0.5", "x < 0.75", "idx < row"]
    texts.append("x % 2 < 1.75")
    check([read(text, ARRAYS, SCALARS) for text in texts], ARRAYS, SCALARS)


@pytest.mark.parametrize(
    "text",
    ["", "n", "n >", "n = 3", "m > 0", "idx[3] < 2", "idx[i * 2] < 1", "n ** 2 > 1", "n > 'a'",
     "__import__('os') > 1", "(lambda: 1)() > 0", "n < 1 < idx[j]", "n in idx", "True > n",
     "(" * 500 + "n" + ")" * 500],
)  # fmt: skip
def test_what_is_none(text: str) -> None:
    with pytest.raises(StressError, match="--assume"):
        read(text, ARRAYS, SCALARS)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], (-(1 << 31), 1 << 31)),
        (["idx < 100"], (-(1 << 31), 100)),
        (["0 <= idx < n"], (0, 2048)),
        (["idx * 3 < 1000000", "idx >= 7"], (7, 333334)),
        (["idx > 123456 or idx < -5"], (123457, 1 << 31)),
        (["row < 5", "idx[i] < idx[i + 1]"], (-(1 << 31), 1 << 31)),
    ],
)
def test_ranges(texts: list[str], expected: tuple[int, int]) -> None:
    said = [read(text, ARRAYS, SCALARS) for text in texts]
    assert bounds(said, "idx", ARRAYS, SCALARS, -(1 << 31), 1 << 31) == expected
