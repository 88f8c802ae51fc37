"""The search: what it explores, that it is the same each time, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from perflint.stress.guided import (
    AssumptionError,
    Exploration,
    Options,
    Requests,
    ScalarInput,
    Subject,
    enforced,
    explore,
    monitor,
    prepared,
    run,
    searched,
)
from perflint.stress.guided.execution import blocks_of, execute
from perflint.stress.guided.graphs import call_graph
from perflint.stress.guided.replays import replayed
from perflint.stress.guided.search import ROUND
from perflint.stress.guided.steps import Order
from perflint.symbolic.terms import Terms
from perflint.work.parallel import Crash
from perflint.work.transport import packed, unpacked
from tests.stress.guided.subjects import subject


def told(found: Exploration) -> list[object]:
    """All of what was found, as plain data."""
    states = [
        (s.number, s.omega, s.conditions, s.interference, s.schedule, s.warp_instructions,
         {n: a.tobytes() for n, a in s.values.arrays.items()}, dict(s.values.scalars))
        for s in found.states
    ]  # fmt: skip
    rest = replace(found, states=())
    return [states, {f: getattr(rest, f) for f in rest.__dataclass_fields__}]


@pytest.mark.parametrize("strategy", ["guided", "symbolic", "random"])
def test_the_same_seed_finds_the_same(strategy: str) -> None:
    options = Options(seed=3, states=4, strategy=strategy)
    first, again = (told(explore(subject("predicated"), options)) for _ in range(2))
    assert first == again
    other = told(explore(subject("predicated"), replace(options, seed=4)))
    assert first[0] != other[0]


def test_every_branch_is_explored_both_ways() -> None:
    found = explore(subject("compares"), Options(states=8))
    assert found.edges.explored == found.edges.potential > 6
    assert found.references.share > 0.9
    assert (
        found.references.explored + sum(found.references.why.values()) == found.references.potential
    )


def test_no_state_of_a_warp_is_explored_twice() -> None:
    """Property 4.1."""
    found = explore(subject("predicated"), Options(states=8))
    seen: set[tuple[int, tuple[str, ...]]] = set()
    for state in found.states:
        for warp, texts in state.conditions.items():
            assert (warp, texts) not in seen
            seen.add((warp, texts))
    assert len(seen) > 8


def test_a_rare_way_is_found_by_symbols_and_not_at_random() -> None:
    """`(a[t] & 0xff) == 0x41` is 1 in 256."""
    guided = explore(subject("bits"), Options(states=8))
    assert guided.edges.share == 1.0
    drawn = explore(subject("bits"), Options(states=8, strategy="random"))
    assert drawn.edges.share < 1.0


def test_a_case_replays_with_the_same_figures() -> None:
    """⟨Ω, SH, ξ⟩: the input and the schedule give the same interference again."""
    of = subject("exchange")
    found = explore(of, Options(states=3))
    for state in found.states:
        assert replayed(of, state.values, [t.warp for t in state.schedule]) == state.interference


@pytest.mark.parametrize("strategy", ["guided", "symbolic", "random"])
@pytest.mark.parametrize("name", ["exchange", "concrete"])
def test_several_processes_tell_the_same(name: str, strategy: str) -> None:
    """More rounds than one, each in two processes; a state's run in another is the same one."""
    of, options = subject(name), Options(states=ROUND + 3, strategy=strategy)
    one, two = (told(explore(of, options, jobs)) for jobs in (1, 2))
    assert one == two


@pytest.mark.parametrize("name", ["handed", "concrete"])
def test_steps_and_their_orders_travel(name: str) -> None:
    """What a machine far away does with them is what is done here."""
    steps = prepared(subject(name), Options(states=ROUND + 1))
    far = unpacked(packed(steps))

    def sent(orders: Sequence[Order]) -> list[object]:
        return [unpacked(packed(far(unpacked(packed(each))))) for each in orders]

    here, there = (
        searched(steps, ask)  # type: ignore[arg-type]
        for ask in (lambda orders: [steps(each) for each in orders], sent)
    )
    assert told(here) == told(there) and len(here.states) > 4


def test_threads_are_turned_to_where_more_is_asked_of_memory() -> None:
    """`a[t] > 30` leads to a load far away, for some threads of a warp at first, then for all."""
    found = explore(subject("far"), Options(states=3))
    many = [int(np.count_nonzero(s.values.arrays["a"] > 30)) for s in found.states]
    assert 0 < many[0] < 64 and max(many[1:]) == 64
    overheads = [s.interference.overhead for s in found.states]
    assert max(overheads[1:]) > overheads[0]


def test_a_step_whose_process_died_is_done_here() -> None:
    steps = prepared(subject("exchange"), Options(states=4))
    here = searched(steps, lambda orders: [steps(each) for each in orders])
    died = searched(steps, lambda orders: [Crash("killed") for _ in orders])
    assert told(here) == told(died)


