"""The verdict engine: which objections hold against what a rule has measured, and what follows.

All policy of confirming, doubting and refuting is the list below. A rule measures (`Case`) and
puts the decision into words; of the objections it may waive some, as data, with its reason.

*Pattern* and *count* are two claims. A guard or a trip count that depends on data speaks against
the count, never against the pattern: what is bad by its formula, or with all the data tried, is
confirmed whenever it is reached. A *launch* is what its host code makes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from math import ceil

from perflint.base.records import dataclass
from perflint.lint import objections as ask
from perflint.lint import run_objections as of_run
from perflint.lint import value_objections as of_values
from perflint.rules.case import Case, Decision, Figure
from perflint.rules.protocol import BY_DATA, SMALL_SHARE, Claim, Kernel, Rule, Verdict

#: An access whose excess is small is none of many like ones, were all as bad as this one, unless
#: they would make up so much of the kernel's traffic together.
JOINT_SHARE = 0.25
#: Of a fault whose parts add up, the least share of the kernel's work that counts as a part.
LEAST_PART = 0.01

#: The objection that a bound of the share may raise: then no variant need run.
TOO_SMALL = "too small to report"

#: The objections that hold alike against all that is found in a kernel.
ASSUMED_TEMPLATE = "assumed template"
HARDLY_LAUNCHED = "hardly launched"
#: … and the one that is raised once all kernels of a program are known (`little_of_program`).
OF_PROGRAM = "little of its program"
OF_THE_KERNEL = frozenset({ASSUMED_TEMPLATE, HARDLY_LAUNCHED})

PATTERN: frozenset[Claim] = frozenset({"pattern"})
COUNT: frozenset[Claim] = frozenset({"count"})
WORK = PATTERN | COUNT
ALL: frozenset[Claim] = WORK | {"launch"}


Ask = Callable[[Rule, Case], str]


@dataclass(frozen=True)
class Objection:
    """Something that may speak against a suspicion."""

    name: str  #: what a rule waives it by
    claims: frozenset[Claim]  #: against which claims it holds
    ask: Ask  #: the reason; "" where it has nothing to object
    refutes: bool = False  #: whether nothing is left to tell, not even a note

    @property
    def about(self) -> str:
        """What it asks, in a sentence."""
        return (self.ask.__doc__ or "").split("\n", 1)[0].strip()


def _of(question: Callable[[Case], str]) -> Ask:
    """A question that the case alone answers."""

    @wraps(question)
    def asked(rule: Rule, case: Case) -> str:
        return question(case)

    return asked


def decide(rule: Rule, case: Case) -> Decision:
    """Weigh one launch's trials: confirmed only if nothing speaks against it."""
    waived = dict(rule.waives)
    trail: list[tuple[str, str]] = []
    for each in OBJECTIONS:
        if rule.claim not in each.claims:
            continue
        reason = waived.get(each.name)
        answer = each.ask(rule, case) if reason is None else ""
        trail.append((each.name, answer if reason is None else f"waived: {reason}"))
        if answer:
            verdict = Verdict.REFUTED if each.refutes else Verdict.UNDECIDED
            return Decision(case, verdict, case.worst, each.name, answer, tuple(trail))
    return Decision(case, Verdict.CONFIRMED, case.worst, trail=tuple(trail))


def least_share(rule: Rule, case: Case) -> float:
    """The share of the kernel's work that a finding must waste: the rule's, or `--min-waste`."""
    kernel = case.suspicion.kernel
    asked = kernel.min_waste if kernel is not None else Kernel.min_waste
    return max(rule.floor, case.floor, asked)


def _too_small(rule: Rule, case: Case) -> str:
    """It is less of the kernel's work than the rule speaks of, in every run that bears it out."""
    least = LEAST_PART if rule.sums else rule.floor
    share = max((each.share for each in case.bad), default=1.0)
    if share >= least:
        return ""
    return f"{case.small.format(share=share)}, and less than {least:.0%} is not reported"


