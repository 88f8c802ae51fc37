"""A launch's warps on one multiprocessor, request by request, with a cache and the DRAM's banks.

GUPT's machine: a warp runs until it must wait, for what the DRAM brings or at a barrier; then
another one that is ready is chosen. Which one is what a schedule is. A bank serves one transaction
after the other. Times are those of the model, in its cycles: they order events and give shares,
nothing else.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cached_property
from itertools import pairwise

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.cache import Cache
from perflint.sim.cache_trace import ATOMIC, LOAD, CacheTrace
from perflint.sim.placement import Placement
from perflint.sim.schedulers import Warps, Work, work

_CACHE = Cache(ways=2, sets=32, line=64, sector=64, write="allocate")
_PACKED = Placement()


@dataclass(frozen=True)
class Machine:
    """The caches and the memory that a schedule is made for. Defaults are GUPT's Table 2."""

    cache: Cache = _CACHE
    banks: int = 4
    bank_bytes: int = 8192  #: neighbouring bytes of one bank
    hit: int = 1  #: cycles until what the cache holds can be used
    round_trip: int = 100  #: cycles of a transaction with the DRAM that waits for no other
    #: cycles that a bank is busy with a transaction: all of them, as in GUPT's Figure 2
    busy: int = 100
    resident: int = 8  #: blocks at a time

    def bank_of(self, address: np.ndarray) -> np.ndarray:
        return np.asarray(address // self.bank_bytes % self.banks)


@dataclass(frozen=True, eq=False)
class Requests:
    """A trace as lines with addresses."""

    trace: CacheTrace
    machine: Machine
    placement: Placement = _PACKED
    #: lines that are kept once they were fetched: no other one takes their place
    locked: frozenset[int] = frozenset()

    @cached_property
    def work(self) -> Work:
        return work(self.trace)

    @cached_property
    def _lines(self) -> tuple[np.ndarray, np.ndarray]:
        accesses = self.trace.accesses(self.machine.cache.line)
        address = (
            self.placement.bases(self.trace)[accesses.region] + accesses.piece * accesses.granule
        )
        return accesses.first, address

    @cached_property
    def by_request(self) -> list[list[tuple[int, int, int]]]:
        """By request: (line, set, bank) of each line that it touches."""
        first, address = self._lines
        line = address // self.machine.cache.line
        rows = list(
            zip(
                line.tolist(),
                self.machine.cache.set_of(line).tolist(),
                self.machine.bank_of(address).tolist(),
                strict=True,
            )
        )
        bounds = first.tolist()
        return [rows[a:b] for a, b in pairwise(bounds)]

    @cached_property
    def lanes(self) -> list[list[int]]:
        """By request: the lanes that want each of its lines, as bits."""
        accesses = self.trace.accesses(self.machine.cache.line)
        rows, bounds = accesses.lanes.tolist(), accesses.first.tolist()
        return [rows[a:b] for a, b in pairwise(bounds)]


@dataclass(frozen=True)
class Turn:
    """What one warp did from when it was chosen until it waited."""

    warp: int
    requests: tuple[int, ...]
    ended: str  #: `memory`, `barrier` or `exit`


@dataclass(frozen=True)
class Wait:
    """A warp that waited for a request."""

    request: int
    since: int  #: when the warp needed it
    ready: int  #: when it was there
    alone: int  #: when it would have been, had no other warp disturbed it
    evicted: bool  #: it would have hit: another warp took its line away


@dataclass(eq=False)
class Timeline:
    """What happened."""

    turns: list[Turn] = field(default_factory=list)
    waits: list[list[Wait]] = field(default_factory=list)  #: by warp, in their order
    #: by block and barrier: (warp, when it arrived, how many of its waits lay before)
    arrivals: dict[tuple[int, int], list[tuple[int, int, int]]] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)  #: by warp: when it was done
    time: int = 0
    misses: int = 0
    order: list[int] = field(default_factory=list)  #: requests as they were issued


@dataclass(eq=False)
class Now:
    """What a schedule may know when it chooses."""

    time: int
    content: list[OrderedDict[int, None]]  #: by set: lines, least recently used first
    outstanding: list[dict[int, int]]  #: by bank: lines that it is busy with, and until when
    next: list[int]  #: by warp: the request that it comes to next, -1 for none


Choose = Callable[[Sequence[int], Now], int]
#: Whether a request always hits where its warp is alone (`Chmc(m, t) = AH` for all its threads).
AlwaysHit = Callable[[int], bool]


def run(requests: Requests, choose: Choose, always_hit: AlwaysHit) -> Timeline:
    """Run all warps; `choose` is asked which of some ready ones goes on."""
    return _Running(requests, choose, always_hit).run()


