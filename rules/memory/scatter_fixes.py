"""The edits that may pack a scattered access, and what came of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from perflint.base.floor import ISSUED_PER_CYCLE
from perflint.rules.case import Decision
from perflint.rules.memory.exchanged_axes import exchanges, traffic, widened
from perflint.rules.memory.staged_rows import staged_rows
from perflint.rules.memory.strided_turns import strided_turns
from perflint.rules.memory.tiled_transpose import tiled_transpose
from perflint.rules.mending import Mended, mended, tries
from perflint.rules.protocol import Edit, Kernel, SourceEdit, Suspicion, Trial, Variant
from perflint.sim.tracers.accesses import AccessCounter


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    kernel = suspicion.kernel
    assert kernel is not None
    dealt = tries(decision, strided_turns(kernel, suspicion.site), dealt=True)
    tiled = tries(decision, tiled_transpose(kernel, suspicion.site, decision))
    staged = tries(decision, staged_rows(kernel, suspicion.site), costly=True)
    return (*dealt, *exchanges(kernel, decision), *tiled, *staged)


def mended_access(suspicion: Suspicion, decision: Decision) -> Mended:
    """The first way that every run bears out; rows that a warp loads together are weighed in
    cycles, as L1 may have their lines when they come again.
    """
    kernel = suspicion.kernel
    assert kernel is not None
    said, rows = _said(suspicion, decision), staged_rows(kernel, suspicion.site)
    mend = mended(_with(decision, rows, others=True), said, traffic)
    if mend.fix is not None and widened(decision, mend.fix.edits):
        return replace(mend, fix=replace(mend.fix, safe=False))
    if mend.fix is not None or not rows:
        return mend
    own = _with(decision, rows, others=False)
    staged = mended(own, said, partial(_cycles, kernel), safe=False)
    return staged if staged.fix is not None or not mend.unfixed else mend


def _with(decision: Decision, edits: tuple[Edit, ...], *, others: bool) -> Decision:
    """A decision with what came of some edits alone, or of all but these."""
    cures = tuple(
        each
        for each in decision.cures
        if not isinstance(each.variant, SourceEdit) or (each.variant.edits != edits) == others
    )
    return replace(decision, cures=cures)


def _cycles(kernel: Kernel, trial: Trial) -> float:
    """To issue all instructions, to look up lines in L1, and for shared memory."""
    counts = trial.tracer(AccessCounter).by_space.values()
    sectors = sum(count.measured for count in counts if count.space == "global")
    rates = kernel.arch.rates
    tags = max(1.0, rates["tags"].value) if "tags" in rates else 1.0
    issue = trial.run.warp_instructions / ISSUED_PER_CYCLE
    return float(issue + traffic(trial) - sectors * (1 - 1 / tags))


def _said(suspicion: Suspicion, decision: Decision) -> Callable[[tuple[Edit, ...]], str]:
    """What edits do: one of four ways."""
    kernel = suspicion.kernel
    assert kernel is not None
    ways = {
        strided_turns(kernel, suspicion.site): "deal the loop's turns out to neighbouring threads",
        tiled_transpose(kernel, suspicion.site, decision): "go through a tile in shared memory",
        staged_rows(kernel, suspicion.site): "let the warp load its lanes' rows together",
    }

    def said(edits: tuple[Edit, ...]) -> str:
        block = widened(decision, edits)
        wide = f", in blocks of {block}" if block else ""
        return ways.get(edits, f"exchange the kernel's x and y{wide}")

    return said
