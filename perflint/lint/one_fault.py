"""One fault, one finding: what a finding's better variant mends of others is told at that one.

A block of short rows makes every access of its kernel touch many sectors. The rule on launches has
run a better shape; the accesses are measured in that run as their own rules measure them, and those
that waste nothing there are other places of the launch's fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from perflint.lint.accounting import Verdicts
from perflint.lint.build_finding import Judged
from perflint.lint.judgement import Judgement
from perflint.lint.ruleset import RuleModule
from perflint.lint.variants import Laboratory
from perflint.rules.protocol import Suspicion, Trial, Variant, Verdict


def joined(
    judged: Sequence[Judged], verdicts: Sequence[Verdicts], laboratory: Laboratory
) -> list[Judged]:
    """The judged, those that another one's better variant mends with what that is."""
    told = {each.suspicion for each in judged if each.confirmed}
    leads = dict(_leads(told, verdicts))
    if not leads:
        return list(judged)
    of = {each.suspicion: each for each in verdicts}
    return [
        replace(each, mended_by=_lead(of[each.suspicion], leads, laboratory))
        if each.confirmed and _may_be_mended(of[each.suspicion].rule)
        else each
        for each in judged
    ]


def _leads(
    told: set[Suspicion], verdicts: Sequence[Verdicts]
) -> Iterator[tuple[int, tuple[Suspicion, Variant]]]:
    """Of each launch, by its number, a confirmed finding with a better variant, and this one."""
    for each in verdicts:
        for number, judgement in each.answers:
            if each.suspicion in told and judgement.better is not None and _confirms(judgement):
                yield number, (each.suspicion, judgement.better)


def _may_be_mended(rule: RuleModule) -> bool:
    """Whether a rule judges how accesses look, by what it counts in any run of them."""
    return rule.RULE.claim == "pattern" and not hasattr(rule, "variants")


def _lead(
    each: Verdicts, leads: Mapping[int, tuple[Suspicion, Variant]], laboratory: Laboratory
) -> Suspicion | None:
    """The finding whose variant mends a suspicion under every launch that confirms it."""
    confirming = [(number, answer) for number, answer in each.answers if _confirms(answer)]
    for number, answer in confirming:
        _, better = leads.get(number, (None, None))
        if better is None or not _is_mended(each, answer, better, number, laboratory):
            return None
    return leads[confirming[0][0]][0] if confirming else None


def _confirms(judgement: Judgement) -> bool:
    return judgement.verdict is Verdict.CONFIRMED


def _is_mended(
    each: Verdicts, answer: Judgement, variant: Variant, number: int, laboratory: Laboratory
) -> bool:
    """Whether an access wastes nothing in a variant's runs, in every world that bears it out."""
    assert answer.case is not None
    ran = laboratory.run(variant, number, each.rule.RULE.scope, each.rule.RULE.tracers)
    beside = [ran.beside(figure.trial) for figure in answer.case.bad]
    found = [trial for trial in beside if trial is not None]
    return len(found) == len(beside) > 0 and all(_wastes_nothing(each, trial) for trial in found)


def _wastes_nothing(each: Verdicts, trial: Trial) -> bool:
    """Whether a run came to the access, and its rule finds nothing bad of it."""
    cases = [each.rule.measure(again, (trial,), ()) for again in _again(each, trial)]
    figures = [figure for case in cases for figure in (*case.figures, *case.formulas)]
    reached = all(case.figures for case in cases)
    return bool(cases) and reached and not any(figure.bad for figure in figures)


def _again(each: Verdicts, trial: Trial) -> list[Suspicion]:
    """A suspicion in what a trial ran: with constants edited, the same access was compiled anew."""
    suspicion = each.suspicion
    kernel = suspicion.kernel
    if kernel is None or trial.facts is kernel.facts:
        return [suspicion]
    edited = replace(kernel, facts=trial.facts)
    return [s for s in each.rule.suspect(edited) if _identity(s) == _identity(suspicion)]


def _identity(suspicion: Suspicion) -> tuple[str, int]:
    """What tells an access from others of its kernel: what it is, and its line."""
    location = suspicion.site.location
    return suspicion.identity, location.line if location is not None else 0
