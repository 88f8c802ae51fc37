"""Schedules and the monitor: equations (5) to (11), on traces made by hand."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest

from perflint.sim.cache import Cache
from perflint.sim.cache_trace import LOAD, SECTOR, Accesses, Arrivals, CacheTrace
from perflint.stress.guided.graphs import schedule_graph
from perflint.stress.guided.monitor import at_barrier, monitor
from perflint.stress.guided.schedule import (
    Knowledge,
    ScheduleError,
    at_random,
    congested,
    enforced,
    oldest,
    order,
    polluted,
)
from perflint.stress.guided.timeline import Machine, Now, Requests, run
from tests.stress.guided.example import BLOCKS, FACTS, THREADS, example

#: One bank, a direct-mapped cache of five lines, as in the paper's example.
MACHINE = Machine(Cache(1, 4, 32, 32, write="allocate"), banks=1, hit=1, round_trip=100, busy=100)


def trace(*warps: list[int], barriers: tuple[tuple[int, int], ...] = ()) -> CacheTrace:
    """Warps of one block that load lines, each needed by the next instruction.

    `barriers` are (warp, loads before it).
    """
    rows = [(w, at, line) for w, lines in enumerate(warps) for at, line in enumerate(lines)]
    count = len(rows)
    warp = np.array([r[0] for r in rows], np.int32)
    phase = [sum(1 for w, before in barriers if w == r[0] and before <= r[1]) for r in rows]
    accesses = Accesses(
        SECTOR, np.arange(count + 1), np.arange(count, dtype=np.int32), np.ones(count, np.int32),
        np.array([r[2] for r in rows], np.int64), np.ones(count, np.uint32),
    )  # fmt: skip
    arrivals = Arrivals(
        np.array([w for w, _ in barriers], np.int32),
        np.array([2 * b for _, b in barriers], np.int64), np.zeros(len(barriers), np.int32),
    )  # fmt: skip
    return CacheTrace(
        1, len(warps), 0, np.arange(count, dtype=np.int32), warp,
        np.array([2 * r[1] for r in rows], np.int64), np.full(count, LOAD, np.uint8),
        np.ones(count, bool), np.ones(count, np.int32), np.array(phase, np.int32),
        np.arange(count), accesses, arrivals, {1: 1 << 20}, {1: "a"},
    )  # fmt: skip


def never(request: int) -> bool:
    return False


def test_a_lone_warp_suffers_nothing() -> None:
    requests = Requests(trace([0, 1, 2, 0]), MACHINE)
    line = run(requests, oldest, never)
    found = monitor(requests, line)
    assert (line.misses, found.overhead, found.sites) == (3, 0, {})
    assert found.execution == found.unperturbed == 3 * 100 + line.time - 300


def test_a_busy_bank_is_direct_interference() -> None:
    """Figure 2(a): two warps ask at once, and one waits for the other's transaction."""
    requests = Requests(trace([0], [1]), MACHINE)
    found = monitor(requests, run(requests, oldest, never))
    assert found.by_warp[0] == 0
    [(key, site)] = found.sites.items()
    assert key == (1, 1) and site.indirect == 0
    assert site.direct == found.overhead == found.execution - found.unperturbed > 90


def test_an_evicted_line_is_indirect_interference() -> None:
    """Figure 2(b): a warp's second load would hit, had not the other taken its line away."""
    requests = Requests(trace([0, 0], [4]), Machine(MACHINE.cache, banks=4, bank_bytes=128))
    line = run(requests, oldest, lambda request: request == 1)
    found = monitor(requests, line)
    assert line.misses == 3
    assert found.sites[0, 1].indirect > 90


def test_a_locked_line_stays_and_others_have_the_ways_that_are_left() -> None:
    loads = trace([0, 4, 8, 0, 4])
    machine = Machine(Cache(2, 4, 32, 32, write="allocate"), banks=1)
    plain = Requests(loads, machine)
    first, second, third = (plain.by_request[k][0][0] for k in range(3))
    assert len({group for row in plain.by_request for _, group, _ in row}) == 1
    for locked, missed in (((), 5), ((first,), 4), ((first, second), 3), ((first, third), 4)):
        requests = Requests(loads, machine, locked=frozenset(locked))
        assert run(requests, oldest, never).misses == missed


def test_overlapped_interference_costs_nothing() -> None:
    """Figure 2(c): the kernel ends no later, for another warp is longer at it anyway."""
    banks = Machine(MACHINE.cache, banks=2, bank_bytes=32)
    requests = Requests(trace([0], [2, 1, 3, 5]), banks)
    line = run(requests, lambda ready, now: ready[-1], never)
    found = monitor(requests, line)
    assert found.by_warp[0] > 90
    assert found.overhead == found.by_warp[1] == 0


