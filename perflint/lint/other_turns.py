"""What the turns of a host loop say of each other: one that is bad beside many that are fine.

A loop such as `for (h = 1; h < n; h *= 2) stage<<<grid, block>>>(data, h)` launches one kernel with
an argument of each turn's own. Its first turn, the last and one between are tried. What only
`h = 1` shows is one launch of twenty. So it is with what is little of the kernel's work in a
program's launch and much in a test's. Where nobody knows how long the loop goes on, some early
turns are tried, the last of which stands for all that follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perflint.lint.experiment import Plan
from perflint.lint.judgement import Judgement
from perflint.lint.verdict import TOO_SMALL
from perflint.rules.protocol import SMALL_SHARE, KnownLaunch, Rule, Suspicion, Verdict

OBJECTION = "fine with other values"

#: How many turns the last of some early ones stands for, at least.
FOLLOWING = 4
_CLAIMS = ("pattern", "count")
#: What says that something is little of a launch's work.
LITTLE = (TOO_SMALL, SMALL_SHARE)

Answers = tuple[tuple[int, Judgement], ...]  #: what each launch says, by its number


def doubted(rule: Rule, suspicion: Suspicion, answers: Answers, tried: Sequence[Plan]) -> Answers:
    """What is confirmed as undecided, if most of what its place launches is fine in other turns.

    Turns in which few lanes came to it say nothing, and a launch of many blocks says more than one
    of few. A recorded program's launches are counted instead.
    """
    if rule.claim not in _CLAIMS or len(answers) < 2:
        return answers
    return tuple((n, _doubted(suspicion, answers, n, each, tried)) for n, each in answers)


def _doubted(
    suspicion: Suspicion, answers: Answers, number: int, judgement: Judgement, tried: Sequence[Plan]
) -> Judgement:
    here = tried[number].shape
    if judgement.verdict is not Verdict.CONFIRMED or here.span is None or tried[number].stands_for:
        return judgement
    beside = [(tried[n].shape, each) for n, each in answers if tried[n].shape.span == here.span]
    fine = [shape for shape, each in beside if _is_fine(each, shape)]
    bad = [shape for shape, each in beside if each.verdict is Verdict.CONFIRMED]
    on = _goes_on([shape for shape, _ in beside])
    if _threads(fine, on) <= _threads(bad, on):
        return judgement
    little = all(each.objection in LITTLE for shape, each in beside if _is_fine(each, shape))
    how = "a small part of the kernel's work" if little else "fine"
    reason = f"it is {how} in most launches from the same place"
    if values := _told(suspicion, fine[0]):
        reason += f", as with {values}"
    trail = (*judgement.trail, (OBJECTION, reason))
    return replace(
        judgement, verdict=Verdict.UNDECIDED, reason=reason, objection=OBJECTION, trail=trail
    )


def _is_fine(judgement: Judgement, launch: KnownLaunch) -> bool:
    """Whether full warps came to it, and wasted nothing, or little of the kernel's work.

    How much of its work it is only a launch tells whose shape is read.
    """
    figures = judgement.case.figures if judgement.case is not None else ()
    if judgement.objection in LITTLE:
        return not launch.assumed and any(f.full for f in figures)
    return judgement.verdict is Verdict.REFUTED and any(f.full and not f.bad for f in figures)


def _goes_on(launches: Sequence[KnownLaunch]) -> KnownLaunch | None:
    """The last early turn of a loop whose end is not known: its condition was taken to hold."""
    first, last = launches[0], launches[-1]
    return last if set(last.supposing) - set(first.supposing) else None


def _threads(launches: Sequence[KnownLaunch], on: KnownLaunch | None) -> int:
    return sum(
        launch.blocks * launch.threads * (FOLLOWING if launch is on else 1) for launch in launches
    )


def _told(suspicion: Suspicion, launch: KnownLaunch) -> str:
    assert suspicion.kernel is not None
    names = suspicion.kernel.names.parameters
    return ", ".join(f"{names[index]} = {value}" for index, value in launch.values.items())
