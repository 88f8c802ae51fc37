"""Many small parts of one fault are a large one together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perflint.lint.build_finding import Judged
from perflint.lint.verdict import LEAST_PART
from perflint.rules.protocol import Verdict


def summed(judged: Sequence[Judged]) -> list[Judged]:
    """Judgements in which what is small alone is confirmed where the parts of its fault are enough.

    These are what has the same fault, of some rules all that they find in the kernel. A part counts
    with those that need no more of the kernel's work than it does itself.
    """
    parts = [each for each in judged if _is_part(each)]
    return [_confirmed(each, _together(each, parts)) if each in parts else each for each in judged]


def _is_part(each: Judged) -> bool:
    """Whether it has others, and nothing speaks against it but that it is small.

    Of one fault each place is a part, however small; what one rule finds here and there is not.
    """
    judgement = each.judgement
    several = each.rule.sums or bool(judgement.fault)
    counts = each.confirmed or judgement.minor
    least = LEAST_PART if each.rule.sums else 0.0
    return several and counts and least <= judgement.share <= 1.0


def _together(one: Judged, parts: Sequence[Judged]) -> float:
    """The share of a fault's parts in a kernel; one place that is told twice counts once."""
    shares = {
        each.suspicion.pcs: each.judgement.share
        for each in parts
        if each.rule is one.rule
        and (one.rule.sums or each.judgement.fault == one.judgement.fault)
        and each.judgement.least <= one.judgement.least
    }
    return sum(shares.values())


def _confirmed(each: Judged, share: float) -> Judged:
    judgement = each.judgement
    if each.confirmed or not judgement.least <= share <= 1.0:
        return each
    note = f"with the others of its kind in the kernel it is {share:.0%} of the work"
    return replace(
        each,
        judgement=replace(
            judgement,
            verdict=Verdict.CONFIRMED,
            reason="",
            objection="",
            remarks=(*judgement.remarks, note),
        ),
    )
