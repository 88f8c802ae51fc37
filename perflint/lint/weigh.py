"""Floors around a finding: of its kernel as it is, and as the change would make it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from perflint.analysis.model import AccessSite
from perflint.base.floor import (
    CYCLES_PER_ATOMIC,
    CYCLES_PER_ATOMIC_SECTOR,
    CYCLES_PER_SECTOR,
    ISSUED_PER_CYCLE,
    Floor,
)
from perflint.lint.build_finding import Judged
from perflint.lint.experiment import Plan
from perflint.lint.variants import Laboratory
from perflint.lint.worth import Together, Worth
from perflint.rules.few_warps import SCHEDULERS, warps_of
from perflint.rules.measure import memory_cycles
from perflint.rules.protocol import KnownLaunch, OtherLaunch, Trial, Variant
from perflint.sim.architecture import Architecture
from perflint.sim.architecture import load as load_architecture
from perflint.sim.floors import floor
from perflint.sim.tracers.lines import Lines
from perflint.sim.tracers.residencies import Residencies
from perflint.sim.tracers.unit_work import UnitWork

#: Compiled changes of a kernel that are put together: each costs a compilation of those without it.
MOST_TOGETHER = 4
#: What is measured of accesses whose change leaves them as many requests.
SECTORS = "sectors per request"
WAVEFRONTS = "wavefronts per request"
#: Of the sectors that accesses bring, the share from which on what nobody uses is worth another
#: layout: with one of five fields left out no engineer parts a structure (docs/precision.md).
MOSTLY_USED = 0.25
_AS_IT_IS = OtherLaunch(scope="blocks")  #: the same launch, its blocks to their end
_TRACERS = frozenset({UnitWork.__name__})


def weighed(
    judged: Sequence[Judged], tried: Sequence[Plan], laboratory: Laboratory
) -> list[Judged]:
    """The judged, confirmed ones with what their change is worth: alone, and all together."""
    alone = [_weighed(each, tried.index(each.plan), laboratory) for each in judged]
    return [_with_others(each, alone, tried.index(each.plan), laboratory) for each in alone]


def _with_others(
    judged: Judged, all_judged: Sequence[Judged], number: int, laboratory: Laboratory
) -> Judged:
    """One of several findings of a kernel, with what all their changes make together.

    Those of requests go together, and those that were compiled: of another source it is not known
    which of its accesses a finding is about.
    """
    if judged.rule.change == "variant":
        return _compiled_with_others(judged, all_judged, number, laboratory)
    found, trial = judged.judgement.worth, judged.judgement.trial
    alike = [
        each
        for each in all_judged
        if each.plan is judged.plan and _relieves(each) and each.rule.change == "requests"
    ]
    if found is None or trial is None or judged not in alike or len(alike) < 2:
        return judged
    ran = _run(laboratory, _AS_IT_IS, number, trial, whole=not found.cut)
    if ran is None:
        return judged
    arch = load_architecture(laboratory.subject.arch)
    work = ran.tracer(UnitWork)

    def mended(changes: Sequence[Judged]) -> Floor:
        pcs = {pc for each in changes for pc in each.suspicion.pcs}
        left = {pc: share for each in changes for pc, share in _left(each).items()}
        return Floor(floor(work.at_best(pcs, left), arch))

    others = [each for each in alike if each is not judged]
    together = Together(len(alike), mended(alike), mended(others))
    if not together.counts:  # of two of one kind each may leave the other's work as the next bound
        unlike = [each for each in others if each.rule is not judged.rule]
        apart = Together(len(unlike) + 1, mended([*unlike, judged]), mended(unlike))
        together = apart if unlike and apart.counts else together
    worth = replace(found, together=together)
    return replace(judged, judgement=replace(judged.judgement, worth=worth))


def _relieves(judged: Judged) -> bool:
    worth = judged.judgement.worth
    return worth is not None and worth.relieves


def _compiled_with_others(
    judged: Judged, all_judged: Sequence[Judged], number: int, laboratory: Laboratory
) -> Judged:
    """One of several findings whose changes were compiled: all edits in one source, and without it.

    Nothing is added where two edits are of the same place.
    """
    found, trial = judged.judgement.worth, judged.judgement.trial
    remedies = {
        each.judgement.remedy: None  # findings may have one remedy
        for each in all_judged
        if each.plan is judged.plan and each.judgement.worth and each.rule.change == "variant"
    }
    mine = judged.judgement.remedy
    if found is None or trial is None or not 2 <= len(remedies) <= MOST_TOGETHER:
        return judged

    def mended(some: Sequence[Variant | None]) -> Floor | None:
        both = laboratory.joined([each for each in some if each is not None])
        ran = _run(laboratory, both, number, trial) if both is not None else None
        counts = ran.tracer(UnitWork).counts if ran is not None else None
        if counts is None or len(counts) != len(trial_counts):
            return None
        return Floor(floor(counts, load_architecture(laboratory.subject.arch)))

    ran = _run(laboratory, _AS_IT_IS, number, trial)
    if ran is None:
        return judged
    trial_counts = ran.tracer(UnitWork).counts
    after = mended(list(remedies))
    without = mended([each for each in remedies if each != mine])
    if after is None or without is None:
        return judged
    worth = replace(found, together=Together(len(remedies), after, without))
    return replace(judged, judgement=replace(judged.judgement, worth=worth))


def _take_turns(launch: KnownLaunch, arch: Architecture) -> bool:
    """Whether a launch has two warps a scheduler, one to issue while memory serves the other."""
    return warps_of(launch) >= 2 * SCHEDULERS * arch.multiprocessors


def _weighed(judged: Judged, number: int, laboratory: Laboratory) -> Judged:
    alone = judged.confirmed and judged.mended_by is None
    found = worth(judged, number, laboratory) if alone else None
    if found is None:
        return judged
    return replace(judged, judgement=replace(judged.judgement, worth=found))


def worth(judged: Judged, number: int, laboratory: Laboratory) -> Worth | None:
    """The floors around a confirmed finding under the launch of a plan, by its number.

    None where no unit that is counted has less to do after the change, unless L1 or issue says why,
    or it cannot be told: the rule names no change, or it could not be run under these arguments.
    """
    trial = judged.judgement.trial
    if trial is None or not judged.rule.change:
        return None
    arch = load_architecture(laboratory.subject.arch)
    pcs = judged.suspicion.pcs
    part = judged.rule.change == "requests"
    ran = _run(laboratory, _AS_IT_IS, number, trial, whole=not part)
    if ran is None or not (ran.complete or ran.tracer(UnitWork).reaches(pcs)):
        return None
    before = ran.tracer(UnitWork)
    if judged.rule.change == "warps":
        return _of_fewer_warps(judged, ran, laboratory)
    changed = None if part else _changed(judged, number, laboratory, trial)
    after = before.at_best(pcs, _left(judged)) if part else _counts(changed, before)
    if after is None:
        return None
    issue = ran.run.warp_instructions / ISSUED_PER_CYCLE
    atomics = _of_atomics(before)
    excess = before.excess(pcs) * CYCLES_PER_SECTOR / max(1.0, issue, atomics)
    before_it, after_it = (Floor(floor(counts, arch)) for counts in (before.counts, after))
    found = Worth(
        before_it,
        after_it,
        excess,
        before.sectors * CYCLES_PER_SECTOR if _take_turns(judged.plan.shape, arch) else 0.0,
        issue,
        atomics,
        memory=_memory(judged, number, laboratory, trial),
        cut=not ran.complete,
        smaller=ran.name if ran.name != trial.name else "",
    )
    if not found.before.unit:
        return None
    if changed is not None and judged.rule.any_unit and found.gain < judged.suspicion.min_waste:
        saved = issue - changed.run.warp_instructions / ISSUED_PER_CYCLE
        waits = _memory_of(number, laboratory, trial)
        found = replace(found, issue_saved=saved, memory=waits)
    found = replace(found, kept=_kept(judged, found, number, laboratory, trial))
    tells = found.relieves or found.kept or _is_slight(judged, found) or _without_vectors(judged)
    return found if tells else None


def _of_atomics(work: UnitWork) -> float:
    """Cycles in which L2 does a multiprocessor's atomics at best."""
    by_sectors = work.atomic_sectors * CYCLES_PER_ATOMIC_SECTOR
    return max(by_sectors, work.atomics * CYCLES_PER_ATOMIC)


