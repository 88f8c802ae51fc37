"""Formulas computed for other values of their roots, by the same C arithmetic they came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from operator import add, mul, neg, pos, sub

from perflint.base.records import dataclass
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import DOUBLE, LLONG, Value
from perflint.frontend.source.language.constant_folding import library_call, logical
from perflint.frontend.source.language.terms import (
    UNWRAPPED,
    Applied,
    Constant,
    Repeated,
    Root,
    Term,
    Turn,
    Unknown,
)

#: Turns of one loop that are made on paper, and of one that hangs on a root: that one is made
#: again for each value that is tried. Loops that find a power of two have some dozens.
TURNS, ROOT_TURNS = 10_000, 300


def whole(number: int) -> Constant:
    """A number as a formula."""
    return Constant(Value(number, LLONG))


def power_of_two(term: Term) -> Term:
    """The formula of whether a formula's number is a power of two: `(n & (n - 1)) == 0`."""
    zero, one = (Constant(Value(n, c_types.INT)) for n in (0, 1))
    both = Applied("&", (term, Applied("-", (term, one))))
    return Applied("==", (both, zero), weight=2 * term.weight + 3)


def evaluate(
    term: Term, roots: Sequence[Root], values: Sequence[int | float]
) -> int | float | None:
    """The number that a formula has where the roots have these values; None where C has none."""
    found = value_of(term, roots, values)
    return None if found is None else found.number


def with_room(
    term: Term, roots: Sequence[Root], values: Sequence[int | float]
) -> int | float | None:
    """As `evaluate`, as if integers had room for any number: what C would have wrapped, or not had.

    None where something else is computed of such a number: `bytes / 4`.
    """
    bare = term.arguments[0] if isinstance(term, Applied) and term.operator == UNWRAPPED else term
    return _counted(bare, _Scope(roots, values))


def value_of(term: Term, roots: Sequence[Root], values: Sequence[int | float]) -> Value | None:
    """As `evaluate`, with its type."""
    return _value(term, _Scope(roots, values))


@dataclass(frozen=True)
class _Scope:
    """What formulas are computed with."""

    roots: Sequence[Root]
    values: Sequence[int | float]
    turns: Mapping[Turn, Value] = field(default_factory=dict)
    known: dict[int, Value | None] = field(default_factory=dict)  #: by the formula's identity


def _value(term: Term, scope: _Scope) -> Value | None:
    if isinstance(term, Constant):
        return Value(term.value.number, term.value.type)
    if isinstance(term, Unknown):
        number = scope.values[term.root]
        wide = Value(number, LLONG if isinstance(number, int) else DOUBLE)
        return c_types.convert(wide, scope.roots[term.root].type)
    if isinstance(term, Turn):
        return scope.turns.get(term)
    if id(term) not in scope.known:
        if isinstance(term, Repeated):
            scope.known[id(term)] = _repeated(term, scope)
        elif term.operator == UNWRAPPED:
            scope.known[id(term)] = _unwrapped(term.arguments[0], scope)
        else:
            arguments = [_value(a, scope) for a in term.arguments]
            scope.known[id(term)] = _applied(term.operator, arguments, term.type)
    return scope.known[id(term)]


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
    if operator == "element":
        index, *items = present
        return items[int(index.number)] if 0 <= index.number < len(items) else None
    word, _, name = operator.partition(" ")
    if word == "call":
        return library_call(name, present)
    return c_types.unary(name, *present) if word == "unary" else c_types.binary(word, *present)


#: What has no room in C wraps here; bits are meant to.
_COUNTING: dict[str, Callable[..., int]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "unary -": neg,
    "convert": pos,
}
_BITWISE = ("&", "|", "^", "unary ~")


def _unwrapped(term: Term, scope: _Scope) -> Value | None:
    found = _value(term, scope)
    return found if found is not None and _counted(term, scope) == found.number else None


def _counted(term: Term, scope: _Scope) -> int | float | None:
    """A number with room for any; None where something that has wrapped is counted with."""
    found = _value(term, scope)
    if not isinstance(term, Applied) or term.operator in _BITWISE:
        return None if found is None else found.number
    if term.operator == "select":
        condition = _value(term.arguments[0], scope)
        return _counted(term.arguments[1 if condition and condition.number else 2], scope)
    parts = [_counted(a, scope) for a in term.arguments]
    whole = [part for part in parts if isinstance(part, int)]
    is_whole = len(whole) == len(parts) and (found is None or found.type.kind == "int")
    if is_whole and term.operator in _COUNTING:
        return _COUNTING[term.operator](*whole)
    if found is None:
        return None
    same = parts == [v and v.number for a in term.arguments for v in (_value(a, scope),)]
    return found.number if same else None


# --- loops ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Same:
    """A loop by what a turn of it does: it is read anew from each place that asks for it."""

    term: Repeated

    def __hash__(self) -> int:
        return self.term.shape

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Same):
            return False
        mine, theirs = self.term, other.term
        return mine is theirs or (mine.loop == theirs.loop and mine.inner == theirs.inner)


def _repeated(term: Repeated, scope: _Scope) -> Value | None:
    start = [_value(part, scope) for part in term.start]
    known = tuple(v for v in start if v is not None)
    if len(known) < len(start):
        return None
    inner = sorted(frozenset().union(*(part.roots for part in term.inner)))
    given = tuple((r, scope.roots[r].type, scope.values[r]) for r in inner)
    if any(part.turns - {term.loop} for part in term.inner):
        return _after(term, known, scope)
    return _after_known(_Same(term), known, given, bool(term.roots))


@lru_cache(maxsize=4096)
def _after_known(
    same: _Same,
    start: tuple[Value, ...],
    given: tuple[tuple[int, c_types.CType, int | float], ...],
    hangs: bool,
) -> Value | None:
    """As `_after`, kept: one loop is asked for again and again with the same numbers."""
    count = 1 + max((r for r, _, _ in given), default=-1)
    roots = [Root("", c_types.INT, 0)] * count
    values: list[int | float] = [0] * count
    for index, kind, number in given:
        roots[index], values[index] = Root("", kind, 0), number
    return _after(same.term, start, _Scope(roots, values), ROOT_TURNS if hangs else TURNS)


def states_of(term: Repeated) -> list[Value]:
    """What a loop's result is when each turn begins, of a loop that hangs on nothing."""
    start = [_value(part, _Scope((), ())) for part in term.start]
    held = tuple(v for v in start if v is not None)
    found: list[Value] = []
    while len(held) == len(start) and len(found) < TURNS:
        here = _Scope((), (), {Turn(term.loop, i): value for i, value in enumerate(held)})
        holds, result = _value(term.condition, here), _value(term.result, here)
        if holds is None or result is None:
            return []
        if not holds.number:
            return found
        found.append(result)
        held = tuple(v for part in term.step if (v := _value(part, here)) is not None)
    return []


def _after(
    term: Repeated, start: tuple[Value, ...], scope: _Scope, most: int = ROOT_TURNS
) -> Value | None:
    """The value behind a loop; None if it has more turns than are made."""
    held: tuple[Value, ...] = start
    for _ in range(most):
        now = {Turn(term.loop, i): value for i, value in enumerate(held)}
        here = replace(scope, turns={**scope.turns, **now}, known={})
        holds = _value(term.condition, here)
        if holds is None:
            return None
        if not holds.number:
            return _value(term.result, here)
        following = [_value(part, here) for part in term.step]
        present = tuple(v for v in following if v is not None)
        if len(present) < len(following) or present == held:
            return None  # what has no value, or never ends
        held = present
    return None
