"""From a suspicion and its runs to a judgement: the rule measures, the engine decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial

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
Cures = Callable[[Suspicion, Decision], Sequence[Variant]]


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
    in one of them. `run` runs a variant beside the original. What may mend it is tried only when
    the judgement is asked to (`with_cures`): of what many launches say of many places few make a
    finding. Without `fixes` edits are not tried, unless the rule's own text tells of them and they
    cost little.
    """
    variants, at_most = getattr(rule, "variants", None), getattr(rule, "at_most", None)
    cures: Cures | None = getattr(rule, "cures", None)
    if at_most is not None:
        bound = replace(at_most(suspicion, original), launch=launch)
        if (decision := decide(rule.RULE, bound)).objection == TOO_SMALL:
            return _refuted(decision)
    results = tuple(map(run, variants(suspicion, original))) if variants else ()
    case = replace(rule.measure(suspicion, original, results), launch=launch)
    decision = decide(rule.RULE, case)
    if decision.verdict is Verdict.REFUTED or decision.figure is None:
        return _refuted(decision)
    told = _told(rule, suspicion, decision)
    if decision.confirmed and cures is not None:
        told = replace(told, cure=partial(_cured, rule, cures, suspicion, decision, run, fixes))
    return replace(told, remedy=results[0].variant) if results else told


def _refuted(decision: Decision) -> Judgement:
    return Judgement(
        reason=decision.reason,
        objection=decision.objection,
        trail=decision.trail,
        case=decision.case,
    )


def _cured(
    rule: RuleModule,
    cures: Cures,
    suspicion: Suspicion,
    decision: Decision,
    run: Run,
    fixes: bool,
) -> tuple[Told | None, bool]:
    """What a rule says once what may mend it was tried; None where nothing is, and whether there is
    an edit then."""
    ways = cures(suspicion, decision)
    edits = [each for each in ways if isinstance(each, SourceEdit)]
    tried = fixes or (rule.RULE.proves and not any(each.costly for each in edits))
    if not tried or not ways:
        return None, bool(edits)
    return rule.describe(suspicion, replace(decision, cures=tuple(map(run, ways)))), False


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
