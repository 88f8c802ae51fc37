"""What the trials of one launch show of an access: for the rules on how accesses look.

*Pattern* and *count* are two claims: where the address is a formula, that says what full warps
cost, whatever the data and however few lanes came.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perflint.analysis.coalescing_proof import verdict as proof
from perflint.analysis.model import AccessSite
from perflint.rules.case import Case, Decision, Figure
from perflint.rules.measure import Cost, Measurement, computed, figure, measure, sectors
from perflint.rules.naming import Names
from perflint.rules.protocol import (
    Suspicion,
    Trial,
)

Bad = Callable[[Measurement], bool]
PROVED = "not reached by the simulation; proved from the formula of its address"


def access_case(
    suspicion: Suspicion, trials: Sequence[Trial], space: str, bad: Bad, *, cost: Cost = sectors
) -> Case:
    """The case of a suspicion's main access.

    `cost` is what of the kernel's accesses the excess is a share of.
    """
    site = suspicion.site
    formulas = tuple(
        _figure(t, m, bad(m)) for t in trials if (m := computed(site, t, space)) is not None
    )
    measured = [(t, measure(site, t, space, cost)) for t in trials]
    reached = tuple(_figure(t, m, bad(m)) for t, m in measured if m is not None)
    # into which memory a generic address leads, and whether a guard lets it be reached, a run tells
    silent = not reached and (not site.data_dependent or site.space == "generic")
    return Case(
        suspicion,
        reached,
        formulas=formulas,
        unreached=tuple(t for t, m in measured if m is None),
        proved=not silent and len(formulas) == len(trials) > 0 and all(f.bad for f in formulas),
        small="its excess is {share:.1%} of what the kernel moves",
    )


def _figure(trial: Trial, m: Measurement, bad: bool) -> Figure:
    return Figure(
        trial,
        m.per_request,
        m.golden_per_request,
        bad,
        share=m.share,
        full=m.full,
        complete=trial.complete,
        peers=m.peers,
        detail=m,
    )


def measurement(decision: Decision) -> Measurement:
    """What is shown of a case that `access_case` made."""
    found = decision.shown.detail
    assert isinstance(found, Measurement)
    return found


def access_notes(decision: Decision) -> tuple[str, ...]:
    """What a reader must know of the figures of a confirmed finding."""
    if not decision.confirmed:
        return ()
    site, trial, m = decision.case.suspicion.site, decision.shown.trial, measurement(decision)
    if not decision.case.figures:
        return (PROVED,)
    out = []
    real = trial.run.launch.image is not None  # it really happened: nothing was invented
    if site.data_dependent and not real:
        out.append("whenever it is reached: how often depends on data that is not known")
    if not m.full:
        lanes = figure(m.lanes / m.requests)
        out.append(f"no request had all 32 lanes active; {lanes} were on average")
    run = trial.run
    if (run.stop is not None or run.passed) and m.per_request < m.witness.measured:
        those = f"{m.requests} of them" if run.passed else f"the first {m.requests}"
        out.append(f"requests differ; the figures are of {those}")
    if site.loaded_address and not real:
        out.append("the address depends on loaded data; random and identity data both scatter it")
    return tuple(out)


def all_launches(
    site: AccessSite, names: Names, decision: Decision, ratio: float
) -> tuple[str, ...]:
    """For which arguments of all launches with the same block shape the finding holds, if known."""
    block = decision.shown.trial.run.launch.block
    found = proof(site, block, ratio)
    said = found.describe(names.symbol)
    if said is None or found.uncoalesced == "none":
        return ()
    shape = "×".join(map(str, block[: 3 if block[2] > 1 else 2 if block[1] > 1 else 1]))
    twice = f"at least {ratio:g} times the ideal sectors"
    return (f"{twice} {said} with {shape} threads; proved, if no index overflows",)
