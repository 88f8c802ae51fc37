"""How compiling one closure ended."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

from perflint.base.records import dataclass
from perflint.frontend.model import CompileError
from perflint.frontend.nvrtc.enclosing_declaration import Declaration
from perflint.frontend.nvrtc.library import Job
from perflint.frontend.nvrtc.templates import Instance


@dataclass(frozen=True)
class Loss:
    """A declaration that was blanked because it did not compile."""

    path: Path
    declaration: Declaration
    reason: str


@dataclass
class Result:
    """How compiling ended."""

    ptx: str | None = None
    lowered: dict[str, Instance] = field(default_factory=dict)  #: entry name → instance
    architecture: int = 0  #: compiled for; 0 if nothing was
    job: Job | None = None  #: the call that made the PTX
    errors: list[CompileError] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    failure: str = ""  #: why there is no PTX
    guessed: dict[str, str] = field(default_factory=dict)
    wanted: frozenset[str] = frozenset()  #: macros that the build gives, to begin anew with


@dataclass
class Allowance:
    """Processor time of the compiler, and rounds, that one file may take, through whichever files.

    Not a clock's: on a busy machine no kernel is lost that an idle one has.
    """

    seconds: float
    rounds: int
    spent: float = 0.0
