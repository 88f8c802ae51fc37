"""What all launches of a kernel take of its program's time on the GPU: at least, and at most.

In cycles of the whole chip. A schedule cannot do with less than it takes to issue what is run, nor
than L2 takes for what L1 passes on to it; it does with what it takes where nothing overlaps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from perflint.analysis.model import KernelFacts
from perflint.base.floor import (
    CYCLES_PER_ATOMIC_SECTOR,
    CYCLES_PER_L2_SECTOR,
    CYCLES_PER_SECTOR,
    ISSUED_PER_CYCLE,
)
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.lint.experiment import Plan, share
from perflint.lint.riding_tracers import is_of_accesses
from perflint.lint.subject import Subject
from perflint.lint.trials import Program, run_plan
from perflint.lint.variants import Laboratory
from perflint.rules.protocol import OtherLaunch, Trial
from perflint.sim.architecture import Architecture
from perflint.sim.architecture import load as load_architecture
from perflint.sim.launch import UnsupportedInstructionError
from perflint.sim.tracers.unit_work import UnitWork

#: A launch of nothing: profilers show 1 to 2 microseconds, here at 1.4 GHz.
SHORTEST, LONGEST = 1_400, 2_800
#: Until a warp goes on behind an instruction, what ptxas makes of it, or a load from memory.
INSTRUCTION, LOAD = 10, 600
#: Where a quarter of an A100's warps are there, which most kernels have registers for.
WARPS_PER_SM = 16
#: Of lanes that change one address, one after the other.
ATOMIC = 32
_AS_IT_IS = OtherLaunch(scope="blocks")


@dataclass(frozen=True)
class Cost:
    """Of launches, in each turn of some loops that nobody can count."""

    loops: frozenset[tuple[str, int]]  #: these, by file and first byte
    least: float
    most: float  #: infinity: nobody can tell


@dataclass(frozen=True)
class LaunchCosts:
    """Of all launches of a kernel that a program makes, all of these together."""

    kernel: str
    parts: tuple[Cost, ...]
    programs: frozenset[Path]  #: by the files of their `main`

    def is_in_one_with(self, other: LaunchCosts) -> bool:
        """Whether one program makes all launches of both."""
        return len(self.programs | other.programs) == 1

    def beside(self, others: Sequence[LaunchCosts]) -> tuple[float, tuple[str, ...]]:
        """What they take at most, by what other kernels' together do at least; and these kernels,
        the heaviest first. Infinity: nobody can tell.

        A loop turns as often for all of them, and once at least.
        """
        loops = frozenset[tuple[str, int]]().union(*(part.loops for part in self.parts))
        found = [(each.least_in(loops), each.kernel) for each in others]
        heaviest = sorted((each for each in found if each[0]), key=lambda each: -each[0])
        most, beside = sum(part.most for part in self.parts), sum(least for least, _ in found)
        return (most / beside if beside else math.inf), tuple(kernel for _, kernel in heaviest)

    def least_in(self, loops: frozenset[tuple[str, int]]) -> float:
        """What those take at least that are made in each turn of some loops."""
        return sum(part.least for part in self.parts if loops <= part.loops)


def launch_costs(
    subject: Subject,
    facts: KernelFacts,
    tried: Sequence[Plan],
    trials: Sequence[Sequence[Trial]],
    laboratory: Laboratory | None,
) -> LaunchCosts | None:
    """What a kernel's launches cost; None where no run of its program comes to one.

    `trials` are the runs of each launch. What they cost at most is tried in the `laboratory`; None:
    nobody asks. Nor does anybody where the kernel is its file's only one.
    """
    if not _is_held_against_others(subject):
        return None
    turns = {site.span: site.turns for site in subject.launches}
    arch = load_architecture(subject.arch)
    bounded = None not in turns.values() and not any(loop.data_dependent for loop in facts.loops)
    costs = []
    for place, parts in turns.items():
        numbers = [n for n, plan in enumerate(tried) if place in (plan.shape.span, *plan.also)]
        one = bool(numbers) and _is_plain(subject, place) and any(p.least for p in parts or ())
        told = bounded and bool(numbers) and any(part.most for part in parts or ())
        asks = laboratory if one or told else None
        worked = [[] if asks is None else _work(n, asks, trials[n]) for n in numbers]
        pairs = [*zip(numbers, worked, strict=True)]
        least = min(_least(trials[n], ran, arch) for n, ran in pairs) if one else 0.0
        most = math.inf
        if told and laboratory is not None:
            most = max(_most(tried[n], ran, arch) for n, ran in pairs)
        costs += [
            Cost(part.loops, part.least * least, part.most * most if part.most else 0.0)
            for part in parts or ()
        ]
    made = (site.program for site in subject.launches if site.turns and site.program is not None)
    return LaunchCosts(subject.title, tuple(costs), frozenset(made))


def costs_unsuspected(
    subject: Subject, facts: KernelFacts, tried: Sequence[Plan]
) -> LaunchCosts | None:
    """The same of a kernel that no rule has run."""
    if not _is_held_against_others(subject):
        return None
    program = Program(facts, subject.arch, subject.budget)
    try:
        trials = [
            run_plan(program, plan, "blocks", (), (), share(tried, number))
            for number, plan in enumerate(tried)
        ]
    except UnsupportedInstructionError:
        return None
    return launch_costs(subject, facts, tried, trials, None)


def _is_held_against_others(subject: Subject) -> bool:
    """Whether the run of its program comes to a launch of the kernel, and there are others."""
    made = any(part.least for site in subject.launches for part in site.turns or ())
    return made and len(subject.module.kernels) > 1


def _is_plain(subject: Subject, place: Span) -> bool:
    """Whether a launch is of one instance of a kernel, each time."""
    every = (site for facts in subject.facts.values() for site in facts.launches)
    return len({(site.kernel, site.instance) for site in every if site.span == place}) <= 1


def _work(number: int, laboratory: Laboratory, trials: Sequence[Trial]) -> list[Trial]:
    """What the units have to do in each world of a launch that was run, as far as it was run."""
    ran = laboratory.run(_AS_IT_IS, number, "blocks", {UnitWork.__name__})
    beside = {trial.name: found for trial in trials if (found := ran.beside(trial)) is not None}
    return [*beside.values()]


def _least(trials: Sequence[Trial], worked: Sequence[Trial], arch: Architecture) -> float:
    """Of one launch: the instructions of the blocks that ran, in all multiprocessors' slots.

    Of each world what the longest run saw, and of these the least. Where it is `worked` out, also
    what L2 takes for the sectors of stores and atomics, which L1 passes on.
    """
    slots = ISSUED_PER_CYCLE * arch.multiprocessors
    cycles: dict[str, float] = {}
    for trial in trials:
        if not (trial.unit_stride or trial.identity or trial.reached_with):
            of_grid = _of_grid(trial) * trial.run.warp_instructions / slots
            cycles[trial.name] = max(cycles.get(trial.name, 0.0), of_grid)
    for trial in worked:
        if trial.name in cycles:
            passed_on = _passed_on(trial) * _of_grid(trial) / arch.multiprocessors
            cycles[trial.name] = max(cycles[trial.name], passed_on)
    return max(SHORTEST, min(cycles.values(), default=0.0))


def _of_grid(trial: Trial) -> float:
    """How many times the blocks that ran the grid has."""
    return trial.run.blocks.total / len(trial.run.blocks.indices)


def _passed_on(trial: Trial) -> float:
    """Cycles in which L2 moves what stores and atomics of the blocks that ran touch."""
    stores = (s for s in trial.facts.sites if s.kind == "store" and s.may_be_global)
    work = trial.tracer(UnitWork)
    sectors = work.sectors_of(pc for site in stores for pc in site.pcs)
    return sectors * CYCLES_PER_L2_SECTOR + work.atomic_sectors * CYCLES_PER_ATOMIC_SECTOR


def _most(plan: Plan, worked: Sequence[Trial], arch: Architecture) -> float:
    """Of one launch, in the world in which it takes longest; infinity where one has no end."""
    names = {each.name for each in plan.conditions if not is_of_accesses(each)}
    worlds = {trial.name: trial for trial in worked if trial.name in names}
    if len(worlds) < len(names):
        return math.inf
    return max(_taken(trial, arch) for trial in worlds.values())


def _taken(trial: Trial, arch: Architecture) -> float:
    """What a launch takes at most: all warps in turn on a GPU that few are on at once, and then one
    block whose warps wait for each other, and all that is moved."""
    if not trial.complete:
        return math.inf
    run, work = trial.run, trial.tracer(UnitWork)
    loads = {pc for s in trial.facts.sites if s.kind == "load" and s.may_be_global for pc in s.pcs}
    waits = INSTRUCTION * run.warp_instructions + LOAD * sum(run.requests.get(p, 0) for p in loads)
    atomics = {pc for s in trial.facts.sites if s.kind == "atomic" for pc in s.pcs}
    of_block, blocks = 1 / len(run.blocks.indices), run.blocks.total
    moved = CYCLES_PER_SECTOR * work.sectors / arch.multiprocessors
    turns = waits / (WARPS_PER_SM * arch.multiprocessors) + moved
    turns += ATOMIC * sum(run.requests.get(pc, 0) for pc in atomics)
    return LONGEST + of_block * (waits + blocks * turns)
