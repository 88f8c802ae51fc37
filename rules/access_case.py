"""What the trials of one launch show of an access: for the rules on how accesses look.

*Pattern* and *count* are two claims: where the address is a formula, that says what full warps
cost, whatever the data and however few lanes came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import ceil

from perflint.analysis.coalescing_proof import verdict as proof
from perflint.analysis.confined import confined, matched
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LANES, LOADED, Parameter
from perflint.base.evidence import NOT_REACHED
from perflint.rules.case import Case, Decision, Figure
from perflint.rules.measure import (
    Cost,
    Measurement,
    computed,
    figure,
    measure,
    sectors,
    share_if,
)
from perflint.rules.names import Names
from perflint.rules.protocol import (
    Suspicion,
    Trial,
)
from perflint.rules.texture_fetches import MOSTLY_FETCHES, beside_fetches
from perflint.sim.launch import Scalar

Bad = Callable[[Measurement], bool]
WARP = 32
PROVED = f"{NOT_REACHED}; proved from the formula of its address"
#: What the formula of full warps leaves open: a few lanes touch few sectors, whatever the formula.
CHOSEN_LANES = "no run came to it, and data decide which lanes of a warp do"
#: Data that are made to come to it are the same for all lanes.
MATCHED = "only {}, chosen for it, came to it: real data match in a few lanes at a time"
#: Requests of partial warps that are fewer are the edge of the simulated blocks.
PARTIAL = 0.1


def access_case(
    suspicion: Suspicion, trials: Sequence[Trial], space: str, bad: Bad, *, cost: Cost = sectors
) -> Case:
    """The case of a suspicion's main access.

    `cost` is what of the kernel's accesses the excess is a share of.
    """
    site = suspicion.site
    # a full warp's cost says nothing of an access that no full warp comes to
    matches = bool(trials) and matched(site, trials[0].facts)
    whole = () if matches or confined(site) else trials
    formulas = tuple(
        _figure(t, m, bad(m)) for t in whole if (m := computed(site, t, space)) is not None
    )
    measured = [(t, measure(site, t, space, cost)) for t in trials]
    reached = _friendlier_first(_figure(t, m, bad(m)) for t, m in measured if m is not None)
    if _few_came(site, reached) and len(formulas) == len(trials) and all(f.bad for f in formulas):
        reached = tuple(_as_full(site, f, formulas, space, cost) for f in reached)
    # into which memory a generic address leads, and whether a guard lets it be reached, a run tells
    silent = not reached and (not site.data_dependent or site.space == "generic")
    kernel = suspicion.kernel
    fetches = space == "global" and kernel is not None and beside_fetches(kernel.facts, site)
    return Case(
        suspicion,
        reached,
        data=_chosen(site, reached, matches=matches),
        doubt=MOSTLY_FETCHES if fetches else "",
        formulas=formulas,
        unreached=tuple(t for t, m in measured if m is None),
        proved=not silent and len(formulas) == len(trials) > 0 and all(f.bad for f in formulas),
        small="its excess is {share:.1%} of what the kernel moves",
    )


def _chosen(site: AccessSite, reached: Sequence[Figure], *, matches: bool) -> str:
    """Why nothing is known of the lanes that come to an access; "" if a run tells."""
    if not reached:
        return CHOSEN_LANES if any(map(parts_lanes, site.guards)) else ""
    made = reached[0].trial.reached_with
    return MATCHED.format(made) if matches and all(f.trial.reached_with for f in reached) else ""


def _friendlier_first(figures: Iterable[Figure]) -> tuple[Figure, ...]:
    """The figures, with those of identity data first where these are bad, but less so.

    The first bad one is shown: what data that lie in order leave is the access's own.
    """
    figures = tuple(figures)
    first = next((each for each in figures if each.bad), None)
    tame = next((each for each in figures if each.bad and each.trial.identity), None)
    if first is None or tame is None or tame.measured / tame.ideal >= first.measured / first.ideal:
        return figures
    return (tame, *(each for each in figures if each is not tame))


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


def _few_came(site: AccessSite, reached: Sequence[Figure]) -> bool:
    """Whether requests of a few lanes, which look packed, say nothing of what full warps cost.

    Something other than the lane's own index must be why lanes are missing: data, or a size that
    the launch gives. Blocks of less than a warp never have more.
    """
    if not reached or any(each.full or each.bad for each in reached):
        return False
    if any(each.trial.run.launch.threads_per_block < WARP for each in reached):
        return False
    return site.data_dependent or any(map(_is_open, site.guards))


def _is_open(guard: Polynomial) -> bool:
    """Whether a guard asks for data or for an argument."""
    return bool(guard.depends & LOADED) or any(isinstance(a, Parameter) for a in guard.atoms)


def parts_lanes(guard: Polynomial) -> bool:
    """Whether a guard asks each lane for data of its own."""
    return bool(guard.depends & LOADED) and bool(guard.depends & LANES)


def _as_full(
    site: AccessSite, came: Figure, formulas: Sequence[Figure], space: str, cost: Cost
) -> Figure:
    """What a trial shows, had its requests all their lanes: the formula's cost, as often."""
    formula = next(each for each in formulas if each.trial is came.trial)
    m = formula.detail
    assert isinstance(m, Measurement)
    share = share_if(site, came.trial, space, cost, m.per_request, m.golden_per_request)
    return replace(formula, share=share, full=False, complete=came.complete)


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
    if not decision.shown.full and m.full:
        out.append("no request had all its lanes: proved from the formula of its address")
    elif m.full and (more := _with_partial(m)):
        out.append(more)
    elif not m.full:
        lanes = figure(m.lanes / m.requests)
        out.append(f"no request had all 32 lanes active; {lanes} were on average")
    run = trial.run
    if (run.stop is not None or run.passed) and m.per_request < m.witness.measured:
        those = f"{m.requests} of them" if run.passed else f"the first {m.requests}"
        out.append(f"requests differ; the figures are of {those}")
    if site.loaded_address and not real:
        shown = "; the figures are of identity data" if trial.identity else ""
        both = "the address depends on loaded data; random and identity data both scatter it"
        out.append(both + shown)
    return tuple(out)


