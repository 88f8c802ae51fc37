"""The verdict that several trials of one launch support together (DESIGN, section 6, "Verdicts").

*Pattern* and *count* are two claims. A guard or a trip count that depends on data speaks against
the count, never against the pattern: what is bad by its formula, or with all the data tried, is
confirmed "whenever it is reached".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perflint.analysis.coalescing_proof import verdict as proof
from perflint.analysis.model import AccessSite
from perflint.analysis.symbols import LANE, TID_X, Parameter
from perflint.rules.measure import Cost, Measurement, computed, figure, measure, sectors
from perflint.rules.naming import Names
from perflint.rules.protocol import Trial, Verdict
from perflint.rules.tables import table_bytes

Bad = Callable[[Measurement], bool]

#: A site whose excess is less than `minimum` of what the kernel moves is not worth a warning, as
#: one-off accesses outside loops (experiment.md, false-alarm classes), unless the kernel's many bad
#: accesses, were all as bad as this one, would make up so much.
MINIMUM_JOINT_SHARE = 0.25


@dataclass(frozen=True)
class Decision:
    """What the trials support, and the figures to show."""

    verdict: Verdict
    reason: str = ""  #: why undecided
    trial: Trial | None = None
    figures: Measurement | None = None
    notes: tuple[str, ...] = ()
    minor: bool = False


REFUTED = Decision(Verdict.REFUTED)


@dataclass(frozen=True)
class _Outcome:
    trial: Trial
    figures: Measurement
    bad: bool


def decide(
    site: AccessSite,
    trials: Sequence[Trial],
    space: str,
    bad: Bad,
    *,
    cost: Cost = sectors,
    minimum: float,
) -> Decision:
    """Weigh one launch's trials: confirmed only if nothing speaks against it.

    `cost` is what of the kernel's accesses the site's excess is a share of; less than `minimum` of
    it is a minor one.
    """
    measured = [(t, measure(site, t, space, cost)) for t in trials]
    outcomes = [_Outcome(t, m, bad(m)) for t, m in measured if m is not None]
    if outcomes and not any(o.bad for o in outcomes):
        return REFUTED
    if not outcomes and (not site.data_dependent or site.space == "generic"):
        return _NOT_REACHED  # into which memory a generic address leads, only a run tells
    formulas = [m for t in trials if (m := computed(site, t, space)) is not None]
    proved = len(formulas) == len(trials) > 0 and all(map(bad, formulas))
    if not outcomes:
        return _not_reached(trials, formulas, proved)
    if site.data_dependent and not proved and _is_packed_with_holes(site, outcomes, formulas, bad):
        return REFUTED
    worst = next(o for o in outcomes if o.bad)
    reason, minor = _objection(site, outcomes, proved, minimum)
    if not reason and not proved:
        reason = _doubt(site, [t for t, m in measured if m is None], space, bad)
        reason = reason or _strides_of_a_struct(site, worst.trial)
    return Decision(
        Verdict.UNDECIDED if reason else Verdict.CONFIRMED,
        reason,
        worst.trial,
        worst.figures,
        () if reason else _notes(site, worst),
        minor,
    )


_NOT_REACHED = Decision(Verdict.UNDECIDED, "no simulated warp reached it")


def _not_reached(
    trials: Sequence[Trial], formulas: Sequence[Measurement], proved: bool
) -> Decision:
    """A pattern that is proved is as true of code that no run came to, as data would have it."""
    if not proved or any(_is_wrong_launch(t) for t in trials):
        return _NOT_REACHED
    note = "not reached by the simulation; proved from the formula of its address"
    return Decision(Verdict.CONFIRMED, "", trials[0], formulas[0], (note,))


def _is_packed_with_holes(
    site: AccessSite, outcomes: Sequence[_Outcome], formulas: Sequence[Measurement], bad: Bad
) -> bool:
    """Whether data merely leaves out lanes of an access that a full warp would pack.

    Without full warps the sectors of a few scattered lanes say nothing of the pattern, unless they
    are more than a packed full warp would need.
    """
    if any(o.figures.full for o in outcomes if o.bad):
        return False
    if formulas:
        return not any(map(bad, formulas))
    packed = -(-32 * site.size // 32) + 1
    return all(o.figures.per_request <= packed for o in outcomes if o.bad)


def _is_wrong_launch(trial: Trial) -> bool:
    """Whether shared memory was overrun, other than by an index that is invented data."""
    return any(
        f.kind == "shared-overrun" and not _is_invented(trial, f.pc) for f in trial.run.faults
    )


def _is_invented(trial: Trial, pc: int) -> bool:
    return any(site.loaded_address for site in trial.facts.sites if pc in site.pcs)


def _objection(
    site: AccessSite, outcomes: Sequence[_Outcome], proved: bool, minimum: float
) -> tuple[str, bool]:
    """What speaks against a finding, most telling first; and whether that is its small share."""
    trials = [o.trial for o in outcomes]
    fine = [o.trial for o in outcomes if not o.bad]
    plain = [t for t in fine if not t.identity and not t.unit_stride]
    if any(map(_is_wrong_launch, trials)):
        return "the run overran its shared memory, so its launch is not the real one", False
    faults = [f for t in trials for f in t.run.faults if f.pc in site.pcs]
    if any(f.kind == "misaligned" for f in faults):
        return "it met misaligned addresses, which cannot be the real ones", False
    if any(f.kind == "out-of-region" for f in faults) and all(t.exact for t in trials):
        return "it left its allocation: an error, or a launch that was misread", False
    if broken := next((o.trial.run.stop for o in outcomes if o.bad and _broke(o.trial)), None):
        return f"the run ended in a {broken.reason}, as the real one would not", False
    unwritten = any(f.kind == "unwritten-constant" for t in trials for f in t.run.faults)
    if unwritten and not proved:
        return "it depends on __constant__ memory whose contents are not known", False
    if not proved:  # else only a few lanes took part where it seems to be fine
        if plain:
            return f"it is fine with {plain[0].name}", False
        if unit := next((t.unit_stride for t in fine if t.unit_stride), ()):
            return _fine_if(unit), False
        if any(t.identity for t in fine):
            return "its address depends on loaded data, and is fine where a[i] = i", False
        if site.rounded_address and not all(map(_is_recorded, trials)):
            return (
                "loaded floats say where it is, and those of neighbours may lie near each other",
                False,
            )
    if site.loaded_address and (size := table_bytes(site, outcomes[0].trial)):
        return f"it reads a table of {size} bytes, which stay in L1", False
    if _all_minor(outcomes, minimum):
        share = max(o.figures.share for o in outcomes if o.bad)
        return f"its excess is {share:.1%} of what the kernel moves", True
    return "", False


def _doubt(site: AccessSite, unreached: Sequence[Trial], space: str, bad: Bad) -> str:
    """What speaks against a finding of runs with friendlier values that ended before the site."""
    if site.loaded_address and any(t.identity for t in unreached):
        return "its address depends on loaded data, and no run with a[i] = i came to it"
    for trial in (t for t in unreached if t.unit_stride):
        figures = computed(site, trial, space)
        if figures is None:
            return f"no run with {' and '.join(trial.unit_stride)} = 1 came to it"
        if not bad(figures):
            return _fine_if(trial.unit_stride)
    return ""


def _strides_of_a_struct(site: AccessSite, trial: Trial) -> str:
    """What speaks against a finding whose strides are fields of a struct passed by value.

    As tensors' accessors have them: all are invented alike, and the innermost is 1 mostly.
    """
    parameters = trial.facts.kernel.parameters
    for monomial in site.address.terms if site.address is not None else ():
        fields = [s for s in monomial if isinstance(s, Parameter)]
        own = any(s.depends & (TID_X | LANE) for s in monomial)
        if own and len(fields) == 1 and parameters[fields[0].index].dimensions:
            return "its stride is a field of a struct that is passed by value, and may be 1"
    return ""


def _fine_if(strides: Sequence[str]) -> str:
    are = "is" if len(strides) == 1 else "are"
    return f"it is fine if {' and '.join(strides)} {are} 1, and no launch fixes that"


def _broke(trial: Trial) -> bool:
    stop = trial.run.stop
    return stop is not None and stop.reason in ("deadlock", "trap")


def _all_minor(outcomes: Sequence[_Outcome], minimum: float) -> bool:
    """Whether the excess is a small part of the kernel's traffic.

    Runs that came to their end say so; where all were cut short, each must call it major.
    """
    bad = [o for o in outcomes if o.bad]
    complete = [o for o in bad if o.trial.complete]
    if complete:
        return all(_is_minor(o.figures, minimum) for o in complete)
    return any(_is_minor(o.figures, minimum) for o in bad)


def _is_minor(m: Measurement, minimum: float) -> bool:
    """Whether the excess is small, and not one of many equal parts of a large one."""
    return m.share < minimum and m.share * m.peers < max(minimum, MINIMUM_JOINT_SHARE)


def _is_recorded(trial: Trial) -> bool:
    """Whether its launch really happened: nothing was invented."""
    return trial.run.launch.image is not None


def _notes(site: AccessSite, worst: _Outcome) -> tuple[str, ...]:
    """What a reader must know of the figures of a confirmed finding."""
    out = []
    m = worst.figures
    real = _is_recorded(worst.trial)
    if site.data_dependent and not real:
        out.append("whenever it is reached: how often depends on data that is not known")
    if not m.full:
        lanes = figure(m.lanes / m.requests)
        out.append(f"no request had all 32 lanes active; {lanes} were on average")
    run = worst.trial.run
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
    if decision.trial is None:
        return ()
    block = decision.trial.run.launch.block
    found = proof(site, block, ratio)
    said = found.describe(names.symbol)
    if said is None or found.uncoalesced == "none":
        return ()
    shape = "×".join(map(str, block[: 3 if block[2] > 1 else 2 if block[1] > 1 else 1]))
    twice = f"at least {ratio:g} times the ideal sectors"
    return (f"{twice} {said} with {shape} threads; proved, if no index overflows",)