def _memory(judged: Judged, number: int, laboratory: Laboratory, trial: Trial) -> float:
    """Cycles in which memory brings what the blocks touch, beside conflicts of shared memory.

    A kernel that only takes its data through shared memory waits for these.
    """
    return _memory_of(number, laboratory, trial) if judged.rule.measures == WAVEFRONTS else 0.0


def _memory_of(number: int, laboratory: Laboratory, trial: Trial) -> float:
    """Cycles in which memory brings, once, what the blocks touch."""
    traced = frozenset({Lines.__name__})
    ran = _run(laboratory, _AS_IT_IS, number, trial, whole=False, tracers=traced)
    return memory_cycles(ran) if ran is not None else 0.0


def _of_fewer_warps(judged: Judged, ran: Trial, laboratory: Laboratory) -> Worth | None:
    """The floors around a change that has the same threads in fewer warps; None where it gains.

    Warps issue less then, of all of PTX's instructions, and as much less is what their requests
    take at best. What conflicts and scattered lanes take above that stays.
    """
    work, shown = ran.tracer(UnitWork), judged.judgement.case
    if shown is None or not shown.bad:
        return None
    arch = load_architecture(laboratory.subject.arch)
    share = shown.bad[0].ideal / shown.bad[0].measured
    issue = {"issue": ran.run.warp_instructions / ISSUED_PER_CYCLE}
    cycles = {**floor(work.counts, arch), **issue}
    best = {**floor(work.at_best(work.requested), arch), **issue}
    after = {unit: each - (1 - share) * best[unit] for unit, each in cycles.items()}
    atomics = _of_atomics(work)
    found = Worth(
        Floor(cycles), Floor(after), issue=issue["issue"], atomics=atomics, cut=not ran.complete
    )
    return found if found.gain < judged.suspicion.min_waste else None


