"""What a kernel's instructions cost a multiprocessor, with and without an edit of the source."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import field
from functools import lru_cache

from perflint.base.floor import ISSUED_PER_CYCLE
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.rules.measure import memory_cycles
from perflint.rules.protocol import (
    Kernel,
    Trial,
)
from perflint.rules.source_lines import largest_difference, pcs_at, visits
from perflint.rules.steady import tells
from perflint.sim.expansion import machine_instructions
from perflint.sim.tracers.instruction import Instruction

#: Memory takes longer than the kernel's instructions.
BESIDE_MEMORY = "it is {share:.1%} of the time in which memory brings what the kernel touches"


@dataclass(frozen=True)
class Work:
    """What warps issued, of some instructions of a run."""

    instructions: int = 0  #: of the machine, on the common path
    doubles: int = 0  #: those of them on doubles

    def slots(self, kernel: Kernel) -> float:
        """Issue slots: a double takes as many as there are float units for each double one."""
        ratio = kernel.arch.fp32_lanes / max(1, kernel.arch.fp64_lanes)
        return self.instructions + self.doubles * (ratio - 1)

    def times(self, factor: float) -> Work:
        """As much, so often."""
        return Work(round(self.instructions * factor), round(self.doubles * factor))

    def __add__(self, other: Work) -> Work:
        return Work(self.instructions + other.instructions, self.doubles + other.doubles)

    def __sub__(self, other: Work) -> Work:
        return Work(self.instructions - other.instructions, self.doubles - other.doubles)


def work(trial: Trial, pcs: Iterable[int]) -> Work:
    """What warps issued at some instructions of the kernel."""
    executed = trial.tracer(Instruction).executed
    instructions = doubles = 0
    for pc in pcs:
        if pc in executed:
            each, double = machine_instructions(trial.facts.kernel.instructions[pc])
            instructions += executed[pc][0] * each
            doubles += executed[pc][0] * double
    return Work(instructions, doubles)


@lru_cache(maxsize=16)
def total(trial: Trial) -> Work:
    """What the warps of a run issued, the code of called functions left out."""
    return work(trial, trial.tracer(Instruction).executed)


@dataclass(frozen=True)
class Saving:
    """What an edit of the source saves, per warp that was run."""

    before: Work  #: at the lines in question
    after: Work  #: what would do there
    warps: int
    #: of the kernel's time: of issue, or for floats of memory if that takes longer
    share: float
    issued: float  #: of the kernel's issue slots
    #: of the kernel's time, memory's going by while warps issue: nothing while that is longer
    gained: float
    beside: tuple[Trial, Trial] = field(repr=False)  #: the original's and the edited source's

    @property
    def difference(self) -> float | None:
        """The largest relative one of the results; None: not comparable."""
        return largest_difference(*self.beside)

    @property
    def measured(self) -> float:
        """Machine instructions a warp."""
        return self.before.instructions / self.warps

    @property
    def golden(self) -> float:
        return self.after.instructions / self.warps


def saving(kernel: Kernel, trial: Trial, edited: Trial, places: Sequence[Span]) -> Saving | None:
    """What the edited source saves at some places, the first of them the statement's own.

    What the edit puts elsewhere, before a loop, must be among the places. Of runs that were cut
    short in a steady loop around the statement, the cost of a visit is compared: the edited
    source's counts as often as the original came by. None where that does not tell.
    """
    here, there = (pcs_at(each.facts, kernel, places[0]) for each in (trial, edited))
    if trial.complete and edited.complete:
        before, after = (
            work(each, {pc for place in places for pc in pcs_at(each.facts, kernel, place)})
            for each in (trial, edited)
        )
    elif tells(trial, here) and (again := ratio_of_visits(kernel, trial, here, edited, there)):
        before, after = work(trial, here), work(edited, there).times(again)
    else:
        return None
    gain, all_ = before - after, max(1.0, total(trial).slots(kernel))
    saved = gain.slots(kernel)
    # Of double units most GPUs have so few that memory is no measure of what they cost.
    waits = 0.0 if gain.doubles else memory_cycles(trial) * ISSUED_PER_CYCLE
    time = max(all_, waits)
    return Saving(
        before=before,
        after=after,
        warps=trial.run.warps,
        share=saved / time,
        issued=saved / all_,
        gained=1 - max(all_ - saved, waits) / time,
        beside=(trial, edited),
    )


def ratio_of_visits(
    kernel: Kernel, trial: Trial, pcs: Collection[int], other: Trial, others: Collection[int]
) -> float:
    """How often warps came to a statement, for each time they did in another run; 0.0: never.

    What is cheaper may be unrolled further: copies count together.
    """
    mine, its = (
        visits(each, at, kernel, by_warp=True) for each, at in ((trial, pcs), (other, others))
    )
    return mine / its if its else 0.0