@pytest.mark.parametrize(
    ("times", "overheads", "adjusted"),
    [
        ([100, 150], [10, 80], 60),  # Figure 5(a): without interference w1 is the last one
        ([100, 150], [50, 20], 20),  # Figure 5(b): w2 is the last one in either case
        ([100, 100], [0, 0], 0),
        ([70], [30], 30),
    ],
)
def test_overhead_at_a_barrier(times: list[int], overheads: list[int], adjusted: int) -> None:
    assert at_barrier(times, overheads) == adjusted
    # what is left is the difference of the last arrivals with and without interference
    assert adjusted == max(times) - max(t - o for t, o in zip(times, overheads, strict=True))


def test_barriers_adjust_on_the_way() -> None:
    requests = Requests(trace([0, 1], [2, 3], barriers=((0, 1), (1, 1))), MACHINE)
    line = run(requests, oldest, never)
    assert len(line.arrivals[0, 0]) == 2
    found = monitor(requests, line)
    assert found.by_warp[0] == found.overhead or found.by_warp[1] == found.overhead
    assert 0 < found.overhead < found.execution


def test_a_schedule_can_be_enforced() -> None:
    requests = Requests(trace([0, 4, 0], [4, 0, 8], [1, 2, 3]), MACHINE)
    first = run(requests, at_random(7), never)
    again = run(requests, enforced([t.warp for t in first.turns]), never)
    assert (again.order, again.time, again.turns) == (first.order, first.time, first.turns)
    assert monitor(requests, again) == monitor(requests, first)
    with pytest.raises(ScheduleError, match="warp 7 is not ready"):
        run(requests, enforced([7]), never)


def test_the_graph_of_a_schedule() -> None:
    requests = Requests(trace([0, 1], [2]), MACHINE)
    line = run(requests, oldest, never)
    graph = schedule_graph(line.turns)
    assert [w for _, w in graph.nodes] == [t.warp for t in line.turns]
    issued = [r for _, data in graph.nodes(data=True) for r in data["requests"]]
    assert issued == line.order


# --- the paper's example --------------------------------------------------------------------------

SETS = {int(m[1:]): s - 1 for m, s in FACTS["sets"].items()}
SUMMARY = example()


class _ByName(Cache):
    """The paper's mapping of memory blocks to cache sets."""

    def set_of(self, line: np.ndarray) -> np.ndarray:
        return np.array([SETS[m] for m in line.tolist()], np.int64)


PAPER = Machine(_ByName(1, 5, 32, 32), banks=1)


def _lines(table: tuple[np.ndarray, ...], thread: int, block: int) -> frozenset[int]:
    return frozenset(SUMMARY.lines.line[thread][table[block][thread]].tolist())


def _knowledge() -> Knowledge:
    """Of threads as units of scheduling: a request is a thread's block."""
    return Knowledge(
        lambda thread, block: _lines(SUMMARY.until, thread, block),
        lambda thread, block: _lines(SUMMARY.reuse, thread, block),
        lambda thread, block: _lines(SUMMARY.until, thread, block),
    )


def _now(content: dict[int, int], at: list[str], busy: dict[int, int] | None = None) -> Now:
    sets: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(5)]
    for group, line in content.items():
        sets[group - 1][line] = None
    return Now(50, sets, [busy or {}], [BLOCKS.index(b) for b in at])


def test_t3_is_scheduled_while_t1_waits_for_m3() -> None:
    """T1 may reuse m1, m2 and m3; m5 of T3 evicts m3, and nothing of T2 does."""
    now = _now({1: 1, 2: 2, 3: 3}, ["B8", "B6", "B6"])
    again = {m: {0} for m in (1, 2, 3)}
    rank = [polluted(PAPER, _knowledge(), now, t, again) for t in range(3)]
    assert rank[1] == 0 and rank[2] > 0
    choose = order(PAPER, _knowledge(), lambda line: 0)
    assert THREADS[choose([1, 2], now)] == "T3"


def test_t1_is_scheduled_while_t3_waits_for_m5() -> None:
    now = _now({1: 1, 2: 2, 3: 5}, ["B7", "B6", "B8"])
    choose = order(PAPER, _knowledge(), lambda line: 0)
    assert THREADS[choose([0, 1], now)] == "T1"


def test_congestion_counts_lines_for_busy_banks() -> None:
    """Equation (5): a bank that is idle, or busy with that very line, counts for nothing."""
    knowledge = _knowledge()
    idle = _now({}, ["B7", "B6", "B6"])
    assert congested(PAPER, knowledge, idle, 1, lambda line: 0) == 0
    busy = _now({}, ["B7", "B6", "B6"], {1: 100})
    assert congested(PAPER, knowledge, busy, 1, lambda line: 0) > 0
    own = _now({}, ["B7", "B6", "B6"], dict.fromkeys((6, 7, 8, 9), 100))
    assert congested(PAPER, knowledge, own, 1, lambda line: 0) == 0
    over = _now({}, ["B7", "B6", "B6"], {1: 40})
    assert congested(PAPER, knowledge, over, 1, lambda line: 0) == 0
