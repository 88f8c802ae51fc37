"""The laws of every domain: a semilattice, monotone transfer, sound arithmetic, an end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.analysis import intervals
from perflint.analysis.intervals import ANY, State, constant, interval
from perflint.analysis.provenance import UNKNOWN
from perflint.analysis.symbols import Base, Parameter

bounds = st.integers(-60, 60)
states: st.SearchStrategy[State] = st.one_of(
    st.none(),
    st.just(ANY),
    bounds.map(constant),
    st.tuples(bounds, st.integers(0, 60), st.integers(1, 9), st.integers(0, 8)).map(
        lambda t: interval(t[0], t[0] + t[1], t[2], t[3])
    ),
    st.tuples(bounds, st.integers(1, 9)).map(lambda t: interval(t[0], float("inf"), t[1], t[0])),
)


def sets(*members: Any) -> st.SearchStrategy[frozenset[Any]]:
    return st.frozensets(st.sampled_from(members))


def _union(a: Any, b: Any) -> Any:
    return a | b


def _in_set(a: Any, b: Any) -> bool:
    return bool(a | b == b)


#: Name, states, join, order.
DOMAINS: list[tuple[str, st.SearchStrategy[Any], Callable[[Any, Any], Any], Any]] = [
    ("ranges", states, intervals.join, intervals.leq),
    ("dependence, liveness, precision", st.integers(0, 127), _union, _in_set),
    (
        "provenance",
        sets(UNKNOWN, Base("shared", "tile"), Parameter(0), Parameter(1, 8)),
        _union,
        _in_set,
    ),
]
named = pytest.mark.parametrize(
    ("strategy", "join", "leq"), [d[1:] for d in DOMAINS], ids=[d[0] for d in DOMAINS]
)


@named
@given(data=st.data())
def test_join_is_a_least_upper_bound(
    data: st.DataObject, strategy: Any, join: Callable[[Any, Any], Any], leq: Any
) -> None:
    a, b, c = (data.draw(strategy) for _ in range(3))
    assert join(a, a) == a
    assert join(a, b) == join(b, a)
    assert join(join(a, b), c) == join(a, join(b, c))
    assert leq(a, join(a, b))
    if leq(a, c) and leq(b, c):
        assert leq(join(a, b), c)
    assert leq(a, b) == (join(a, b) == b)


@given(states, states)
def test_widening_is_above_both_and_ends(a: State, b: State) -> None:
    wide = intervals.widen(a, b)
    assert intervals.leq(a, wide)
    assert intervals.leq(b, wide)
    steps = 0
    while (wider := intervals.widen(wide, intervals.join(wide, b))) != wide:
        wide, steps = wider, steps + 1
    assert steps <= 4


@given(states, states)
def test_narrowing_stays_between(old: State, new: State) -> None:
    if new is not None and intervals.leq(new, old):
        between = intervals.narrow(old, new)
        assert intervals.leq(new, between)
        assert intervals.leq(between, old)


@given(states, states)
def test_meet_holds_what_both_hold(a: State, b: State) -> None:
    both = intervals.meet(a, b)
    for value in range(-64, 130):
        if a is not None and b is not None and value in a and value in b:
            assert both is not None
            assert value in both


BINARY = {
    "add": (intervals.add, lambda x, y: x + y),
    "multiply": (intervals.multiply, lambda x, y: x * y),
}
WITH_NUMBER = {
    "floor_divide": (intervals.floor_divide, lambda x, n: x // n),
    "remainder": (intervals.remainder, lambda x, n: abs(x) % n * (1 if x >= 0 else -1)),
    "masked": (intervals.masked, lambda x, n: x & n),
}


def some(state: State) -> list[int]:
    """A few values of a state."""
    return [] if state is None else [v for v in range(-70, 130) if v in state][:40:3]


@pytest.mark.parametrize("name", BINARY)
@given(a=states, b=states)
def test_arithmetic_is_sound(name: str, a: State, b: State) -> None:
    abstract, concrete = BINARY[name]
    if a is None or b is None:
        return
    out = abstract(a, b)
    for x in some(a):
        for y in some(b):
            assert out is not None
            assert concrete(x, y) in out


@pytest.mark.parametrize("name", WITH_NUMBER)
@given(a=states, n=st.integers(1, 70))
def test_arithmetic_with_a_number_is_sound(name: str, a: State, n: int) -> None:
    abstract, concrete = WITH_NUMBER[name]
    if a is None:
        return
    out = abstract(a, n)
    for x in some(a):
        assert out is not None
        assert concrete(x, n) in out


@pytest.mark.parametrize("name", BINARY)
@given(a=states, b=states, c=states)
def test_arithmetic_is_monotone(name: str, a: State, b: State, c: State) -> None:
    abstract, _ = BINARY[name]
    above = intervals.join(a, b)
    if a is not None and c is not None and above is not None:
        assert intervals.leq(abstract(a, c), abstract(above, c))


@pytest.mark.parametrize("name", WITH_NUMBER)
@given(a=states, b=states, n=st.integers(1, 70))
def test_arithmetic_with_a_number_is_monotone(name: str, a: State, b: State, n: int) -> None:
    abstract, _ = WITH_NUMBER[name]
    above = intervals.join(a, b)
    if a is not None and above is not None:
        assert intervals.leq(abstract(a, n), abstract(above, n))


COMPARISONS = {
    "lt": lambda x, y: x < y, "le": lambda x, y: x <= y, "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y, "eq": lambda x, y: x == y, "ne": lambda x, y: x != y,
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARISONS)
@given(a=states, b=states)
def test_assuming_keeps_what_may_pass(name: str, a: State, b: State) -> None:
    left = intervals.assume(a, name, b)
    assert intervals.leq(left, a)
    for x in some(a):
        if any(COMPARISONS[name](x, y) for y in some(b)):
            assert left is not None
            assert x in left