class _Running:
    def __init__(self, requests: Requests, choose: Choose, always_hit: AlwaysHit) -> None:
        self._requests, self._choose, self._always_hit = requests, choose, always_hit
        trace, machine = requests.trace, requests.machine
        self._machine = machine
        self._kind, self._cached = trace.kind.tolist(), trace.cached.tolist()
        self._use, self._warp = trace.use.tolist(), trace.warp.tolist()
        self._state = Warps(requests.work, machine.resident, [0] * trace.requests)
        warps = len(self._state.left)
        self._coming = [
            [event[2] for event in left if event[2] >= 0] for left in self._state.left
        ]  # the next one last, as in `left`
        self._next = [coming[-1] if coming else -1 for coming in self._coming]
        self._now = Now(
            0,
            [OrderedDict() for _ in range(machine.cache.sets)],
            [{} for _ in range(machine.banks)],
            self._next,
        )
        self._free = [0] * machine.banks
        self._alone = [0] * trace.requests  #: when each would be there without other warps
        self._evicted = [False] * trace.requests
        self.line = Timeline(waits=[[] for _ in range(warps)])

    def run(self) -> Timeline:
        state, line = self._state, self.line
        able: set[int] = set()
        asleep: dict[int, int] = {}
        while True:
            able.update(state.woken)
            state.woken.clear()
            for warp in [w for w, until in asleep.items() if until <= self._now.time]:
                able.add(warp)
                del asleep[warp]
            if not able:
                if not asleep:
                    break
                self._now.time = min(asleep.values())
                continue
            ready = sorted(able)
            warp = self._choose(ready, self._now)
            able.discard(warp)
            issued, ended, until = self._turn(warp)
            line.turns.append(Turn(warp, tuple(issued), ended))
            if ended == "memory":
                asleep[warp] = until
            elif ended == "exit":
                line.ends[warp] = self._now.time
        line.time = self._now.time
        return line

    def _turn(self, warp: int) -> tuple[list[int], str, int]:
        """Run a warp until it waits: what it issued, why it waits, and until when."""
        state, now = self._state, self._now
        left, block = state.left[warp], state.block[warp]
        in_phase, ready = state.in_phase[block], state.ready
        issued: list[int] = []
        while True:
            gap, phase, request, need = left[-1]
            now.time += gap
            if need >= 0:
                if ready[need] > now.time:
                    self._waited(warp, need)
                    left[-1] = (0, phase, request, need)
                    return issued, "memory", ready[need]
            elif request >= 0:
                self._issue(request)
                issued.append(request)
                self._coming[warp].pop()
                self._next[warp] = self._coming[warp][-1] if self._coming[warp] else -1
            else:
                self._arrived(warp, block, phase)
            left.pop()
            in_phase[phase] -= 1
            if not (
                left and in_phase[phase] and left[-1][1] <= state.phase[block]
            ) and not state.over(warp, phase):
                return issued, "barrier" if left else "exit", 0
            now.time += need < 0

    def _arrived(self, warp: int, block: int, phase: int) -> None:
        here = self.line.arrivals.setdefault((block, phase), [])
        here.append((warp, self._now.time, len(self.line.waits[warp])))

    def _waited(self, warp: int, need: int) -> None:
        wait = Wait(
            need, self._now.time, self._state.ready[need], self._alone[need], self._evicted[need]
        )
        self.line.waits[warp].append(wait)

    def _issue(self, request: int) -> None:
        """A request goes to the cache, and what misses to the banks."""
        machine, now = self._machine, self._now
        self.line.order.append(request)
        loads = self._kind[request] == LOAD
        through = self._cached[request] and (loads or machine.cache.write == "allocate")
        done, alone = now.time + machine.hit, [0] * machine.banks
        for line, group, bank in self._requests.by_request[request]:
            if through and self._hits(line, group):
                continue
            self.line.misses += 1
            begin = max(now.time, self._free[bank])
            self._free[bank] = begin + machine.busy
            alone[bank] += 1
            busy = now.outstanding[bank]
            for old in [each for each, until in busy.items() if until <= now.time]:
                del busy[old]
            busy[line] = begin + machine.round_trip
            done = max(done, begin + machine.round_trip)
        most = max(alone)
        waits = loads or self._kind[request] == ATOMIC
        self._state.ready[request] = done if waits else now.time
        hit = self._always_hit(request)
        self._evicted[request] = bool(hit and most)
        by_itself = (
            machine.hit if hit or not most else machine.round_trip + (most - 1) * machine.busy
        )
        self._alone[request] = now.time + by_itself

    def _hits(self, line: int, group: int) -> bool:
        """Look a line up, and bring it in, if a way is left that no other line is locked in."""
        own, policy = self._now.content[group], self._machine.cache.policy
        if line in own:
            if policy != "fifo":
                own.move_to_end(line)
            return True
        own[line] = None
        if len(own) > self._machine.cache.ways:
            del own[next((each for each in own if each not in self._requests.locked), line)]
        return False


__all__ = [
    "AlwaysHit", "Choose", "Machine", "Now", "Requests", "Timeline", "Turn", "Wait", "run",
]  # fmt: skip
