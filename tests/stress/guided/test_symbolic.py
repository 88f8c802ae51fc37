"""Path conditions against the runs that they come from, and their negations against others."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from perflint.stress.guided import Options, explore
from perflint.stress.guided.execution import blocks_of, execute
from perflint.stress.guided.inputs import Space
from perflint.stress.guided.paths import State, clauses
from perflint.symbolic.conjuncts import merge
from perflint.symbolic.followed import Condition
from perflint.symbolic.solver import SAT, UNSAT, Solver
from perflint.symbolic.terms import Terms
from tests.stress.guided.subjects import NAMES, subject


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_path_condition_holds_for_the_input_that_made_it(name: str, seed: int) -> None:
    of = subject(name, seed)
    terms = Terms()
    space = Space(of, terms)
    found = execute(of, space.given(), terms, blocks_of(of, 64), 100_000, 24)
    assert found.run.stop is None and found.paths
    variables = [n for n, t in enumerate(terms.all) if t[0] in ("element", "scalar")]
    held = {each: space.value_in(space.given(), each) for each in variables}
    solver = Solver(terms, 1_000_000, lambda variable: [])
    for warp, path in found.paths.items():
        whole = clauses(terms, State(warp, path))
        assert solver.solve(whole, held).status == SAT
        for at, conjunct in enumerate(path):  # and no negation of it does
            negated = clauses(terms, State(warp, path[:at], conjunct))
            assert solver.solve(negated, held).status == UNSAT


def test_negations_lead_down_the_other_way() -> None:
    outcomes: Counter[str] = Counter()
    for name in NAMES:
        found = explore(subject(name), Options(states=6, strategy="symbolic"))
        outcomes.update(found.led)
        assert not found.discarded
    assert outcomes["as asked"] >= 0.99 * outcomes.total() and outcomes.total() > 60


def test_what_another_warp_chose_otherwise_is_a_reason_of_its_own() -> None:
    led = explore(subject("handed"), Options(states=24, strategy="symbolic")).led
    assert set(led) == {"as asked", "other data before"}


def test_what_is_concretised_is_counted_by_reason() -> None:
    found = explore(subject("concrete"), Options(states=2))
    assert set(found.concretised) == {"a loaded address", "an atomic's result", "sqrt"}
    assert found.values_concretised["sqrt"] >= 1


def test_votes_and_local_memory_are_symbolic() -> None:
    """Nothing of them is concretised, and what was not so in the first run becomes so."""
    for name in ("votes", "local_array"):
        found = explore(subject(name), Options(states=24, strategy="symbolic"))
        assert not found.concretised and not found.values_concretised
        assert set(found.led) == {"as asked"} and found.edges.share == 1


def test_bytes_of_a_word_are_symbolic() -> None:
    """A byte that is 17 is 1 in 256, and one above 250 is 5 in 256."""
    found = explore(subject("bytes"), Options(states=12))
    assert not found.concretised and not found.values_concretised
    assert set(found.led) == {"as asked"} and found.edges.share == 1


def test_what_other_values_of_the_warp_decide_is_concretised_and_counted() -> None:
    """`match`, `redux` and shuffles from a lane that data choose: what all lanes hold must stay."""
    found = explore(subject("groups"), Options(states=4, strategy="symbolic"))
    reasons = {"match", "redux", "a shuffle from a symbolic lane"}
    assert reasons <= set(found.concretised)
    of, terms = subject("groups"), Terms()
    path = execute(of, Space(of, terms).given(), terms, blocks_of(of, 64), 100_000, 24).paths[0]
    assert all(len(terms.variables(p)) for c in path for p in c.premises)
    assert {len(c.premises) for c in path} == {32}


def test_expressions_that_grow_without_end_are_cut_off() -> None:
    found = explore(subject("deep"), Options(states=2))
    assert found.values_concretised["a long expression"] > 0
    assert found.states[0].interference.execution > 0


def test_a_concretised_condition_is_not_turned_by_changing_what_it_rests_on() -> None:
    """`sqrtf(b[t]) > 2` is what it is as long as `b[t]` is: its negation cannot hold."""
    of = subject("concrete")
    terms = Terms()
    found = execute(of, Space(of, terms).given(), terms, blocks_of(of, 64), 100_000, 24)
    solver = Solver(terms, 1_000_000, lambda variable: [])
    root = [c for c in found.paths[0] if "sqrt" in c.reasons]
    assert root
    assert solver.solve(clauses(terms, State(0, (), root[0]))).status == UNSAT


def test_lanes_that_agree_are_one_expression() -> None:
    """A comparison of all threads is one node; alike lanes are one question to the solver."""
    of = subject("predicated")
    terms = Terms()
    found = execute(of, Space(of, terms).given(), terms, blocks_of(of, 64), 100_000, 24)
    assert max(len(c.slots) for c in found.followed.conditions) == 64
    first = found.paths[0][0]
    solver = Solver(terms, 1_000_000, lambda variable: [])
    assert len(first.literals) == 32
    assert solver.solve([(t,) for t in first.literals]).status == SAT
    assert solver.asked.total() <= 2  # those that hold, and those that do not


def test_merge_aligns_branches_by_their_place() -> None:
    """Algorithm 2: the paper's warp of T1 to T3 with a[T] <= 0 and b[T] <= 2."""
    from perflint.symbolic.expressions import Expressions

    e, terms = Expressions(), Terms()
    lanes = np.arange(32)
    slots, one = np.array([0, 1, 2]), np.ones(3, bool)

    def at_most(array: str, bound: int) -> object:
        return e.op("le_s", "p", e.element(array, lanes, "b32"), e.const(bound, "b32"))

    conditions = [
        Condition(4, slots, np.zeros(3, int), at_most("a", 0), one),  # type: ignore[arg-type]
        Condition(9, slots[:2], np.ones(2, int), at_most("b", 2), one[:2]),  # type: ignore[arg-type]
        Condition(9, slots[2:], np.ones(1, int), at_most("b", 2), one[2:]),  # type: ignore[arg-type]
        Condition(11, slots[2:], np.full(1, 2), at_most("b", 5), ~one[2:]),  # type: ignore[arg-type]
    ]
    merged, dropped = merge(terms, conditions)  # type: ignore[arg-type]
    assert not dropped
    assert [(c.position, c.turn, len(c.literals)) for c in merged[0]] == [
        (4, 0, 3),
        (9, 1, 3),
        (11, 2, 1),
    ]
    assert [c.threads for c in merged[0]] == [(0, 1, 2), (0, 1, 2), (2,)]