def _small_share(rule: Rule, case: Case) -> str:
    """It is a small part of the kernel's work.

    Runs that came to their end say so; where all were cut short, each must call it major. Of a
    count every run must.
    """
    least = least_share(rule, case)
    whole = [each for each in case.bad if each.complete]
    small = [each for each in whole or case.bad if _is_small(each, least)]
    if not small or (rule.claim == "pattern" and len(small) < len(whole)):
        return ""
    shares = [each.share for each in case.bad]
    return case.small.format(share=max(shares) if rule.claim == "pattern" else min(shares))


def _is_small(figure: Figure, least: float) -> bool:
    """Whether the excess is small, and not one of many equal parts of a large one."""
    joint = figure.peers > 1 and figure.share * figure.peers >= max(least, JOINT_SHARE)
    return figure.share < least and not joint


def little_of_program(
    rule: Rule, share: float, waste: float, least: float, others: Sequence[str]
) -> str:
    """Why a finding is little of its program's time; "" where it may be much.

    Its kernel's launches take at most a `share` of what those of the `others` do together, of which
    it wastes a part (`waste`); the heaviest of these come first.
    """
    if OF_PROGRAM in dict(rule.waives) or share * waste >= least:
        return ""
    more = len(others) - 1
    who = f"`{others[0]}` does" if not more else f"`{others[0]}` and {more} more kernels do"
    if more == 1:
        who = f"`{others[0]}` and `{others[1]}` do"
    what = f"at most {ceil(1000 * share) / 1000:.1%} of what {who} in this program"
    return f"its kernel takes {what}, with the sizes that were tried"


#: In this order, the most telling first.
OBJECTIONS: tuple[Objection, ...] = (
    Objection("nothing to report", ALL, _of(ask.nothing_to_report), refutes=True),
    Objection("not reached", ALL, _of(ask.not_reached), refutes=True),
    Objection("nothing wasted", ALL, _of(ask.nothing_wasted), refutes=True),
    Objection(TOO_SMALL, COUNT, _too_small, refutes=True),
    Objection("only missing lanes", PATTERN, _of(ask.only_missing_lanes), refutes=True),
    Objection("only a table", PATTERN, _of(ask.only_a_table), refutes=True),
    Objection("wrong launch", ALL, _of(of_run.wrong_launch)),
    Objection("broken run", ALL, _of(of_run.broken_run)),
    Objection("misaligned", WORK, _of(of_run.misaligned)),
    Objection("out of its region", WORK, _of(of_run.out_of_region)),
    Objection("unknown constants", PATTERN, _of(of_values.unknown_constants)),
    Objection(BY_DATA, ALL, _of(of_values.invented_data)),
    Objection("fine with other values", WORK, _of(of_values.fine_with_other_values)),
    Objection("a stride that may be 1", PATTERN, _of(of_values.stride_of_one)),
    Objection("loaded address", PATTERN, _of(of_values.loaded_address)),
    Objection("friendlier values not reached", PATTERN, _of(of_values.friendlier_values)),
    Objection("stride of a struct", PATTERN, _of(of_values.stride_of_a_struct)),
    Objection("a library's code", WORK, _of(ask.librarys_code)),
    Objection("a library's structure", PATTERN, _of(ask.librarys_structure)),
    Objection("assumed block", ALL, _of(ask.assumed_block)),
    Objection("cut short without a steady loop", COUNT, _of(ask.cut_short)),
    Objection("tiny launch", WORK, _of(ask.tiny_launch)),
    Objection("the rule's own", ALL, _of(ask.rules_own)),
    Objection(ASSUMED_TEMPLATE, ALL, _of(ask.assumed_template)),
    Objection(HARDLY_LAUNCHED, ALL, _of(ask.hardly_launched)),
    Objection(SMALL_SHARE, WORK, _small_share),
    Objection(OF_PROGRAM, ALL, _of(ask.little_of_program)),
)
