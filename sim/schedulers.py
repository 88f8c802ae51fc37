"""Warp schedulers: in which order the warps of one multiprocessor (SM) issue their requests.

A replay of a recorded trace. The SM issues one instruction a cycle; a warp waits where it needs
what an outstanding load brings, and at barriers; loads take one of two latencies. Blocks are
dispatched in order, as many at a time as the SM holds. Orders are what is wanted here, not times:
cycles serve only to tell which warp goes first.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from heapq import heappop, heappush, heapreplace
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.cache_trace import CacheTrace

Scheduler = Literal["gto", "lrr", "two-level"]
#: Greedy then oldest (Rogers et al., MICRO 2012), loose round-robin, and two-level with a small
#: active set (Gebhart et al., ISCA 2011).
SCHEDULERS: tuple[Scheduler, ...] = get_args(Scheduler)


@dataclass(frozen=True)
class Timing:
    """Cycles until a loaded value can be used, and the active warps of the two-level scheduler.

    The defaults are Volta's L1 hit and a typical access to DRAM (Jia et al., arXiv:1804.06826,
    recalled), and GPGPU-Sim's `two_level_active:6`.
    """

    hit: int = 28
    miss: int = 400
    active: int = 6


@dataclass(frozen=True, eq=False)
class Work:
    """A trace as lists, ready to be scheduled; blocks are dispatched in their order.

    Each warp has events (gap, phase, request, need): `gap` instructions behind the one before, it
    issues a request, or needs what a request loaded, or, with -1 for both, arrives at a barrier.
    """

    events: tuple[tuple[tuple[int, int, int, int], ...], ...]  #: by warp
    per_phase: tuple[tuple[int, ...], ...]  #: by block: events in each phase
    warps_per_block: int
    blocks: int
    requests: int


def work(trace: CacheTrace) -> Work:
    """The events of all warps of a trace."""
    r, loads, barriers = np.arange(trace.requests), np.flatnonzero(trace.use > 0), trace.barriers
    none = np.full(len(barriers.warp), -1)
    warp = np.concatenate((trace.warp, trace.warp[loads], barriers.warp)).astype(np.int64)
    position = np.concatenate(
        (trace.position, trace.position[loads] + trace.use[loads], barriers.position)
    )
    request = np.concatenate((r, np.full(len(loads), -1), none))
    need = np.concatenate((np.full(len(r), -1), loads, none))
    # what lies behind: a barrier's own phase ends with it
    phase = np.concatenate((trace.phase, np.zeros(len(loads), np.int64), barriers.phase))
    # what an instruction needs comes before what it requests
    at = np.lexsort((request, need < 0, position, warp))
    warp, position, request, need = warp[at], position[at], request[at], need[at]
    needs = need >= 0
    wide = int(phase.max(initial=0)) + 2
    reached = phase[at] + ((request < 0) & ~needs)
    behind = np.maximum.accumulate(warp * wide + reached) - warp * wide
    phase = np.where(needs, behind, phase[at])
    gap = np.diff(position, prepend=0)
    gap[1:] -= ~needs[:-1]  # the event before was an instruction, unless it only waited for one
    new = np.diff(warp, prepend=-1) != 0
    gap[new] = position[new]
    columns = (np.maximum(gap, 0), phase, request, need)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    cuts = np.searchsorted(warp, np.arange(trace.warps + 1)).tolist()
    table = np.bincount(
        warp // trace.warps_per_block * wide + phase, minlength=trace.blocks * wide
    ).reshape(trace.blocks, wide)
    return Work(
        tuple(tuple(rows[a:b]) for a, b in pairwise(cuts)),
        tuple(tuple(row) for row in table.tolist()),
        trace.warps_per_block,
        trace.blocks,
        trace.requests,
    )


def interleave(
    work: Work, scheduler: Scheduler, resident: int, missed: np.ndarray, timing: Timing
) -> np.ndarray:
    """The order in which requests are issued, (r,) int64.

    `resident` blocks are on the SM at a time; `missed` (r,) bool says which loads take the long
    latency.
    """
    return _interleave(work, scheduler, resident, missed.tobytes(), timing)


@lru_cache(maxsize=8)
def _interleave(
    work: Work, scheduler: Scheduler, resident: int, missed: bytes, timing: Timing
) -> np.ndarray:
    long = np.frombuffer(missed, bool)
    run = Warps(work, resident, np.where(long, timing.miss, timing.hit).tolist())
    if scheduler == "gto":
        _greedy(run)
    else:
        _rotating(run, timing.active if scheduler == "two-level" else 1 << 30)
    return np.array(run.order, np.int64)


class Warps:
    """The state of all warps. A scheduler takes their events and tells what is `over`."""

    def __init__(self, work: Work, resident: int, latency: list[int]) -> None:
        self.latency = latency
        self.order: list[int] = []
        self.left = [list(events[::-1]) for events in work.events]  #: by warp: the next one last
        self.ready = [0] * work.requests  #: by request: when its value is there
        self.block = [warp // work.warps_per_block for warp in range(len(work.events))]
        self.phase = [0] * work.blocks
        self.in_phase = [list(row) for row in work.per_phase]  #: events left
        self.waiting: list[list[int]] = [[] for _ in range(work.blocks)]  #: warps at a barrier
        self.running = [0] * work.blocks  #: warps of a block that have events left
        self.per_block, self.blocks, self.dispatched = work.warps_per_block, work.blocks, 0
        self.woken: list[int] = []  #: warps that may run again, or for the first time
        for _ in range(resident):
            self._dispatch()

    def _dispatch(self) -> None:
        """Give the SM the next block that has anything to do."""
        while self.dispatched < self.blocks:
            block = self.dispatched
            self.dispatched += 1
            first = block * self.per_block
            busy = [warp for warp in range(first, first + self.per_block) if self.left[warp]]
            if busy:
                self.running[block] = len(busy)
                self.phase[block] = -1
                self.waiting[block] = busy
                self._pass(block)
                return

    def over(self, warp: int, phase: int) -> bool:
        """An event of a warp is over: whether the warp goes on, or is done or at a barrier."""
        left, block = self.left[warp], self.block[warp]
        goes_on = bool(left)
        if not left:
            self.running[block] -= 1
            if not self.running[block]:
                self._dispatch()
                return False
        elif left[-1][1] > self.phase[block]:
            self.waiting[block].append(warp)
            goes_on = False
        if not self.in_phase[block][phase]:
            self._pass(block)
        return goes_on

    def _pass(self, block: int) -> None:
        """Let a block's warps through the barriers before which nothing is left to do."""
        in_phase, phase = self.in_phase[block], max(0, self.phase[block])
        while phase < len(in_phase) - 1 and not in_phase[phase]:
            phase += 1
        if phase > self.phase[block]:
            self.phase[block] = phase
            waiting, self.waiting[block] = self.waiting[block], []
            for warp in waiting:
                held = self.left[warp][-1][1] > phase
                (self.waiting[block] if held else self.woken).append(warp)


