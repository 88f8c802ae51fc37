"""A kernel without a barrier that orders nothing, as a fix: tried, and whether it is safe."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from perflint.analysis.polynomial import Polynomial
from perflint.grammar.model import Instruction as Operation
from perflint.rules.case import Decision
from perflint.rules.protocol import Edit, Fix, Results, Suspicion, Trial
from perflint.rules.source_lines import same_bytes
from perflint.sim.tracers.exchange import Exchange

#: What to do about a barrier that orders nothing, and about one that orders each warp alone.
WHAT_TO_DO = {"block": "remove it", "warp": "use `__syncwarp()` instead"}


def is_full_barrier(instruction: Operation) -> bool:
    """`bar.sync 0` and `barrier.sync 0`: of all the block's threads, with no result."""
    own = instruction.opcode in ("bar", "barrier") and "sync" in instruction.modifiers
    return own and "warp" not in instruction.modifiers and len(instruction.operands) == 1


def passed_by_a_block(trial: Trial, pcs: Sequence[int]) -> float:
    """How often a block came to some barriers."""
    found = trial.tracer(Exchange).passed
    return sum(found.get(pc, 0) for pc in pcs) / len(trial.run.blocks.indices)


def edit_of(suspicion: Suspicion, *, redundant: bool) -> Edit | None:
    """What to make of a barrier's statement; None where it does not stand alone on its line."""
    kernel = suspicion.kernel
    assert kernel is not None
    span = kernel.statement(kernel.facts.kernel.instructions[suspicion.pcs[0]].location)
    constructs = kernel.constructs(str(span.path)) if span is not None else None
    if span is None or constructs is None:
        return None
    found = constructs.statement_at(span)
    if found is None or found.text not in ("__syncthreads();", "__syncthreads ();"):
        return None
    if not redundant:
        return Edit(found.span, "__syncwarp();")
    return Edit(found.lines, "") if found.block and found.lines else None


def fix_of(decision: Decision, tried: Results) -> Fix | None:
    """The edit as a fix, where each run left the same bytes and passed fewer barriers."""
    trials = [figure.trial for figure in decision.case.figures]
    for result in tried:
        pairs = [(trial, result.beside(trial)) for trial in trials]
        if all(b is not None and _is_better(t, b) for t, b in pairs):
            what = WHAT_TO_DO[str(decision.shown.detail)]
            return Fix(what, result.edits, safe=all(map(_stands_for_all, trials)))
    return None


def _is_better(trial: Trial, beside: Trial) -> bool:
    barriers = [
        [each.index for each in t.facts.kernel.instructions if is_full_barrier(each)]
        for t in (trial, beside)
    ]
    fewer = passed_by_a_block(beside, barriers[1]) < passed_by_a_block(trial, barriers[0])
    return fewer and beside.complete and same_bytes(trial, beside)


def _stands_for_all(trial: Trial) -> bool:
    """Whether no block of the grid may access what the blocks that were run do not show."""
    if len(trial.run.blocks.indices) == trial.run.blocks.total:
        return True
    sites = [s for s in trial.facts.sites if s.space in ("shared", "global")]
    written = {s.array for s in sites if s.kind != "load"}
    for array in written:
        here = [a for s in sites if s.array == array for a in s.addresses if a is not None]
        if any(s.array == array and s.space == "shared" for s in sites):
            if any(map(_by_block, here)):
                return False
        elif any(_by_block(a - b) for a, b in combinations(here, 2)):
            return False
    return True


def _by_block(address: Polynomial) -> bool:
    """Whether an address, or the distance of two, is another one in another block."""
    return any("ctaid" in symbol.text for symbol in address.symbols)
