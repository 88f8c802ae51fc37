"""What a rule hands to the verdict engine, and what it gets back.

A rule measures; which objections hold, and what follows, the engine decides
(`perflint.lint.verdict`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from perflint.base.records import dataclass
from perflint.rules.protocol import Results, Suspicion, Trial, Verdict


@dataclass(frozen=True, eq=False)
class Figure:
    """What one trial shows of a suspicion, or what a formula says of it."""

    trial: Trial
    measured: float  #: in the unit of the rule: sectors per request, instructions a warp
    ideal: float  #: of the golden execution
    bad: bool  #: whether it is so much above the ideal that the rule says so
    share: float = 1.0  #: of the kernel's work that the excess is
    full: bool = True  #: whether whole warps took part
    #: whether the run tells the share: it came to its end, or was cut short in a steady loop
    complete: bool = True
    peers: float = 1  #: parts of the kernel that are as bad
    counted: bool = True  #: False stands in for what could not be counted
    #: why it is not bad, where the figures alone do not say so, as a sentence
    fine: str = ""
    detail: object = None  #: what else the rule tells of it


@dataclass(frozen=True, eq=False)
class Case:
    """A suspicion after its trials."""

    suspicion: Suspicion
    #: of the trials that came to it; the first bad one is the one that is shown
    figures: tuple[Figure, ...]
    #: what the formula of an address says, for each trial where that can be computed
    formulas: tuple[Figure, ...] = ()
    unreached: tuple[Trial, ...] = ()  #: trials that did not come to it
    proved: bool = False  #: the formula is bad in every trial: whatever the data are
    data: str = ""  #: what invented values decide of it, as a sentence; "": nothing
    cut: str = ""  #: what a run that was cut short leaves unknown; "": it tells enough
    assumed: str = ""  #: what the assumed block shape decides of it; "": nothing
    doubt: str = ""  #: what the rule alone knows that speaks against it
    silent: str = ""  #: why there is nothing to report, not even a note; "": there may be
    #: whether its threads use all that it moves, one access after the other: L1 has the excess
    used: bool = False
    #: of the requests of its accesses, the share that is left where wider ones take their place
    left: float = 1.0
    floor: float = 0.0  #: least share that is worth a finding, where it depends on the suspicion
    measures: str = ""  #: what the figures count, where that is not what the rule's mostly do
    #: what the share is of
    small: str = "it is {share:.1%} of what the kernel's warps issue"
    launch: Sequence[Trial] = ()  #: all runs of this launch, other rules' included

    @property
    def bad(self) -> tuple[Figure, ...]:
        """The figures that bear the suspicion out."""
        return tuple(figure for figure in self.figures if figure.bad)

    @property
    def trials(self) -> list[Trial]:
        """The trials that came to it."""
        return [each.trial for each in self.figures]

    def in_words(self, figure: Figure) -> str:
        """What share of the kernel's work a figure is, in words; "" where that is not known."""
        return self.small.format(share=figure.share) if 0 < figure.share < 1 else ""

    @property
    def worst(self) -> Figure | None:
        """What is shown: the first bad figure, else that of the formula."""
        bad = self.bad or (self.formulas if self.proved else ())
        return bad[0] if bad else None


def nothing(suspicion: Suspicion, why: str) -> Case:
    """The case of a suspicion of which nothing is left, with the reason."""
    return Case(suspicion, (), silent=why)


@dataclass(frozen=True, eq=False)
class Decision:
    """What the engine made of a case: what `describe` puts into words."""

    case: Case
    verdict: Verdict
    figure: Figure | None = None  #: what is shown
    objection: str = ""  #: the name of the one that decided
    reason: str = ""
    trail: tuple[tuple[str, str], ...] = ()  #: each objection that was asked, and its answer
    cures: Results = field(default=())  #: what became of the variants that `cures` asked for

    @property
    def shown(self) -> Figure:
        """The figure that is shown. Raises AssertionError where there is none."""
        assert self.figure is not None
        return self.figure

    @property
    def confirmed(self) -> bool:
        """Whether nothing speaks against it."""
        return self.verdict is Verdict.CONFIRMED
