"""What the reports print: findings with their evidence, kernels not analysed, and the summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Literal

from perflint.base.evidence import Evidence, Fix, WorstRequest
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.lint.account import Account, Outline
from perflint.lint.comments import Comments
from perflint.lint.worth import Worth

Level = Literal["error", "warning", "note"]
INLINED = "inlined here"  #: of the calls around a place
SAME = "the same here"  #: how the word about another place of a fault begins
ELSEWHERE = "it stands here"  #: of a finding's place, where it is shown at another
LEVELS: tuple[Level, ...] = ("note", "warning", "error")


@dataclass(frozen=True)
class LaunchNote:
    """The launch a finding rests on."""

    text: str  #: `transpose<<<(32, 128), (32, 8)>>>(w=1024, h=1024)`
    assumed: bool  #: not read from the source
    place: Span | None = None  #: the launch site
    blocks: str = ""  #: `4 of 4096 blocks simulated`
    remarks: tuple[str, ...] = ()  #: what it rests on: `read supposing it is run as …`

    @property
    def whole(self) -> str:
        """The launch with what it rests on behind it."""
        return "; ".join((self.text, *self.remarks))


@dataclass(frozen=True)
class Related:
    """Another place that explains the finding."""

    place: Span
    message: str


@dataclass(frozen=True)
class LaunchCount:
    """In how many launches of a run something was found, as far as they were judged."""

    affected: int
    of: int  #: launches of the kernel that the judged ones stand for
    judged: int
    worst: str  #: the one shown: `launch 64 of 78`

    @property
    def text(self) -> str:
        """`31 of 78 launches (5 judged); shown is launch 64 of 78`; "" where there was one."""
        if self.of == 1:
            return ""
        judged = f" ({self.judged:,} judged)" if self.judged < self.of else ""
        return f"{self.affected:,} of {self.of:,} launches{judged}; shown is {self.worst}"


@dataclass(frozen=True)
class Finding:
    """One diagnostic."""

    code: str
    name: str
    level: Level
    verdict: Literal["confirmed", "undecided"]
    message: str  #: first sentence complete in itself, with the figures
    place: Span
    kernel: str | None = None
    arch: str | None = None
    archs: tuple[str, ...] = ()  #: all GPUs that it was found on, where there are others
    label: str = ""  #: under the carets
    launch: LaunchNote | None = None
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    help: str = ""
    reason: str = ""  #: why undecided
    witness: str = ""  #: the worst request, for a check by hand
    request: WorstRequest | None = None  #: the same, to be drawn
    #: what it is about, the same wherever its line moves: `store global parameter 0`
    identity: str = ""
    severity: float = 0.0  #: how much is wasted, to choose the worst of several
    waste: float = 0.0  #: the share of its kernel's work that is wasted
    fault_waste: float = 0.0  #: … by all the places of its fault, which one change mends
    waste_text: str = ""  #: `waste` in words: `it is 43% of what the kernel's warps issue`
    worth: Worth | None = None  #: what no schedule can beat, before and after the change
    fix: Fix | None = None
    unfixed: str = ""  #: why there is no fix, where one was tried
    untried: bool = False  #: whether there is an edit that may mend it, which nobody asked for
    launches: LaunchCount | None = None  #: those of a program's run that it was confirmed in
    brought: Span | None = None  #: the `#include` by which the file checked came by the place's

    def message_among(self, archs: Sequence[str]) -> str:
        """The message, with the GPUs that it was found on where several were simulated."""
        found = ", ".join(self.archs) or self.arch
        return f"{self.message} ({found})" if found and len(archs) > 1 else self.message

    def sort_key(self) -> tuple[object, ...]:
        p = self.place
        arch = self.arch or ""
        return (str(p.path), p.line, p.column, self.code, self.kernel or "", self.message, arch)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors before warnings before notes, and of each the most wasteful of its kernel first."""
    return sorted(findings, key=lambda f: (-LEVELS.index(f.level), -f.waste, f.sort_key()))


@dataclass(frozen=True)
class Silenced:
    """A finding that is not shown, and why."""

    finding: Finding
    reason: str = ""  #: as the comment gives it
    baseline: bool = False  #: by a baseline instead of a comment


@dataclass(frozen=True)
class Unanalysed:
    """A kernel (or a whole file) that no rule saw, and why."""

    path: Path
    kernel: str | None
    reason: str
    line: int = 1


@dataclass(frozen=True)
class FileResult:
    """All that came of one input file."""

    path: Path
    findings: tuple[Finding, ...]
    unanalysed: tuple[Unanalysed, ...]
    kernels: tuple[str, ...]  #: names of the kernels analysed
    remarks: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()  #: what its kernels may be called on the command line
    complete: bool = False  #: every rule saw all of it
    repeats: bool = True  #: no clock and no shortage of memory had a part in it
    comments: Mapping[Path, Comments] = field(default_factory=dict)  #: what its files say to us
    sources: frozenset[Span] = frozenset()  #: the names, in the source, of the kernels looked at
    accounts: tuple[Account, ...] = ()  #: what came of each suspicion, where that was asked for
    outlines: tuple[Outline, ...] = ()  #: … and every kernel in its sources


@dataclass(frozen=True)
class Result:
    """A whole run of `perflint check`."""

    findings: tuple[Finding, ...]
    unanalysed: tuple[Unanalysed, ...]
    kernels: int
    files: int
    remarks: tuple[str, ...] = ()
    archs: tuple[str, ...] = ()  #: the GPUs simulated
    silenced: tuple[Silenced, ...] = ()
    ended: str = ""  #: why not all was looked at: `interrupted`, `terminated`
    accounts: tuple[Account, ...] = ()  #: what came of each suspicion, where that was asked for
    outlines: tuple[Outline, ...] = ()  #: … and every kernel in the sources
