"""Turns of loops that are all alike, told to the tracers at once.

In a loop of which nothing but counters carries on, without another branch, each turn does what the
one before did, its accesses a fixed distance further. A run makes a few turns and the last one;
tracers that can count what is `repeat`ed are told of those between. They find what they find in a
run of all turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from perflint.base.records import dataclass
from perflint.sim.counted_loops import CountedLoop
from perflint.sim.linear import Positions, Registers, advance, turn_adds, turns_left
from perflint.sim.memory import ORIGIN
from perflint.sim.recorder import Recorder
from perflint.sim.trace import MemoryBatch, Turn
from perflint.sim.unique_values import unique_values
from perflint.sim.values import Value

#: What telling the tracers takes at most, as instructions that are issued: the budget counts it.
COST = 300
TURNS = 256  #: … and one more for so many turns
#: Turns beyond which nothing is foreseen.
MOST = 1 << 20


class Counts(Protocol):
    """What a run has executed so far."""

    warp_instructions: int
    thread_instructions: int
    issued_instructions: int


@dataclass(frozen=True)
class _Begun:
    """Where a run was when the turn began that is being noted."""

    header: int
    lanes: bytes
    issued: int
    warp: int
    thread: int
    faults: Mapping[Any, int]


@dataclass(eq=False)
class Foresight:
    """Asked at the first block of each loop whose turns are alike."""

    recorder: Recorder
    tracers: Sequence[Any]  #: that count what is repeated
    sizes: Mapping[int, int | None]  #: bytes of each region
    faults: Counter[Any]  #: how often each was seen
    refused: set[int] = field(default_factory=set)  #: loops of which a turn was not like another
    _begun: _Begun | None = None
    _made: dict[int, int] = field(default_factory=dict)  #: turns, by loop

    def entered(self, header: int) -> None:
        """A loop is about to be entered from outside."""
        self._made.pop(header, None)

    def at(
        self,
        loop: CountedLoop,
        registers: Registers,
        lanes: Positions,
        counts: Counts,
        write: Callable[[int, Value], None],
    ) -> None:
        """A turn is about to begin: pass over those that can be foreseen.

        `lanes` are those that begin it. `write` gives their register of a slot its value.
        """
        made = self._made[loop.header] = self._made.get(loop.header, -1) + 1
        begun, self._begun = self._begun, None
        turn, self.recorder.turn = self.recorder.turn, None
        if begun is not None and turn is not None:
            if _is_next(begun, self._now(loop, lanes, counts), loop):
                self._foresee(loop, turn, begun, registers, lanes, counts, write)
        elif (
            made and made & (made - 1) == 0 and _is_worth(loop, turns_left(loop, registers, lanes))
        ):
            self.recorder.turn = Turn()
            self._begun = self._now(loop, lanes, counts)

    def _now(self, loop: CountedLoop, lanes: Positions, counts: Counts) -> _Begun:
        return _Begun(
            loop.header,
            b"" if lanes is None else lanes.tobytes(),
            counts.issued_instructions,
            counts.warp_instructions,
            counts.thread_instructions,
            dict(self.faults),
        )

    def _foresee(
        self,
        loop: CountedLoop,
        turn: Turn,
        begun: _Begun,
        registers: Registers,
        lanes: Positions,
        counts: Counts,
        write: Callable[[int, Value], None],
    ) -> None:
        """Pass over what the turn before tells of, all but the last, an even number of turns."""
        times = turns_left(loop, registers, lanes) - 1
        times -= times % 2
        if not _is_worth(loop, times):
            return
        if times > MOST:
            self.refused.add(loop.header)
            return
        for batch in turn.memory:
            assert loop.shifts is not None
            step = turn_adds(loop, loop.shifts[batch.pc], registers, lanes, times)
            if step is None or step % batch.size or not self._stays(batch, times * step):
                self.refused.add(loop.header)
                return
            turn.steps[batch.pc] = step
        for tracer in self.tracers:
            tracer.repeat(turn, times)
        for batch in turn.memory if self.recorder.observers.memory else ():
            self.recorder.requests[batch.pc] += times * len(batch.warp)
        for fault, seen in self.faults.items():
            self.faults[fault] = seen + times * (seen - begun.faults.get(fault, 0))
        counts.warp_instructions += times * (counts.warp_instructions - begun.warp)
        counts.thread_instructions += times * (counts.thread_instructions - begun.thread)
        counts.issued_instructions += COST + times // TURNS
        self.recorder.order += times * loop.issues
        advance(loop, times, registers, lanes, write)
        self._made[loop.header] = 0

    def _stays(self, batch: MemoryBatch, further: int) -> bool:
        """Whether requests so many bytes further lie in the same region."""
        if not further:
            return True
        offset = batch.offset[batch.mask]
        low, high = int(offset.min()), int(offset.max()) + batch.size
        numbers = unique_values(batch.region[batch.mask]).tolist()
        if not all(number in self.sizes for number in numbers):
            return False
        end = min(self.sizes[number] or ORIGIN for number in numbers)
        return min(low, low + further) >= 0 and max(high, high + further) <= end


def _is_worth(loop: CountedLoop, turns: int) -> bool:
    """Whether so many turns take much longer than telling of them."""
    return turns * loop.issues > 2 * COST


def _is_next(begun: _Begun, now: _Begun, loop: CountedLoop) -> bool:
    """Whether the same lanes have run a turn of a loop, and nobody else anything."""
    same = (begun.header, begun.lanes) == (now.header, now.lanes)
    return same and now.issued - begun.issued == loop.issues
