"""What came of a kernel, suspicion by suspicion: what `perflint why` tells. Plain frozen data.

An account holds what the verdict engine answered, and nothing that it did not: who reads it decides
nothing again.
"""

from __future__ import annotations

from pathlib import Path

from perflint.base.records import dataclass
from perflint.base.span import Span

Lines = tuple[tuple[Path, int], ...]  #: lines of the user's files, in order


@dataclass(frozen=True)
class World:
    """The values of one run of a launch."""

    name: str  #: as the samples name it
    text: str  #: what differs from the first run's values; of the first, nothing
    end: str  #: why the run ended before the kernel did; "": it did not, or enough was seen


@dataclass(frozen=True)
class Attempt:
    """One launch that a kernel was tried with."""

    text: str  #: `k<<<5, 256>>>(n=1280 assumed)`, in its first world
    place: Span | None = None  #: where the source launches it so
    assumed: str = ""  #: what of its block was assumed, and why
    supposing: tuple[str, ...] = ()  #: conditions of the host code that were taken to hold
    broken: tuple[str, ...] = ()  #: such that no values tried would meet
    blocks: str = ""  #: how much of the grid was run
    worlds: tuple[World, ...] = ()


@dataclass(frozen=True)
class Sample:
    """What one run showed of a suspicion."""

    world: str
    measured: float
    ideal: float
    bad: bool  #: so much above the ideal that the rule says so
    share: float  #: of the kernel's work
    full: bool  #: whether whole warps took part
    complete: bool  #: whether the run tells the share
    counted: bool = True  #: False: there was nothing to count


@dataclass(frozen=True)
class Answer:
    """What the verdict engine made of a suspicion with one launch."""

    attempt: int  #: which of the account's
    verdict: str  #: `confirmed`, `undecided` or `refuted`
    objection: str = ""  #: the name of the one that decided; "": none held
    reason: str = ""
    proved: bool = False  #: by the formula of an address, whatever the data are
    samples: tuple[Sample, ...] = ()
    formulas: tuple[Sample, ...] = ()  #: what the formula says of full warps, by world
    missed: tuple[str, ...] = ()  #: worlds whose runs did not come to it
    asked: tuple[tuple[str, str], ...] = ()  #: each objection that was asked, and its answer
    least: float = 0.0  #: the share of the kernel's work that a finding asks for


@dataclass(frozen=True)
class Weighed:
    """A suspicion, and what became of it."""

    code: str
    name: str
    about: str  #: `load from a`; "" where the place says it
    identity: str
    place: Span
    lines: Lines  #: every line that it is about
    measures: str  #: what its samples count
    verdict: str
    answers: tuple[Answer, ...]
    fate: str = ""  #: `warning`, `note`: a finding of that level; `related`, `left`; "": none
    #: `related`: where the finding stands that it is a further place of; `left`: to whom
    beside: Span | None = None
    better: str = ""
    message: str = ""  #: what the rule says of it
    unfixed: str = ""  #: why no fix is offered, where one was tried

    @property
    def answer(self) -> Answer | None:
        """What decided: of several launches the worst one that something is told of."""
        same = [each for each in self.answers if each.verdict == self.verdict] or self.answers
        return same[0] if same else None


@dataclass(frozen=True)
class Seen:
    """An access of the kernel, and which conditions kept rules from suspecting it."""

    about: str  #: `load from a`
    lines: Lines
    passed: tuple[tuple[str, str], ...] = ()  #: (code, why), of rules that say why


@dataclass(frozen=True)
class Account:
    """What came of one kernel, on one GPU."""

    kernel: str  #: its name for people
    path: Path  #: the file that was checked
    place: Span  #: its name in the source, or where its code begins
    arch: str
    rules: tuple[str, ...] = ()  #: the codes of those that looked at it
    reason: str = ""  #: why none could tell
    partial: str = ""  #: why they did not see all of it
    attempts: tuple[Attempt, ...] = ()
    weighed: tuple[Weighed, ...] = ()
    seen: tuple[Seen, ...] = ()
    #: by file, the lines that instructions come from, ascending
    code: tuple[tuple[Path, tuple[int, ...]], ...] = ()


@dataclass(frozen=True)
class Outline:
    """A kernel as the source has it, compiled or not."""

    name: str
    place: Span  #: its name
    first: int  #: the definition's first line
    last: int
