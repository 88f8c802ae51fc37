"""Branches at which each row of a block's threads is cut at most once: `x < w && y < h`."""

from __future__ import annotations

from collections.abc import Sequence

from perflint.analysis.extents import Comparison, decided_by
from perflint.analysis.model import Branch as BranchSite
from perflint.analysis.strides import stride
from perflint.analysis.symbols import LANES
from perflint.rules.control.walks import deals_roles
from perflint.rules.protocol import Trial
from perflint.sim.tracers.branch import Branch

#: Share of the split warps that must be cut once for a branch to be a bound.
MOSTLY = 0.75
#: What is the same in each row of each block.
_OF_ANY_ROW = frozenset({"%tid.x", "%ntid.x"})
_ORDERS = frozenset({"lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"})


def bounds(branch: BranchSite) -> tuple[Comparison, ...]:
    """What a branch asks, if that is on which side of bounds a thread is: `x < w && y < h`."""
    found = decided_by(branch.condition.symbol) if branch.condition is not None else ()
    return found if all(each.test in _ORDERS for each in found) else ()


def cuts_rows_once(branch: BranchSite) -> bool:
    """Whether neighbouring threads go one way up to bounds, by the branch's formula."""
    asked = [each for each in bounds(branch) if not _is_uniform(each)]
    return bool(asked) and all(map(_is_edge_of_data, asked))


def _is_uniform(bound: Comparison) -> bool:
    """Whether all threads of a block are on the same side of a bound."""
    return not (bound.left - bound.right).depends & LANES


def _is_edge_of_data(bound: Comparison) -> bool:
    """Whether a bound is one of the data: each row of threads is cut at most once, somewhere."""
    difference = bound.below_zero
    signed = bound.type[0] == "s"  # or what is below 0 is beyond the bound
    if not signed or difference is None or stride(difference, "x") is None:
        return False
    # rows that all end at one place, whatever the launch, are no bound but how the work is dealt
    return any(atom.text not in _OF_ANY_ROW for atom in difference.atoms)


def without_bounds(branches: Sequence[BranchSite], trial: Trial) -> list[BranchSite]:
    """The branches of a statement at which more than one warp a row is split.

    At a bound neighbouring threads go one way up to it. How many rows end in the blocks that were
    run says nothing of the others; of a block narrower than a warp each warp has several. An
    unrolled loop also asks how many turns are left over.
    """
    if not any(bounds(branch) or branch.data_dependent for branch in branches):
        return list(branches)
    tracer = trial.tracer(Branch)
    few = [
        branch
        for branch in branches
        if branch.data_dependent or deals_roles(trial.facts, branch)
        if any(tracer.few(branch.pc, way) for way in (0, 1))
    ]
    left = [branch for branch in branches if not (branch.data_dependent or branch in few)]
    left = [branch for branch in left if not cuts_rows_once(branch)]
    return few + [branch for branch in left if tracer.cut_once(branch.pc) < MOSTLY]
