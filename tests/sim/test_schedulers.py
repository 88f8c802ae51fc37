"""Schedulers: which warp goes first, what it waits for, and that nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.sim.cache_trace import Arrivals, CacheTrace
from perflint.sim.schedulers import SCHEDULERS, Scheduler, Timing, interleave, work
from tests.sim.cache_traces import trace_of

QUICK = Timing(hit=2, miss=100, active=2)


def order(
    trace: CacheTrace,
    scheduler: Scheduler,
    resident: int = 8,
    missed: list[int] | None = None,
    timing: Timing = QUICK,
) -> list[tuple[int, int]]:
    """(warp, position) of the requests as they are issued."""
    long = np.zeros(trace.requests, bool)
    long[missed or []] = True
    found = interleave(work(trace), scheduler, resident, long, timing)
    return [(int(trace.warp[r]), int(trace.position[r])) for r in found]


def two_warps(uses: list[int] | None = None, **options: list[int]) -> CacheTrace:
    """Two warps of one block that request something at instructions 0, 1 and 2."""
    accesses = [(w, 1, 0, False) for w in (0, 1) for _ in range(3)]
    return trace_of(accesses, warps_per_block=2, uses=uses, positions=[0, 1, 2, 0, 1, 2], **options)


def test_greedy_stays_with_a_warp_that_need_not_wait() -> None:
    assert order(two_warps(), "gto") == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]


def test_round_robin_takes_turns() -> None:
    assert order(two_warps(), "lrr") == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]


def test_a_warp_waits_where_it_needs_what_it_loads() -> None:
    """Warp 0 needs its first load at once, and that is a miss: warp 1 goes on alone."""
    uses = [1, 0, 0, 0, 0, 0]
    found = order(two_warps(uses=uses), "gto", missed=[0])
    assert found == [(0, 0), (1, 0), (1, 1), (1, 2), (0, 1), (0, 2)]
    assert order(two_warps(uses=uses), "lrr", missed=[0])[-2:] == [(0, 1), (0, 2)]


def test_a_load_that_is_needed_later_hides_its_latency() -> None:
    """Needed three instructions on, it delays none of the warp's requests."""
    assert order(two_warps(uses=[3, 0, 0, 0, 0, 0]), "gto", missed=[0])[:3] == [
        (0, 0), (0, 1), (0, 2)
    ]  # fmt: skip


def test_two_level_leaves_others_waiting() -> None:
    accesses = [(w, 1, 0, False) for w in range(4) for _ in range(2)]
    trace = trace_of(accesses, warps_per_block=4, positions=[0, 1] * 4)
    found = order(trace, "two-level")
    assert found[:4] == [(0, 0), (1, 0), (0, 1), (1, 1)]  # warps 2 and 3 are not active yet


def test_the_oldest_goes_first() -> None:
    """Once both wait, warp 0 is woken first and goes on, though warp 1 could too."""
    found = order(two_warps(uses=[1, 0, 0, 1, 0, 0]), "gto", missed=[0, 3])
    assert found == [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (1, 2)]


def test_blocks_are_dispatched_as_others_end() -> None:
    accesses = [(w, 1, 0, False) for w in range(4) for _ in range(2)]
    trace = trace_of(accesses, positions=[0, 1] * 4)  # a warp to a block
    assert order(trace, "lrr", resident=2) == [
        (0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (3, 0), (2, 1), (3, 1)
    ]  # fmt: skip
    assert order(trace, "lrr", resident=1)[:4] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_nobody_passes_a_barrier_before_all_have_come() -> None:
    """Warp 1 takes 50 instructions to its barrier; warp 0's second request comes behind it."""
    barriers = Arrivals(np.array([0, 1]), np.array([1, 50]), np.array([0, 0]))
    accesses = [(0, 1, 0, False), (0, 1, 0, False), (1, 1, 0, False), (1, 1, 0, False)]
    trace = trace_of(accesses, warps_per_block=2, positions=[0, 2, 49, 51], phases=[0, 1, 0, 1])
    trace = replace(trace, barriers=barriers)
    for scheduler in SCHEDULERS:
        assert order(trace, scheduler)[:2] == [(0, 0), (1, 49)], scheduler


EVENTS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2), st.booleans()),
    min_size=1,
    max_size=50,
)


@settings(max_examples=150, deadline=None)
@given(EVENTS, st.sampled_from(SCHEDULERS), st.integers(1, 4))
def test_orders_are_legal(
    events: list[tuple[int, int, int, bool]], scheduler: Scheduler, resident: int
) -> None:
    """Every request once, each warp's in its order, phases of a block one after the other."""
    events = sorted(events, key=lambda e: (e[0], e[2]))  # phases ascend within a warp
    accesses = [(warp, 1, 0, False) for warp, *_ in events]
    positions = list(range(len(events)))
    trace = trace_of(
        accesses,
        warps_per_block=2,
        positions=positions,
        uses=[use for _, use, _, _ in events],
        phases=[phase for *_, phase, _ in events],
    )
    missed = np.array([miss for *_, miss in events], bool)
    found = interleave(work(trace), scheduler, resident, missed, Timing())
    assert sorted(found.tolist()) == list(range(trace.requests))
    place = np.empty(trace.requests, int)
    place[found] = np.arange(len(found))
    block = trace.warp // 2
    for warp in range(trace.warps):
        mine = place[trace.warp == warp]
        assert (np.diff(mine) > 0).all()
    for number in range(trace.blocks):
        mine = np.flatnonzero(block == number)
        phases = trace.phase[mine][np.argsort(place[mine])]
        assert (np.diff(phases) >= 0).all()


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_an_empty_trace(scheduler: Scheduler) -> None:
    assert order(trace_of([]), scheduler) == []
