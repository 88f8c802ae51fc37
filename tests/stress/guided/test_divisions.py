"""Divisions cost z3 circuits, of which it counts no effort: they count before it is asked."""

from __future__ import annotations

from perflint.symbolic.solver import SAT, UNKNOWN, Solver
from perflint.symbolic.terms import Terms

EFFORT = 50_000


def _question(terms: Terms, count: int) -> list[tuple[int, ...]]:
    """`(x + 1) / y != 2`, `(x + 2) / y != 2`, …"""
    x, y = terms.scalar("x", "b32"), terms.scalar("y", "b32")
    sums = [terms.op("add", "b32", x, terms.const(each, "b32")) for each in range(count)]
    quotients = [terms.op("div_s", "b32", each, y) for each in sums]
    return [(terms.op("not", "p", terms.equal(each, 2)),) for each in quotients]


def test_many_divisions_by_a_variable_are_not_asked() -> None:
    terms = Terms()
    solver = Solver(terms, EFFORT, lambda variable: [])
    assert solver.solve(_question(terms, 60)).status == UNKNOWN
    assert solver.asked == {UNKNOWN: 1}  # a question all the same: of these there are so many
    assert solver._context is None


def test_divisions_by_what_is_known_are() -> None:
    terms = Terms()
    questions = _question(terms, 60)
    solver = Solver(terms, EFFORT, lambda variable: [])
    solver.solve(questions, {terms.scalar("y", "b32"): 4})
    assert solver._context is not None


def test_few_divisions_are() -> None:
    terms = Terms()
    solver = Solver(terms, 10 * EFFORT, lambda variable: [])
    assert solver.solve(_question(terms, 1)).status == SAT
