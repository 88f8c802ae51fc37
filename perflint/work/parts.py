"""What processes are given to do of a file, and what they answer: plain frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.lint.account import Outline
from perflint.lint.check_kernel import Outcome
from perflint.lint.comments import Comments
from perflint.lint.findings import Finding, Unanalysed


@dataclass(frozen=True)
class Part:
    """Some kernels of a file, or all of it: what a process is given to do."""

    file: int
    compiled: bytes | None = None  #: of a file that was compiled already
    kernels: range | None = None  #: by their places in the module; None: all
    issued: int = 0  #: instructions that kernels before these are known to have issued
    seconds: float = 0.0  #: CPU time that the file's kernels have taken
    fate: str = ""  #: why these kernels are not to be checked
    #: kernels that other files are checked for, by their names in the source
    elsewhere: frozenset[Span] = frozenset()


@dataclass(frozen=True)
class Frame:
    """What is to be said of a file besides its kernels."""

    path: Path
    findings: tuple[Finding, ...] = ()
    unanalysed: tuple[Unanalysed, ...] = ()
    remarks: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()  #: what its kernels may be called on the command line
    kernels: int = 0
    complete: bool = False
    comments: Mapping[Path, Comments] = field(default_factory=dict)
    #: by which line of it each of its headers came in
    brought: Mapping[Path, Span] = field(default_factory=dict)
    outlines: tuple[Outline, ...] = ()  #: the kernels in its sources, where that was asked for


@dataclass(frozen=True)
class Done:
    """What came of one kernel."""

    title: str
    line: Unanalysed  #: what says that it was not analysed, but for the reason
    outcome: Outcome
    remarks: tuple[str, ...] = ()  #: on what was asked for, whatever came of it
    source: Span | None = None  #: its name there


@dataclass(frozen=True)
class Answer:
    """What came of a part."""

    done: Mapping[int, Done | None]  #: by the kernels' places in the module; None: not wanted
    frame: Frame | None = None  #: of a part that was not compiled before
    left: range = range(0)  #: kernels that others may check
    compiled: bytes | None = None  #: for them
    seconds: float = 0.0  #: CPU time
    repeats: bool = True  #: no clock and no shortage of memory had a part in it
