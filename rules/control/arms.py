"""What warps issue in the arms of branches, and what they would in full warps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from perflint.analysis.model import Branch as BranchSite
from perflint.analysis.symbols import BLOCK, LOADED, Parameter
from perflint.base.records import dataclass
from perflint.grammar.model import Function
from perflint.rules.case import Figure
from perflint.rules.control.row_bounds import without_bounds
from perflint.rules.control.walks import EXCHANGES, WARP, loops_over_memory, may_be_shared
from perflint.rules.measure import ASSUMED_TURNS
from perflint.rules.prospects import Prospect
from perflint.rules.protocol import Kernel, Trial
from perflint.sim.tracers.branch import Branch
from perflint.sim.tracers.instruction import Instruction

NOTHING: Mapping[int, int] = {}


def figure_of_arms(branches: Sequence[BranchSite], trial: Trial) -> Figure:
    """What was issued in a run, and who goes the arm that full warps would save most of."""
    arms = list(_arms(without_bounds(branches, trial), trial))
    issued, packed = sum(a.issued for a in arms), sum(a.packed for a in arms)
    share = (issued - packed) / _total(trial)
    worst = max(arms, key=lambda a: a.issued - a.packed, default=None)
    alone = worst.alone if worst is not None else None
    return Figure(trial, issued, packed, packed < issued, share=share, detail=alone)


def figure_ahead(branches: Sequence[BranchSite], trial: Trial) -> Figure | None:
    """What the loops of a single thread, or of few, would cost in a run that ended before it told.

    Their share is the least that they have if all others take as long as the launch says at most.
    None where that is not known, or they were not come to.
    """
    tracer, prospect = trial.tracer(Branch), Prospect(trial)
    arms = [
        (branch, arm, few)
        for branch in without_bounds(branches, trial)
        for way, arm in enumerate(branch.arms)
        if (few := tracer.few(branch.pc, way))
        if few == 1 or may_be_shared(trial, branch, arm)
    ]
    others = prospect.most(without={pc for _, arm, _ in arms for pc in arm}) if arms else None
    if others is None:
        return None
    issued = saved = 0.0
    for branch, arm, few in arms:
        blocks = len(trial.run.blocks.indices) if _is_of_any_block(branch) else 1
        visits = prospect.visits(branch.pc, blocks)
        times = {pc: prospect.within(pc, visits, arm) for pc in arm}
        issued += sum(times.values())
        loops = loops_over_memory(trial.facts, arm)
        saved += (1 - few / WARP) * sum(times[pc] for pc in loops)
    seen, share = figure_of_arms(branches, trial), saved / max(1.0, issued + others)
    return replace(seen, share=share) if seen.bad else None


def _is_of_any_block(branch: BranchSite) -> bool:
    """Whether threads of each block go the ways of a branch, by its formula."""
    return branch.condition is not None and not branch.condition.depends & (BLOCK | LOADED)


def share_in_the_long_run(kernel: Kernel, branches: Sequence[BranchSite], trial: Trial) -> float:
    """What full warps would save if loops that invented arguments end took long."""
    turns = lasting_loops(kernel, trial)
    executed = trial.tracer(Instruction).executed
    # of a small invented size few warps come into a loop; of the real one, all
    turned = ASSUMED_TURNS * trial.run.warps
    more = {pc: max(0, turned - executed.get(pc, (0, 0))[0]) for pc in turns}
    arms = _arms(without_bounds(branches, trial), trial, more)
    return sum(a.issued - a.packed for a in arms) / (_total(trial) + sum(more.values()))


def lasting_loops(kernel: Kernel, trial: Trial) -> frozenset[int]:
    """The instructions of loops that end by an argument that no launch shows."""
    if trial.exact:
        return frozenset()
    shown = [launch.values.keys() for launch in kernel.launches]
    known = set.intersection(*map(set, shown)) if shown else set()
    ends = [
        branch.pc
        for branch in kernel.facts.branches
        if branch.leaves_loop and branch.condition is not None
        if any(
            isinstance(atom, Parameter) and atom.index in trial.values.keys() - known
            for atom in branch.condition.atoms
        )
    ]
    around = [[loop for loop in kernel.facts.loops if end in loop.pcs] for end in ends]
    return frozenset(
        pc for loops in around if loops for pc in max(loops, key=lambda loop: loop.depth).pcs
    )


@dataclass(frozen=True)
class Alone:
    """The threads of each block or warp that go a way by themselves."""

    threads: float
    of: str  #: `block` or `warp`


@dataclass(frozen=True)
class _Arm:
    """One way out of a branch."""

    issued: float  #: instructions that warps issued in it
    packed: float  #: what full warps would have issued
    alone: Alone | None = None  #: who goes it, if so few


def _arms(
    branches: Sequence[BranchSite], trial: Trial, more: Mapping[int, int] = NOTHING
) -> Iterator[_Arm]:
    """What was issued in the arms. A way that only part of a warp's threads take is walked for all
    of them; that of a single thread needs a warp all the same, which might share its loops. Leaders
    of warps that work together cannot be packed into one: each has its own warp's result. Lanes
    that miss before a branch, as at the grid's edge, are no matter of it.

    `more` is what some instructions are taken to have been issued beyond the run.
    """
    executed, tracer = trial.tracer(Instruction).executed, trial.tracer(Branch)
    leaders = _exchanges(trial.facts.kernel)
    for branch in branches:
        for way, arm in enumerate(branch.arms):
            issued = {pc: executed[pc][0] + more.get(pc, 0) for pc in arm if pc in executed}
            total = sum(issued.values())
            loops = loops_over_memory(trial.facts, arm)
            few = tracer.few(branch.pc, way)
            if few > 1 and not may_be_shared(trial, branch, arm):
                few = 0
            alone = Alone(few, "block") if few else None
            if alone is None and leaders and tracer.leads(branch.pc, way):
                alone = Alone(1, "warp")
            if alone is not None:
                shared = sum(issued.get(pc, 0) for pc in loops)
                yield _Arm(total, total - shared * (1 - alone.threads / WARP), alone)
            else:
                # lanes that miss in a loop's later turns have left by this branch
                before = not branch.leaves_loop
                packing = tracer.packing(branch.pc, way, as_they_came=before)
                yield _Arm(total, total * min(1.0, packing))


def _exchanges(kernel: Function) -> bool:
    """Whether a kernel's threads work together: who leads them has something to hand on."""
    return any(instruction.opcode in EXCHANGES for instruction in kernel.instructions)


def _total(trial: Trial) -> int:
    return max(1, trial.run.warp_instructions)
