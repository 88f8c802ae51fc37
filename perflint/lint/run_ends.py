"""When a run of a kernel has shown what it can, and ends before the kernel does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from perflint.sim.launch import UNBOUNDED, Budget
from perflint.sim.trace import MemoryBatch, Tracing

#: Basic blocks after which a run goes on only while some suspect access was never reached.
BLOCKS = 400
#: … or so many instructions, where basic blocks are long. Not so with tracers that are patient.
LONG = 8_000
#: … and which it makes, this many times as many as it took to the last new access, where no other
#: turns up: what it still waits for stands behind a condition that is not met.
STALE, STALE_BLOCKS = 4, 4 * BLOCKS
#: … and before which no run ends: accesses that need no watching are seen in passing.
FIRST_BLOCKS = 32
REQUESTS_PER_SITE = 1024
#: Turns of the loops around them after which accesses count as reached: what is the same in each is
#: seen of several only.
LEAST_TURNS = 4
#: Instructions that a run issues though it will be cut short: CU404 asks for warps that execute
#: 4,000.
LEAST_ISSUED = 5_000
#: … and where it is of no use then: its loops' first turns tell what the others take. Tracers that
#: can use so much and no more keep some back at first.
LEAST_SEEN = 1_000

Sites = tuple[tuple[int, ...], ...]  #: the instructions of each site


class Reach(Tracing):
    """Asked after each basic block whether a run has shown what it can. Counts requests."""

    def __init__(self, watched: Sites, looped: frozenset[int], long: int) -> None:
        self._looped, self._long = looped, long
        self._most: dict[int, int] = {}  #: by access in a loop: warps that came at a time
        self._site = {pc: group for group, pcs in enumerate(watched) for pc in pcs}
        self._left = dict.fromkeys(range(len(watched)), REQUESTS_PER_SITE)
        self._unreached = set(self._left)
        self._blocks = self._order = 0
        self.stale = False  #: whether the run ended for want of news
        self._seen: set[int] = set()
        self._news = 0  #: the number of basic blocks when an access was made for the first time

    def memory(self, batch: MemoryBatch) -> None:
        self._order = batch.order
        if batch.pc not in self._seen:
            self._seen.add(batch.pc)
            self._news = self._blocks
        group = self._site.get(batch.pc)
        if group in self._left:
            self._left[group] -= len(batch.warp)
            if self._is_reached(group, batch):
                self._unreached.discard(group)
            if self._left[group] <= 0:
                del self._left[group]

    def _is_reached(self, group: int, batch: MemoryBatch) -> bool:
        """Whether an access was made, in a loop by each warp on several turns."""
        if batch.pc not in self._looped:
            return True
        most = self._most[group] = max(len(batch.warp), self._most.get(group, 0))
        return REQUESTS_PER_SITE - self._left[group] >= LEAST_TURNS * most

    def _is_long(self) -> bool:
        """Whether a run has gone on for as long as anything new can be hoped for."""
        return self._blocks > BLOCKS or self._order > self._long

    def __call__(self) -> bool:
        self._blocks += 1
        if self._blocks < FIRST_BLOCKS:
            return False
        if not self._left or (self._is_long() and not self._unreached):
            return True
        self.stale = self._blocks > max(STALE_BLOCKS, STALE * self._news)
        return self.stale


class Full:
    """Asked after each basic block whether all tracers of a run have as much as they can use."""

    def __init__(self, tracers_: Sequence[Any], budget: Budget) -> None:
        self._tracers, self._budget = tracers_, budget

    def __call__(self) -> bool:
        return all(tracer.filled >= 1 for tracer in self._tracers)

    def is_out_of_reach(self, issued: int) -> bool:
        """Whether the budget's end comes long before, going by what is seen by now."""
        whole = self._budget.issued_instructions / max(1, issued)
        return issued >= LEAST_SEEN and min(t.filled for t in self._tracers) * whole < 0.5


def shows_its_length(issued: int) -> bool:
    """Whether a run that will be cut short is long enough to say that its warps' work is long."""
    return issued >= LEAST_ISSUED


def shows_what_is_left(issued: int) -> bool:
    """Whether a run is long enough to say how much is left of it."""
    return issued >= LEAST_SEEN


def longest(used: Iterable[Any]) -> int:
    """The instructions after which a run for accesses need not go on for these tracers' sake."""
    patient = any(getattr(type(tracer), "patient", False) for tracer in used)
    return UNBOUNDED if patient else LONG
