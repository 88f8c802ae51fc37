"""Formulas computed for other values of their roots, by the same C arithmetic they came from."""

from __future__ import annotations

from collections.abc import Sequence

from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import DOUBLE, LLONG, Value
from perflint.frontend.source.constant_folding import library_call, logical
from perflint.frontend.source.terms import Constant, Root, Term, Unknown


def evaluate(
    term: Term, roots: Sequence[Root], values: Sequence[int | float]
) -> int | float | None:
    """The number that a formula has where the roots have these values; None where C has none."""
    found = _value(term, roots, values, {})
    return None if found is None else found.number


def _value(
    term: Term,
    roots: Sequence[Root],
    values: Sequence[int | float],
    known: dict[int, Value | None],
) -> Value | None:
    if isinstance(term, Constant):
        return Value(term.value.number, term.value.type)
    if isinstance(term, Unknown):
        number = values[term.root]
        wide = Value(number, LLONG if isinstance(number, int) else DOUBLE)
        return c_types.convert(wide, roots[term.root].type)
    if id(term) not in known:
        arguments = [_value(a, roots, values, known) for a in term.arguments]
        known[id(term)] = _applied(term.operator, arguments, term.type)
    return known[id(term)]


def _applied(
    operator: str, arguments: Sequence[Value | None], kind: c_types.CType | None
) -> Value | None:
    if operator in ("&&", "||"):
        return logical(operator, *arguments)
    if operator == "select":
        condition, one, other = arguments
        return None if condition is None else one if condition.number else other
    present = [a for a in arguments if a is not None]
    if len(present) < len(arguments):
        return None
    if operator == "convert":
        return None if kind is None else c_types.convert(present[0], kind)
    word, _, name = operator.partition(" ")
    if word == "call":
        return library_call(name, present)
    return c_types.unary(name, *present) if word == "unary" else c_types.binary(word, *present)