def test_addresses_that_hang_on_data_go_on_with_other_data() -> None:
    """No branch is left to turn, but elements that no condition names still move accesses."""
    found = explore(subject("gathers"), Options(states=5))
    assert (found.stopped, len(found.states)) == ("runs", 5)
    assert len({s.values.arrays["at"].tobytes() for s in found.states}) == 5


def test_states_are_ranked_by_their_overhead() -> None:
    found = explore(subject("exchange"), Options(states=4))
    overheads = [s.interference.overhead for s in found.ranked]
    assert overheads == sorted(overheads, reverse=True)
    assert all(s.interference.unperturbed > 0 for s in found.states)
    graph = found.states[0].graph()
    assert len(graph) == len(found.states[0].schedule)


def test_a_budget_of_instructions_ends_the_search() -> None:
    found = explore(subject("exchange"), Options(states=50, warp_instructions=3_000))
    assert found.stopped == "instructions" and found.warp_instructions >= 3_000
    assert len(found.states) < 50


def test_a_kernel_without_ways_ends_at_once() -> None:
    of = subject("shuffles")
    fixed = tuple(replace(a, free=False) if hasattr(a, "free") else a for a in of.arguments)
    found = explore(Subject(of.module, of.kernel, of.grid, of.block, fixed), Options(states=5))
    assert (found.stopped, len(found.states)) == ("all states", 1)


@pytest.mark.parametrize(
    ("assumptions", "message"),
    [
        (("n > 5", "n < 3"), "'n > 5' and 'n < 3' contradict"),
        (("a[i] > 5 && a[i] < 2",), "nothing meets the assumption"),
        (("n > m",), "no argument 'm'"),
        (("n >",), "is no assumption"),
        (("f(n) > 2",), "cannot be assumed"),
        (("n", "n > 0"), "cannot be assumed"),
        (("n > 0", "n != 3", "a[i] < b[i]"), "cannot be assumed"),
    ],
)
def test_assumptions_that_cannot_be(assumptions: tuple[str, ...], message: str) -> None:
    with pytest.raises(AssumptionError, match=message):
        explore(subject("compares"), Options(assumptions=assumptions))


def test_assumptions_hold_of_every_input() -> None:
    options = Options(states=6, assumptions=("n >= 40", "a[i] <= 20", "c[i] < 9 || c[i] == 12"))
    found = explore(subject("compares"), options)
    for state in found.states[1:]:
        [n] = [v for p, v in state.values.scalars.items() if isinstance(v, int)]
        assert n >= 40
        assert (state.values.arrays["a"] <= 20).all()


def test_scalars_stay_within_their_bounds() -> None:
    of = subject("compares")
    tight = tuple(
        ScalarInput(a.name, a.value, low=50) if isinstance(a, ScalarInput) and a.name == "n" else a
        for a in of.arguments
    )
    found = explore(Subject(of.module, of.kernel, of.grid, of.block, tight), Options(states=8))
    assert all(
        50 <= min(s.values.scalars.values(), key=lambda v: v if v > 2 else 60) <= 60
        for s in found.states
    )


def test_the_call_graph() -> None:
    graph = call_graph(subject("compares").module)
    assert "compares" in graph


def test_references_are_classified_by_their_addresses() -> None:
    """`a[t]` of 4 bytes and lines of 64: a thread has one line, which misses first."""
    of = subject("predicated")
    from perflint.sim.placement import Placement
    from perflint.stress.guided.inputs import Space
    from perflint.stress.guided.references import Threads, graph_of

    terms = Terms()
    blocks = blocks_of(of, 8)
    found = execute(of, Space(of, terms).given(), terms, blocks, 100_000, 24)
    graph = graph_of(of, found.program, Threads(of, blocks), found.trace, Placement())
    assert len(graph.point_of) == 4  # a[t], b[t], and two stores
    for point in graph.point_of.values():
        access = graph.points[point]
        assert not isinstance(access, str) and access is not None and access.unknown is None
        lines = graph.lines.line[np.arange(64), access.candidates[:, 0]]
        assert (np.diff(lines[::16]) == 1).all()


def test_requests_of_a_trace_have_the_lines_of_the_schedule() -> None:
    of = subject("exchange")
    terms = Terms()
    from perflint.stress.guided.inputs import Space

    found = execute(of, Space(of, terms).given(), terms, blocks_of(of, 8), 100_000, 24)
    requests = Requests(found.trace, of.machine)
    line = run(requests, lambda ready, now: ready[0], lambda request: False)
    again = run(requests, enforced([t.warp for t in line.turns]), lambda request: False)
    assert monitor(requests, line) == monitor(requests, again)
    assert sorted(line.order) == list(range(found.trace.requests))