# The two loops below take each event by themselves: calls would cost as much again.


def _greedy(run: Warps) -> None:
    """Run one warp until it must wait, then the oldest that need not."""
    now = 0
    able: list[int] = []  # warps by age: blocks are dispatched in order
    asleep: list[tuple[int, int]] = []
    ready, latency, issue, woken = run.ready, run.latency, run.order.append, run.woken
    while True:
        for warp in woken:
            heappush(able, warp)
        woken.clear()
        while asleep and asleep[0][0] <= now:
            heappush(able, heappop(asleep)[1])
        if not able:
            if not asleep:
                return
            now = asleep[0][0]
            continue
        warp = heappop(able)
        left, block = run.left[warp], run.block[warp]
        phases, in_phase = run.phase, run.in_phase[block]
        while True:
            gap, phase, request, need = left[-1]
            now += gap
            if need >= 0:
                if ready[need] > now:
                    left[-1] = (0, phase, request, need)  # what is left of the gap is nothing
                    heappush(asleep, (ready[need], warp))
                    break
            elif request >= 0:
                issue(request)
                ready[request] = now + latency[request]
            left.pop()
            in_phase[phase] -= 1
            if not (left and in_phase[phase] and left[-1][1] <= phases[block]) and not run.over(
                warp, phase
            ):
                break
            now += need < 0


def _rotating(run: Warps, most: int) -> None:
    """Every active warp issues one instruction a round; at most `most` are active.

    A warp that must wait leaves its place to one that need not. Events are taken by the round in
    which they come up, (round, warp), so that rounds without any cost nothing.
    """
    now = turn = 0
    active: list[tuple[int, int]] = []
    asleep: list[tuple[int, int]] = []
    queue: deque[int] = deque()
    ready, latency, issue, woken = run.ready, run.latency, run.order.append, run.woken
    lefts, blocks, phases, in_phases = run.left, run.block, run.phase, run.in_phase
    while True:
        if woken:
            queue.extend(woken)
            woken.clear()
        while asleep and asleep[0][0] <= now:
            queue.append(heappop(asleep)[1])
        while queue and len(active) < most:
            warp = queue.popleft()
            heappush(active, (turn + lefts[warp][-1][0], warp))
        if not active:
            if not asleep:
                return
            now = max(now, asleep[0][0])
            continue
        due, warp = active[0]
        wide = len(active)
        if asleep and wide < most and now + (due - turn) * wide > asleep[0][0]:
            rounds = -(-(asleep[0][0] - now) // wide)  # someone wakes before the event comes up
            turn, now = turn + rounds, now + rounds * wide
            continue
        now += (due - turn) * wide
        turn = due
        left, block = lefts[warp], blocks[warp]
        in_phase = in_phases[block]
        while True:  # all that comes up in this round
            _, phase, request, need = left[-1]
            if need >= 0:
                if ready[need] > now:
                    heappop(active)
                    left[-1] = (0, phase, request, need)  # what is left of the gap is nothing
                    heappush(asleep, (ready[need], warp))
                    break
            elif request >= 0:
                issue(request)
                ready[request] = now + latency[request]
            left.pop()
            in_phase[phase] -= 1
            if not (left and in_phase[phase] and left[-1][1] <= phases[block]) and not run.over(
                warp, phase
            ):
                heappop(active)
                break
            gap = left[-1][0]
            if need < 0 or gap:
                heapreplace(active, (turn + (need < 0) + gap, warp))
                break
