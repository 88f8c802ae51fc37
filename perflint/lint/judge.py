"""From a suspicion and its runs to a judgement: the rule measures, the engine decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace

from perflint.lint.judgement import Judgement
from perflint.lint.ruleset import RuleModule
from perflint.lint.verdict import TOO_SMALL, decide, least_share
from perflint.rules.case import Decision
from perflint.rules.protocol import (
    SourceEdit,
    Suspicion,
    Told,
    Trial,
    Variant,
    VariantResult,
    Verdict,
)

Run = Callable[[Variant], VariantResult]


def judge(
    rule: RuleModule,
    suspicion: Suspicion,
    original: Sequence[Trial],
    launch: Sequence[Trial],
    run: Run,
    fixes: bool = True,
) -> Judgement:
    """What one launch's trials make of a suspicion.

    `launch` are all runs of the launch, those of other rules included: what is wrong with it shows
    in one of them. `run` runs a variant beside the original. Without `fixes` edits that may mend it
    are not tried, unless the rule's own text tells of them and they cost little.
    """
    variants, at_most = getattr(rule, "variants", None), getattr(rule, "at_most", None)
    if at_most is not None:
        bound = replace(at_most(suspicion, original), launch=launch)
        if (decision := decide(rule.RULE, bound)).objection == TOO_SMALL:
            return _refuted(decision)
    results = tuple(map(run, variants(suspicion, original))) if variants else ()
    case = replace(rule.measure(suspicion, original, results), launch=launch)
    decision = decide(rule.RULE, case)
    if decision.verdict is Verdict.REFUTED or decision.figure is None:
        return _refuted(decision)
    cures = _cures(rule, suspicion, decision)
    costly = any(isinstance(each, SourceEdit) and each.costly for each in cures)
    tried = fixes or (rule.RULE.proves and not costly)
    if tried:
        decision = replace(decision, cures=tuple(map(run, cures)))
    untried = not tried and any(isinstance(each, SourceEdit) for each in cures)
    told = replace(_told(rule, suspicion, decision), untried=untried)
    return replace(told, remedy=results[0].variant) if results else told


def _refuted(decision: Decision) -> Judgement:
    return Judgement(
        reason=decision.reason,
        objection=decision.objection,
        trail=decision.trail,
        case=decision.case,
    )


def _cures(rule: RuleModule, suspicion: Suspicion, decision: Decision) -> Sequence[Variant]:
    """What may mend what is confirmed."""
    cures = getattr(rule, "cures", None)
    return cures(suspicion, decision) if cures is not None and decision.confirmed else ()


def _told(rule: RuleModule, suspicion: Suspicion, decision: Decision) -> Judgement:
    told = rule.describe(suspicion, decision)
    return Judgement(
        **{each.name: getattr(told, each.name) for each in fields(Told)},
        verdict=decision.verdict,
        reason=decision.reason,
        trial=decision.shown.trial,
        objection=decision.objection,
        trail=decision.trail,
        share=float(decision.shown.share),
        waste_text=decision.case.in_words(decision.shown) if rule.RULE.claim != "launch" else "",
        least=least_share(rule.RULE, decision.case),
        case=decision.case,
    )
