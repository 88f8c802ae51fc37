"""Floors around a finding: of its kernel as it is, and as the change would make it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from perflint.lint.build_finding import Judged
from perflint.lint.experiment import Plan
from perflint.lint.variants import Laboratory
from perflint.lint.worth import Worth
from perflint.rules.protocol import OtherLaunch, Trial, Variant
from perflint.sim.architecture import load as load_architecture
from perflint.sim.floors import floor
from perflint.sim.tracers.unit_work import UnitWork

_AS_IT_IS = OtherLaunch(scope="blocks")  #: the same launch, its blocks to their end
_TRACERS = frozenset({UnitWork.__name__})


def weighed(
    judged: Sequence[Judged], tried: Sequence[Plan], laboratory: Laboratory
) -> list[Judged]:
    """The judged, confirmed ones with what their change is worth."""
    return [_weighed(each, tried.index(each.plan), laboratory) for each in judged]


def _weighed(judged: Judged, number: int, laboratory: Laboratory) -> Judged:
    found = worth(judged, number, laboratory) if judged.confirmed else None
    if found is None:
        return judged
    return replace(judged, judgement=replace(judged.judgement, floors=found))


def worth(judged: Judged, number: int, laboratory: Laboratory) -> Worth | None:
    """The floors around a confirmed finding under the launch of a plan, by its number.

    None where no unit that is counted has less to do after the change, or it cannot be told: the
    rule names no change, or it could not be run under these arguments.
    """
    trial = judged.judgement.trial
    if trial is None or not judged.rule.change:
        return None
    arch = load_architecture(laboratory.subject.arch)
    before = _work(laboratory, _AS_IT_IS, number, trial)
    if before is None:
        return None
    after = _after(judged, before, number, laboratory, trial)
    if after is None:
        return None
    found = Worth(floor(before.counts, arch), floor(after, arch))
    return found if found.before.unit and found.relieves else None


def _after(
    judged: Judged, before: UnitWork, number: int, laboratory: Laboratory, trial: Trial
) -> np.ndarray | None:
    """What is left to do after the change: that of the variant that was run, else the ideal."""
    if judged.rule.change == "requests":
        return before.at_best(judged.suspicion.pcs)
    remedy = judged.judgement.remedy
    found = _work(laboratory, remedy, number, trial) if remedy is not None else None
    return found.counts if found and len(found.counts) == len(before.counts) else None


def _work(laboratory: Laboratory, variant: Variant, number: int, trial: Trial) -> UnitWork | None:
    """What the units have to do in a variant's whole blocks; None if these have no end."""
    beside = laboratory.run(variant, number, "blocks", _TRACERS).beside(trial)
    return beside.tracer(UnitWork) if beside is not None and beside.complete else None
