"""What is little of a program's time on the GPU: all findings of such a kernel are notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from operator import itemgetter

from perflint.base.span import Span
from perflint.lint.account import Account, Answer, Weighed
from perflint.lint.check_kernel import Outcome
from perflint.lint.findings import Finding
from perflint.lint.launch_costs import LaunchCosts
from perflint.lint.verdict import OF_PROGRAM, little_of_program
from perflint.rules.protocol import Rule, Verdict

UNDECIDED = Verdict.UNDECIDED.value


def weighed_in_program(
    outcomes: Sequence[Outcome], rules: Mapping[str, Rule], least: float
) -> list[Outcome]:
    """The outcomes of a file's kernels, each weighed against what the heaviest and all take."""
    costs = [each.costs for each in outcomes if each.costs is not None]
    return [_weighed(each, costs, rules, least) for each in outcomes]


def _weighed(
    outcome: Outcome, costs: Sequence[LaunchCosts], rules: Mapping[str, Rule], least: float
) -> Outcome:
    own = outcome.costs
    if own is None:
        return outcome
    others = [each for each in costs if each is not own and own.is_in_one_with(each)]
    if not others:
        return outcome
    alone = (own.beside([each]) for each in others)
    shares = [min(alone, key=itemgetter(0)), own.beside(others)]
    if shares[-1][0] == inf:
        return outcome
    said = [_reason(each, shares, rules, least) for each in outcome.findings]
    pairs = [*zip(outcome.findings, said, strict=True)]
    findings = tuple(_as_note(each, reason) if reason else each for each, reason in pairs)
    reasons = {(each.code, each.identity, each.place): reason for each, reason in pairs}
    return replace(outcome, findings=findings, account=_told(outcome.account, reasons))


_Share = tuple[float, Sequence[str]]  #: of what these kernels take


def _reason(
    finding: Finding, shares: Sequence[_Share], rules: Mapping[str, Rule], least: float
) -> str:
    """Why a finding is little of its program, by the first of its kernel's shares that tells."""
    rule = rules.get(finding.code)
    if rule is None or finding.level == "note":
        return ""
    waste = finding.fault_waste
    reasons = (little_of_program(rule, share, waste, least, others) for share, others in shares)
    return next(filter(None, reasons), "")


def _as_note(finding: Finding, reason: str) -> Finding:
    return replace(finding, level="note", verdict="undecided", reason=reason)


_Reasons = Mapping[tuple[str, str, Span], str]  #: by code, identity and place


def _told(account: Account | None, reasons: _Reasons) -> Account | None:
    if account is None:
        return None
    kept = {place for (_, _, place), reason in reasons.items() if not reason}
    leads = {place: reason for (_, _, place), reason in reasons.items() if place not in kept}
    return replace(account, weighed=tuple(_answered(w, reasons, leads) for w in account.weighed))


def _answered(weighed: Weighed, reasons: _Reasons, leads: Mapping[Span, str]) -> Weighed:
    """With the reason of its finding; of what is told beside another, with that one's."""
    fate = weighed.fate
    if fate == "related" and weighed.beside is not None and weighed.verdict != UNDECIDED:
        reason = leads.get(weighed.beside, "")  # the lead may be another rule's
    else:
        reason = reasons.get((weighed.code, weighed.identity, weighed.place), "")
        fate = "note" if fate == "warning" else ""
    if not reason or not fate:
        return weighed
    answers = (
        _doubted(each, reason) if each.verdict == weighed.verdict else each
        for each in weighed.answers
    )
    return replace(weighed, verdict=UNDECIDED, fate=fate, answers=tuple(answers))


def _doubted(answer: Answer, reason: str) -> Answer:
    asked = (*(each for each in answer.asked if each[0] != OF_PROGRAM), (OF_PROGRAM, reason))
    return replace(answer, verdict=UNDECIDED, objection=OF_PROGRAM, reason=reason, asked=asked)
