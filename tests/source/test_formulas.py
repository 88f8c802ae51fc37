"""Formulas of host values: for other roots they give what reading would have given."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from perflint.frontend.source.facts import read
from perflint.frontend.source.language.evaluation import evaluate
from perflint.frontend.source.language.model import LaunchSite

NUMBERS = st.integers(0, 70_000)
LEAVES = st.one_of(st.sampled_from(("n", "m", "size", "3", "128u", "7L", "2.5f")))


def _binary(parts: tuple[str, str, str]) -> str:
    left, operator, right = parts
    return f"({left} {operator} {right})"


EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(("+", "-", "*", "/", "%", "<", "==")), inner).map(_binary),
        st.tuples(inner, inner, inner).map(lambda p: f"({p[0]} < {p[1]} ? {p[2]} : {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"min({p[0]}, {p[1]})"),
        inner.map(lambda e: f"(unsigned)({e})"),
        inner.map(lambda e: f"ceil({e} / 32.0)"),
    ),
    max_leaves=6,
)


def _launch(expression: str, known: str) -> LaunchSite:
    text = f"""
    __global__ void k(int a, float b) {{}}
    {known or "void run(int n, unsigned m, size_t size) {"}
        int a = {expression};
        k<<<1, 1>>>(a, {expression});
    }}"""
    return read(Path("formulas.cu"), text).launches[0]


@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS, NUMBERS, NUMBERS, NUMBERS)
def test_a_formula_gives_what_reading_gives(expression: str, n: int, m: int, size: int) -> None:
    values = {"n": n, "m": m, "size": size}
    known = f"const int n = {n}; const unsigned m = {m}u; const size_t size = {size};"
    wanted, open_ = _launch(expression, f"void run() {{ {known}"), _launch(expression, "")
    assume(not open_.supposing)  # one arm of a condition was chosen
    assume(all(root.name in values for root in open_.roots))  # no C: `n % 2.5f`
    chosen = [values[root.name] for root in open_.roots]
    for read_, formula in zip(wanted.arguments, open_.arguments, strict=True):
        if formula.term is not None:
            found = evaluate(formula.term, open_.roots, chosen)
            # C says nothing of `n / 0`, and reading looks at no condition of equal arms.
            assume(found is not None or not re.search("[/%]", expression))
            assert found == read_.value
        elif formula.value is not None:
            assert formula.value == read_.value
