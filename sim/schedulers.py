"""Warp schedulers: in which order the warps of one multiprocessor (SM) issue their requests.

A replay of a recorded trace. The SM issues one instruction a cycle; a warp waits where it needs
what an outstanding load brings, and at barriers; loads take one of two latencies. Blocks are
dispatched in order, as many at a time as the SM holds. Orders are what is wanted here, not times:
cycles serve only to tell which warp goes first.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

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

    Each warp has events (position, phase, request, need): one issues a request, or needs what a
    request loaded, or, with -1 for both, arrives at a barrier.
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
    arrives = (request < 0) & (need < 0)
    # what an instruction needs comes before what it requests
    at = np.lexsort((request, need < 0, position, warp))
    warp, arrives = warp[at], arrives[at]
    wide = int(phase.max(initial=0)) + 2
    behind = np.maximum.accumulate(warp * wide + phase[at] + arrives) - warp * wide
    phase = np.where(need[at] >= 0, behind, phase[at])
    rows = list(
        zip(*(c.tolist() for c in (position[at], phase, request[at], need[at])), strict=True)
    )
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
    run = _Run(work, resident, np.where(missed, timing.miss, timing.hit).tolist())
    if scheduler == "gto":
        _greedy(run)
    else:
        _rotating(run, timing.active if scheduler == "two-level" else 1 << 30)
    return np.array(run.order, np.int64)


_ISSUED, _FREE = -1, -2  #: what became of an event: a request was issued, or it took no cycle


class _Run:
    """The state of all warps. A scheduler asks `advance` what a warp does next."""

    def __init__(self, work: Work, resident: int, latency: list[int]) -> None:
        self.work, self.latency = work, latency
        self.order: list[int] = []
        self.at = [0] * len(work.events)  #: by warp: its next event
        self.issued = [0] * len(work.events)  #: by warp: instructions issued so far
        self.ready = [0] * work.requests  #: by request: when its value is there
        self.phase = [0] * work.blocks
        self.left = [list(row) for row in work.per_phase]  #: events by block and phase
        self.waiting: list[list[int]] = [[] for _ in range(work.blocks)]  #: warps at a barrier
        self.running = [0] * work.blocks  #: warps of a block that have events left
        self.dispatched = 0
        self.woken: list[int] = []  #: warps that may run again, or for the first time
        for _ in range(resident):
            self._dispatch()

    def _dispatch(self) -> None:
        """Give the SM the next block that has anything to do."""
        while self.dispatched < self.work.blocks:
            block = self.dispatched
            self.dispatched += 1
            first = block * self.work.warps_per_block
            warps = range(first, first + self.work.warps_per_block)
            busy = [warp for warp in warps if self.work.events[warp]]
            if busy:
                self.running[block] = len(busy)
                self.waiting[block] = busy
                self._pass(block)
                self.woken += [w for w in self.waiting[block] if self._is_open(block, w)]
                self.waiting[block] = [w for w in busy if not self._is_open(block, w)]
                return

    def _is_open(self, block: int, warp: int) -> bool:
        """Whether no barrier keeps the warp from its next event."""
        return self.work.events[warp][self.at[warp]][1] <= self.phase[block]

    def gap(self, warp: int) -> int:
        """Instructions that a warp issues before its next event."""
        return max(0, self.work.events[warp][self.at[warp]][0] - self.issued[warp])

    def advance(self, warp: int, now: int) -> int | None:
        """The warp is at its next event: _ISSUED, _FREE, the time until which the warp must wait,
        or None where it is done or at a barrier.
        """
        events = self.work.events[warp]
        at = self.at[warp]
        position, phase, request, need = events[at]
        issued = self.issued[warp]
        if position > issued:
            self.issued[warp] = issued = position
        outcome: int | None = _FREE
        if need >= 0:
            if self.ready[need] > now:
                return self.ready[need]
        else:
            if request >= 0:
                self.order.append(request)
                self.ready[request] = now + self.latency[request]
            self.issued[warp] = issued + 1
            outcome = _ISSUED
        block = warp // self.work.warps_per_block
        self.at[warp] = at = at + 1
        left = self.left[block]
        left[phase] -= 1
        if at == len(events):
            self._end(block, phase)
            return None
        if events[at][1] > self.phase[block]:
            self.waiting[block].append(warp)
            outcome = None
        if not left[phase]:
            self._pass(block)
        return outcome

    def _end(self, block: int, phase: int) -> None:
        self.running[block] -= 1
        if not self.running[block]:
            self._dispatch()
        elif not self.left[block][phase]:
            self._pass(block)

    def _pass(self, block: int) -> None:
        """Let a block's warps through the barriers before which nothing is left to do."""
        left, phase = self.left[block], self.phase[block]
        while phase < len(left) - 1 and not left[phase]:
            phase += 1
        if phase > self.phase[block]:
            self.phase[block] = phase
            waiting, self.waiting[block] = self.waiting[block], []
            for warp in waiting:
                (self.woken if self._is_open(block, warp) else self.waiting[block]).append(warp)


def _greedy(run: _Run) -> None:
    """Run one warp until it must wait, then the oldest that need not."""
    now = 0
    able: list[int] = []  # warps by age: blocks are dispatched in order
    asleep: list[tuple[int, int]] = []
    while True:
        for warp in run.woken:
            heappush(able, warp)
        run.woken.clear()
        while asleep and asleep[0][0] <= now:
            heappush(able, heappop(asleep)[1])
        if not able:
            if not asleep:
                return
            now = asleep[0][0]
            continue
        warp = heappop(able)
        until: int | None = _FREE
        while until is not None and until < 0:
            now += run.gap(warp)
            until = run.advance(warp, now)
            now += until == _ISSUED
        if until is not None:
            heappush(asleep, (until, warp))


def _rotating(run: _Run, most: int) -> None:
    """Every active warp issues one instruction a round; at most `most` are active.

    A warp that must wait leaves its place to one that need not. Events are taken by the round in
    which they come up, (round, warp), so that rounds without any cost nothing.
    """
    now = turn = 0
    active: list[tuple[int, int]] = []
    asleep: list[tuple[int, int]] = []
    queue: deque[int] = deque()
    while True:
        queue.extend(run.woken)
        run.woken.clear()
        while asleep and asleep[0][0] <= now:
            queue.append(heappop(asleep)[1])
        while queue and len(active) < most:
            warp = queue.popleft()
            heappush(active, (turn + run.gap(warp), warp))
        if not active:
            if not asleep:
                return
            now = max(now, asleep[0][0])
            continue
        due, warp = active[0]
        wide = len(active)
        if asleep and len(active) < most and now + (due - turn) * wide > asleep[0][0]:
            rounds = -(-(asleep[0][0] - now) // wide)  # someone wakes before the event comes up
            turn, now = turn + rounds, now + rounds * wide
            continue
        heappop(active)
        now += (due - turn) * wide
        turn = due
        until = run.advance(warp, now)
        while until == _FREE and not run.gap(warp):  # what follows comes up in this round
            until = run.advance(warp, now)
        if until is None:
            continue
        if until >= 0:
            heappush(asleep, (until, warp))
        else:
            heappush(active, (turn + (until == _ISSUED) + run.gap(warp), warp))