def _with_partial(m: Measurement) -> str:
    """The figures with partial warps' requests, where these are many and tell another cost."""
    every = m.every
    if not every or every[0] - m.requests < PARTIAL * every[0]:
        return ""
    requests, measured, golden = every
    told = figure(measured / requests), figure(golden / requests)
    if told == (figure(m.per_request), figure(m.golden_per_request)):
        return ""
    return (
        f"the figures are of full warps; over all {requests} requests, as a profiler counts, it is "
        f"{told[0]} where {told[1]} would do"
    )


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


def touches(site: AccessSite, names: Names, decision: Decision, ratio: float) -> str:
    """What a request touches; at least, too, where no launch gives how long rows are.

    Rows of two elements may cost a quarter of what those of an assumed length do.
    """
    m, trial, kernel = measurement(decision), decision.shown.trial, decision.case.suspicion.kernel
    measured, golden = figure(m.per_request), figure(m.golden_per_request)
    bounds = proof(site, trial.run.launch.block, ratio).bounds
    sizes = {s.index for of, _ in bounds for s in of.symbols if isinstance(s, Parameter)}
    given = kernel is None or any(sizes <= launch.values.keys() for launch in kernel.launches)
    least = ceil(ratio * m.golden_per_request)
    if trial.exact or given or not sizes or least >= m.per_request:
        return f"touches {measured} sectors per request where {golden} would do"
    tried = [(names.parameters[i], trial.run.launch.arguments[i]) for i in sorted(sizes)]
    values = [f"{name}={one.value} assumed" for name, one in tried if isinstance(one, Scalar)]
    those = ", ".join(values) if len(values) == len(tried) else "the sizes that are assumed"
    touched = f"touches {least} or more sectors per request where {golden} would do"
    return f"{touched}: {measured} with {those}"
