"""Turns of long loops passed over, and runs that cannot come to their end.

Of a long loop that only counters carry on, a run makes the first turns, some in the middle and the
last ones: its counters are set to what they are there. What its accesses would have been counts as
often as in the turns before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import field

from perflint.base.records import dataclass
from perflint.sim.counted_loops import CountedLoop
from perflint.sim.foresight import Counts, Foresight
from perflint.sim.linear import Positions, Registers, advance, turns_left
from perflint.sim.recorder import Recorder
from perflint.sim.values import Value

#: Turns that are made at the beginning of a loop, in its middle, and at its end; fewer where they
#: would issue more instructions than these, of which a run has some ten thousand.
MADE, FEWEST = 16, 4
ISSUED = 2_000
#: How many times those must be left for some to be passed over.
LONG = 6


@dataclass
class _Progress:
    """How far a loop is since it was entered."""

    made: int = -1  #: turns
    passed: int = 0
    issued: int = 0  #: at the last look, as the two below
    looked: int = 0
    requests: dict[int, int] = field(default_factory=dict)


class Leaps:
    """Watches the first blocks of counted loops."""

    def __init__(
        self,
        loops: Mapping[int, CountedLoop],
        recorder: Recorder,
        skip: bool,
        foresight: Foresight | None = None,
    ) -> None:
        """With `skip` turns are passed over; else it is only told how long a run will take, with
        `foresight` after those that are foreseen.
        """
        self._loops, self._recorder, self._skip = loops, recorder, skip
        self._foresight = foresight
        self.passed = 0  #: turns
        self._now: dict[int, _Progress] = {}
        entering: dict[int, list[int]] = defaultdict(list)
        for loop in loops.values():
            for block in loop.entered_from:
                entering[block].append(loop.header)
        self._entering = dict(entering)
        self.watched = frozenset((*loops, *entering))

    def at(
        self,
        block: int,
        registers: Registers,
        lanes: Positions,
        alone: bool,
        counts: Counts,
        write: Callable[[int, Value], None],
    ) -> int:
        """A watched block is about to run: the least number of instructions the run will issue.

        `alone` are lanes beside whom there are no others. `write` gives their register of a slot
        its value.
        """
        for header in self._entering.get(block, ()):
            self._now.pop(header, None)
            if self._foresight is not None:
                self._foresight.entered(header)
        loop = self._loops.get(block)
        if loop is None:
            return 0
        foresight = self._foresight
        if foresight is not None and loop.shifts is not None and block not in foresight.refused:
            foresight.at(loop, registers, lanes, counts, write)
            return 0
        issued = counts.issued_instructions
        now = self._now.setdefault(block, _Progress())
        now.made += 1
        leaping = self._skip and loop.passable and (alone or not loop.waits)
        doubled = now.made & (now.made - 1) == 0
        if not now.made or not (doubled or (leaping and now.made % FEWEST == 0)):
            return 0
        turns = now.made - now.looked
        each = (issued - now.issued) // turns if now.looked else 0
        made = _turns_made(each)
        if leaping and now.made % made == 0:
            left = turns_left(loop, registers, lanes)
            self._pass_over(loop, now, made, left, registers, lanes, write)
        now.issued, now.looked = issued, now.made
        now.requests = self._requests(loop)
        return issued + turns_left(loop, registers, lanes, most=True) * each

    def _requests(self, loop: CountedLoop) -> dict[int, int]:
        """What the loop's accesses have requested so far."""
        counts = self._recorder.requests
        return {pc: counts[pc] for pc in loop.pcs if pc in counts}

    def _pass_over(
        self,
        loop: CountedLoop,
        now: _Progress,
        made: int,
        left: int,
        registers: Registers,
        lanes: Positions,
        write: Callable[[int, Value], None],
    ) -> None:
        """Go on in the middle of a loop, or at its end."""
        before = now.made + now.passed
        middle = (before + left) // 2 - made // 2
        turns = (middle - before) if middle - before > made else left - made
        turns -= turns % 2
        if turns < made or (left < LONG * made and not now.passed):
            return
        advance(loop, turns, registers, lanes, write)
        since = now.made - now.looked
        for pc, seen in self._requests(loop).items():
            lately = seen - now.requests.get(pc, 0)
            self._recorder.requests[pc] = seen + lately * turns // max(1, since)
        now.passed += turns
        self.passed += turns


def _turns_made(issued: int) -> int:
    """How many turns of a loop are made at a time, by the instructions that one of them issues."""
    made = MADE
    while made > FEWEST and made * issued > ISSUED:
        made //= 2
    return made
