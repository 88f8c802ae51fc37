"""What a run that was cut short would have gone on to do, where the launch tells loops' turns.

Of a part that it has come to: what it takes at least. Of all else: what it takes at most.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping
from functools import cache

from perflint.analysis.closed_form import for_launch
from perflint.analysis.extents import decided_by
from perflint.analysis.model import Branch, LoopFacts
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Loop, Special, Symbol
from perflint.rules.measure import ASSUMED_TURNS
from perflint.rules.protocol import Trial
from perflint.sim.tracers.instruction import Instruction

#: Turns of an outer loop that stand for all of them: its first, its last, and some between.
SAMPLES = 5
#: Turns, at most, of a loop whose counter is doubled or halved: it has so many bits.
BITS = 64


class Prospect:
    """A trial whose rule names the tracer Instruction, seen to the end of its loops."""

    def __init__(self, trial: Trial) -> None:
        self._trial, self._run = trial, trial.run
        self._loops = {loop.header: loop for loop in trial.facts.loops}
        self._executed = trial.tracer(Instruction).executed
        self.turns = cache(self._turns)

    def around(self, pc: int) -> list[LoopFacts]:
        """The loops around an instruction, outermost first."""
        found = (loop for loop in self._loops.values() if pc in loop.pcs)
        return sorted(found, key=lambda loop: loop.depth)

    def most(self, without: Collection[int]) -> float | None:
        """Instructions that the run's warps issue at most, but for some. None: who knows."""
        visits = dict[int, float]()  #: a warp's, by the header of the innermost loop
        total = 0.0
        for instruction in self._trial.facts.kernel.instructions:
            pc = instruction.index
            if pc in without:
                continue
            loops = self.around(pc)
            inner = loops[-1].header if loops else -1
            if inner not in visits:
                turns = [self._at_most(loop) for loop in loops]
                if None in turns:
                    return None
                visits[inner] = math.prod(each or 0.0 for each in turns)
            total += visits[inner]
        return total * self._run.warps

    def visits(self, pc: int, once: float) -> float:
        """How often a part is come to, at least, that is come to so often in the outermost loop."""
        return once * math.prod(self._at_least(loop) for loop in self.around(pc))

    def within(self, pc: int, visits: float, part: Collection[int]) -> float:
        """How often an instruction of a part is executed, at least, in so many visits to it.

        Loops turn as often as the launch tells, or as they were seen to; between the loops, ways
        are taken as often as they were.
        """
        return visits * self._rate([each for each in self.around(pc) if each.header in part], pc)

    def _rate(self, loops: list[LoopFacts], pc: int) -> float:
        """Executions of an instruction by visit to a part, of which `loops` are around it."""
        if not loops:
            return 1.0 if self._count(pc) else 0.0
        *outer, inner = loops
        if not (turned := self._count(inner.header)):
            return 0.0
        # a loop at a kernel's first instruction has nothing before it, and is entered once
        rate = self._rate(outer, inner.entries[0]) if inner.entries else 1.0
        return rate * self._at_least(inner) * self._count(pc) / turned

    def _count(self, pc: int) -> int:
        return self._executed.get(pc, (0, 0))[0]

    def _seen(self, loop: LoopFacts) -> float:
        """Turns of a loop for each time that it was entered, as far as the run went."""
        return self._count(loop.header) / max(1, sum(map(self._count, loop.entries)))

    def _at_least(self, loop: LoopFacts) -> float:
        """Turns of a loop, in the warp and block that it has the fewest of."""
        known = self.turns(loop.header, False)
        return self._seen(loop) if known is None else known

    def _at_most(self, loop: LoopFacts) -> float | None:
        """Turns of a loop, in the warp and block that it has most of; None: who knows."""
        known = self.turns(loop.header, True)
        if known is None and loop.data_dependent:
            return max(float(ASSUMED_TURNS), self._seen(loop))
        return known

    def _ends(self, header: int) -> list[Branch]:
        """The branches that leave a loop, but for those that leave one within it, too."""
        own, inner = set(self._loops[header].pcs), self._inner(header)
        branches = (each for each in self._trial.facts.branches if each.leaves_loop)
        return [each for each in branches if each.pc in own and each.pc not in inner]

    def _turns(self, header: int, most: bool) -> float | None:
        """Turns of a loop by its formulas, averaged over those of loops around it.

        Of the first and last thread and block, those with `most`, or with the fewest. A loop that
        has several ends has as many at most as the first of them allows.
        """
        ends = self._ends(header)
        found = [self._turns_to(end, header, most) for end in ends]
        known = [each for each in found if each is not None]
        return min(known) if known and (most or len(ends) == len(known) == 1) else None

    def _inner(self, header: int) -> set[int]:
        """The instructions of the loops within one."""
        own = set(self._loops[header].pcs)
        inside = (set(each.pcs) for each in self._loops.values() if set(each.pcs) < own)
        return set[int]().union(*inside)

    def _turns_to(self, end: Branch, header: int, most: bool) -> float | None:
        """Turns of a loop until one test of a counter ends it, seen where its sign changes."""
        tests = decided_by(end.condition.symbol) if end.condition is not None else ()
        if len(tests) != 1:
            return None
        difference = tests[0].left - tests[0].right
        formula = for_launch(difference, self._run.launch.block, self._trial.values)
        mine = [s for s in _symbols(formula) if isinstance(s, Loop) and s.header == header]
        own = [s for s in _symbols(formula) if isinstance(s, Special)]
        outer = [s for s in _symbols(formula) if isinstance(s, Loop) and s.header != header]
        # a loop within may turn as often as the counter of this one says: asked, they go in circles
        if len(mine) != 1 or not {s.header for s in outer} <= self._headers_around(header):
            return None
        choices = [self._range(symbol, most) for symbol in (*own, *outer)]
        if any(choice is None for choice in choices):
            return None
        found = dict[tuple[int, ...], list[float]]()
        for numbers in itertools.product(*(choice or () for choice in choices)):
            values = dict(zip((*own, *outer), numbers, strict=True))
            turns = _sign_changes(formula, mine[0], values)
            if turns is None:
                return None
            found.setdefault(numbers[: len(own)], []).append(turns)
        means = [sum(each) / len(each) for each in found.values()]
        return max(means) if most else min(means)

    def _headers_around(self, header: int) -> set[int]:
        return {loop.header for loop in self.around(header)} - {header}

    def _range(self, symbol: Symbol, most: bool) -> tuple[int, ...] | None:
        """Numbers that stand for all of a symbol's."""
        launch, (name, _, axis) = self._run.launch, symbol.text.partition(".")
        if isinstance(symbol, Loop):
            turns = self.turns(symbol.header, most)
            return None if turns is None else _samples(round(turns))
        extents = {"%tid": launch.block, "%ctaid": launch.grid, "%nctaid": launch.grid}
        if name not in extents or axis not in "xyz":
            return (0, 31) if name == "%laneid" else None
        extent = extents[name]["xyz".index(axis)]
        return (extent,) if name == "%nctaid" else tuple({0, extent - 1})


def _samples(turns: int) -> tuple[int, ...]:
    """Counters of some turns, evenly apart, the first and the last among them."""
    return tuple(sorted({round(i * (turns - 1) / (SAMPLES - 1)) for i in range(SAMPLES)}))


def _sign_changes(formula: Polynomial, counter: Loop, values: Mapping[Symbol, int]) -> int | None:
    """The turn in which a formula comes to 0: one that grows or falls evenly, or by its bits.

    1 where it is beyond from the first turn on, and goes on from there.
    """

    def at(turn: int) -> int:
        return int(formula.evaluate({**values, counter: turn}))

    try:
        first, second, third = map(at, range(3))
        step = second - first
        if step and third - second == step:
            last = -(-abs(first) // abs(step)) if (first < 0) == (step > 0) else 0
            return last + 1 if last == 0 or at(last) * first <= 0 else None  # `i % 7` rose evenly
        return next((n + 1 for n in range(BITS) if at(n) * first <= 0), None)
    except (KeyError, ValueError, ZeroDivisionError, OverflowError, TypeError):
        return None


def _symbols(formula: Polynomial) -> list[Symbol]:
    """All symbols of a formula that are not operations, those within operations included."""
    return sorted(set(formula.atoms), key=lambda symbol: symbol.text)
