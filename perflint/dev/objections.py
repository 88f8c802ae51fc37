"""Which objections may be raised against what each rule finds, as a page made from the code."""

from __future__ import annotations

from collections.abc import Sequence

from perflint.lint import ruleset
from perflint.lint.rulebook import rules
from perflint.lint.verdict import ALL, OBJECTIONS, Objection
from perflint.rules.protocol import Rule

ASKED, WAIVED = "•", "w"


def page() -> str:
    """The objections in their order, and the table rule × objection."""
    found = [each.RULE for each in ruleset.load(rules()).kernel]
    return f"{_listed()}\n{_table(found)}{_waived(found)}"


def _listed() -> str:
    rows = "".join(
        f"| {number} | {each.name} | {each.about} | {_claims(each)} | "
        f"{'refuted' if each.refutes else 'undecided'} |\n"
        for number, each in enumerate(OBJECTIONS, 1)
    )
    return (
        f"| | objection | what it asks | holds against | verdict |\n|---|---|---|---|---|\n{rows}"
    )


def _claims(objection: Objection) -> str:
    return "all" if objection.claims == ALL else ", ".join(sorted(objection.claims))


def _table(found: Sequence[Rule]) -> str:
    numbers = range(1, len(OBJECTIONS) + 1)
    rows = "".join(
        f"| {rule.code} | {rule.claim} | {' | '.join(_cell(rule, o) for o in OBJECTIONS)} |\n"
        for rule in found
    )
    head = f"| rule | claim | {' | '.join(map(str, numbers))} |\n"
    return f"{head}|---|---|{'---|' * len(OBJECTIONS)}\n{rows}"


def _cell(rule: Rule, objection: Objection) -> str:
    if rule.claim not in objection.claims:
        return ""
    return WAIVED if objection.name in dict(rule.waives) else ASKED


def _waived(found: Sequence[Rule]) -> str:
    told = [f"- {r.code} waives *{name}*: {why}\n" for r in found for name, why in r.waives]
    return "\n" + "".join(told) if told else "\nNo rule waives one.\n"