def _is_slight(judged: Judged, found: Worth) -> bool:
    """Whether memory moves what is too much in hardly any of the time that the kernel is busy."""
    least = judged.suspicion.min_waste
    return judged.rule.measures == SECTORS and 0 < found.excess < least


def _without_vectors(judged: Judged) -> bool:
    """Whether a finding is of parts of elements that no vectors fill: 12 bytes."""
    case, parts = judged.judgement.case, judged.suspicion.sites
    if case is None or not judged.rule.on_chip or judged.rule.change != "requests":
        return False
    return case.left == 1.0 and all(each.may_be_global for each in parts)


def _kept(judged: Judged, found: Worth, number: int, laboratory: Laboratory, trial: Trial) -> bool:
    """Whether L1 keeps what a finding's accesses touch until most of it is used.

    Asked where memory alone would gain: what has fewer requests after the change gains by that.
    """
    least, pcs = judged.suspicion.min_waste, judged.suspicion.pcs
    asked = judged.rule.measures == SECTORS and found.gain < least <= found.excess
    traced = frozenset({Residencies.__name__})
    ran = _run(laboratory, _AS_IT_IS, number, trial, whole=False, tracers=traced) if asked else None
    stays = ran.tracer(Residencies) if ran is not None else None
    if stays is None or not stays.noted_all:
        return False
    brought, vain = stays.of(pcs)
    slight = vain * CYCLES_PER_SECTOR < least * max(1.0, found.busy)
    mostly = vain < MOSTLY_USED * brought and all(map(_is_of_an_element, judged.suspicion.sites))
    return brought > 0 and (slight or mostly)


def _is_of_an_element(site: AccessSite) -> bool:
    """Whether neighbours access elements a fixed number of bytes apart: no rows of their own."""
    stride = site.strides.get("x")
    return stride is not None and stride.constant is not None and not site.loaded_address


def _changed(judged: Judged, number: int, laboratory: Laboratory, trial: Trial) -> Trial | None:
    """The run of what a rule's change makes of the kernel."""
    remedy = judged.judgement.remedy
    return _run(laboratory, remedy, number, trial) if remedy is not None else None


def _counts(changed: Trial | None, before: UnitWork) -> np.ndarray | None:
    """What is left to do after a change that was run; None: nothing that compares."""
    found = changed.tracer(UnitWork).counts if changed is not None else None
    return found if found is not None and len(found) == len(before.counts) else None


def _left(judged: Judged) -> dict[int, float]:
    """The share of each access's requests that a change leaves, where it makes fewer of them."""
    case = judged.judgement.case
    return {} if case is None else dict.fromkeys(judged.suspicion.pcs, case.left)


def _run(
    laboratory: Laboratory,
    variant: Variant,
    number: int,
    trial: Trial,
    *,
    whole: bool = True,
    tracers: frozenset[str] = _TRACERS,
) -> Trial | None:
    """A variant's run beside a trial, of `whole` blocks; None if these have no end.

    Where not all of them are asked for and smaller sizes were cut short already, that run.
    """
    result = laboratory.run(variant, number, "blocks", tracers)
    beside = result.beside(trial)
    if beside is None and not whole:
        return result.last
    return beside if beside is not None and (beside.complete or not whole) else None
