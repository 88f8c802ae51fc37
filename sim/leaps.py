"""Turns of long loops passed over, and runs that cannot come to their end.

Of a long loop that only counters carry on, a run makes the first turns, some in the middle and the
last ones: its counters are set to what they are there. What its accesses would have been counts as
often as in the turns before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from perflint.sim.counted_loops import CountedLoop, Linear
from perflint.sim.recorder import Recorder
from perflint.sim.values import UNSIGNED, Value

#: Turns that are made at the beginning of a loop, in its middle, and at its end.
MADE = 16
#: Turns that must be left for some to be passed over.
LONG = 6 * MADE
_LARGE = 1 << 62  #: numbers below do not overflow where two are added

Registers = list[Value]
Positions = np.ndarray | None  #: of the lanes that run; None: all of the population


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

    def __init__(self, loops: Mapping[int, CountedLoop], recorder: Recorder, leap: bool) -> None:
        """With `leap` turns are passed over; else it is only told how long a run will take."""
        self._loops, self._recorder, self._leap = loops, recorder, leap
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
        issued: int,
        write: Callable[[int, Value], None],
    ) -> int:
        """A watched block is about to run: the least number of instructions the run will issue.

        `alone` are lanes beside whom there are no others. `write` gives their register of a slot
        its value.
        """
        for header in self._entering.get(block, ()):
            self._now.pop(header, None)
        loop = self._loops.get(block)
        if loop is None:
            return 0
        now = self._now.setdefault(block, _Progress())
        now.made += 1
        leaping = self._leap and loop.passable and (alone or not loop.waits)
        doubled = now.made & (now.made - 1) == 0
        if not now.made or not (doubled or (leaping and now.made % MADE == 0)):
            return 0
        left = turns_left(loop, registers, lanes)
        turns = now.made - now.looked
        each = (issued - now.issued) // turns if now.looked else 0
        if leaping and now.made % MADE == 0:
            self._pass_over(loop, now, left, registers, lanes, write)
        now.issued, now.looked = issued, now.made
        now.requests = self._requests(loop)
        return issued + left * each

    def _requests(self, loop: CountedLoop) -> dict[int, int]:
        """What the loop's accesses have requested so far."""
        counts = self._recorder.requests
        return {pc: counts[pc] for pc in loop.pcs if pc in counts}

    def _pass_over(
        self,
        loop: CountedLoop,
        now: _Progress,
        left: int,
        registers: Registers,
        lanes: Positions,
        write: Callable[[int, Value], None],
    ) -> None:
        """Go on in the middle of a loop, or at its end."""
        before = now.made + now.passed
        middle = (before + left) // 2 - MADE // 2
        turns = (middle - before) if middle - before > MADE else left - MADE
        turns -= turns % 2
        if turns < MADE or (left < LONG and not now.passed):
            return
        advance(loop, turns, registers, lanes, write)
        made = now.made - now.looked
        for pc, seen in self._requests(loop).items():
            lately = seen - now.requests.get(pc, 0)
            self._recorder.requests[pc] = seen + lately * turns // max(1, made)
        now.passed += turns
        self.passed += turns


def turns_left(loop: CountedLoop, registers: Registers, lanes: Positions) -> int:
    """How many turns each of the lanes goes on for at least; 0 where that is not known.

    Counters that would wrap around on their way tell nothing.
    """
    test = loop.test
    sides = (test.left, test.right)
    left, right = (_numbers(side, registers, lanes, test.signed) for side in sides)
    ahead, behind = (_numbers(_step(loop, side), registers, lanes, True) for side in sides)
    if left is None or right is None or ahead is None or behind is None:
        return 0
    distance, step = np.broadcast_arrays(right - left, ahead - behind)
    if test.comparison in ("gt", "ge"):
        distance, step = -distance, -step
    if test.comparison == "ne":
        if (step == 0).any() or (distance % np.where(step, step, 1)).any():
            return 0
        turns = distance // step
    elif (step <= 0).any():
        return 0
    else:
        turns = -(-(distance + (test.comparison in ("le", "ge"))) // step)
    least = max(0, int(turns.min()))
    bits = test.left.bits
    low, high = (-1 << bits - 1, 1 << bits - 1) if test.signed else (0, 1 << bits)
    for side, each in ((left, ahead), (right, behind)):
        end = side.astype(float) + least * each.astype(float)
        if (end < max(low, -_LARGE)).any() or (end >= min(high, _LARGE)).any():
            return 0
    return least


def _step(loop: CountedLoop, side: Linear) -> Linear:
    """What a turn adds to one side of the test."""
    total = Linear(side.bits)
    for slot, count in side.terms.items():
        if slot in loop.steps:
            total = total.plus(loop.steps[slot], count)
    return total


def _numbers(
    form: Linear, registers: Registers, lanes: Positions, signed: bool
) -> np.ndarray | None:
    """What a form is in each lane, int64 (n,) or (); None for numbers that are too large."""
    found = np.asarray(_sum(form, lambda slot: _of(registers[slot], lanes)))
    if signed:
        found = found.view(np.dtype(f"i{found.dtype.itemsize}"))
    numbers = found.astype(np.int64)
    large = (numbers >= _LARGE) | (numbers < (-_LARGE if signed else 0))
    return None if large.any() else numbers


def advance(
    loop: CountedLoop,
    turns: int,
    registers: Registers,
    lanes: Positions,
    write: Callable[[int, Value], None],
) -> None:
    """Set what a loop carries on to what it is so many turns later."""
    before = {slot: _of(registers[slot], lanes) for slot in loop.steps}

    def one_turn_earlier(slot: int) -> Value:
        return last[slot] if slot in last else _of(registers[slot], lanes)

    def now(slot: int) -> Value:
        return before[slot] if slot in before else _of(registers[slot], lanes)

    last = {
        slot: _sum(Linear(step.bits, 0, {slot: 1}).plus(step, turns - 1), now)
        for slot, step in loop.steps.items()
    }
    made = {
        **{slot: _sum(form, one_turn_earlier) for slot, form in loop.behind.items()},
        **{slot: _sum(step, now) + last[slot] for slot, step in loop.steps.items()},
    }
    for slot, value in made.items():
        write(slot, value)


def _sum(form: Linear, held: Callable[[int], Value]) -> Value:
    """A form's value in the type of its width."""
    kind = UNSIGNED[form.bits // 8].type
    total = kind(form.constant)
    for slot, count in form.terms.items():
        value = held(slot)
        total = (value if count == 1 else value * kind(count % (1 << form.bits))) + total
    return total


def _of(register: Value, lanes: Positions) -> Value:
    return register if lanes is None or register.ndim == 0 else register[lanes]
