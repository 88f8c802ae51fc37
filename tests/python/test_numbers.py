"""Numbers of Python source that Numba takes for doubles."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.frontend.python.numbers import numbers_of

SOURCE = """\
RATE = 0.5
LEFT = 3.0


@cuda.jit
def kernel(a, out, LEFT):
    i = cuda.grid(1) + 1
    é, total = 1, float32(0)
    rest = -2
    total += RATE * a[i + 4, 2]
    for k in range(0, 8):
        rest = min(rest, 1.5) + (a[k] if total > 0.25 else 0)
    total *= 3
    out[0] = total ** 2 + float64(7) * LEFT
"""


def test_numbers_are_told_with_the_statements_that_they_reach() -> None:
    found = numbers_of(Path("k.py"), SOURCE).numbers
    seen = {(n.name, n.text): [s.line for s in n.statements] for n in found}
    assert seen == {
        ("RATE", "0.5"): [10],
        ("", "1"): [7],
        ("rest", "-2"): [12],
        ("", "1.5"): [12],
        ("", "0.25"): [12],
        ("", "0"): [12],
        ("", "3"): [13],
    }
    assert [n.span.column for n in found if n.name == "rest"] == [12]


@pytest.mark.parametrize("text", ["def k(:", "\0", "(" * 5000])
def test_what_is_no_python_has_none(text: str) -> None:
    assert not numbers_of(Path("k.py"), text).numbers
