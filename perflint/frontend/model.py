"""What a front end returns: PTX, source facts, and what went wrong. Plain frozen data.

What is read from the source alone is in `source.model`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.base.language import Language
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.source.language.model import SourceFacts as SourceFacts

if TYPE_CHECKING:
    from perflint.frontend.nvrtc.library import Job


@dataclass(frozen=True)
class CompileError:
    """A compiler's or parser's message about the user's code."""

    path: Path
    line: int
    column: int  #: 1 where the compiler gave none
    message: str
    genuine: bool = True  #: the user's code is wrong; False: perhaps only our front end's limit


@dataclass(frozen=True)
class LostKernel:
    """A kernel that is in the source and not in the PTX, and why."""

    name: str
    span: Span
    reason: str


@dataclass(frozen=True)
class EntryOrigin:
    """Where a PTX entry comes from."""

    kernel: str  #: unqualified source name
    template_arguments: tuple[str, ...] | None = None
    assumed: bool = False  #: instantiated with default arguments because no launch site named any
    language: Language = "cuda"
    qualified: str = ""  #: the name with its namespaces, where it is known
    overload: tuple[str, ...] = ()  #: its parameters' types, where others have its name

    @property
    def title(self) -> str:
        """The kernel with its template arguments: `scan<float, 4>`."""
        arguments = self.template_arguments
        return self.kernel + (f"<{', '.join(arguments)}>" if arguments else "")


@dataclass(frozen=True)
class Compilation:
    """The outcome for one input file."""

    path: Path
    ptx: str | None  #: None if nothing could be compiled
    facts: Mapping[Path, SourceFacts]  #: of the file and of the user's headers it includes
    entries: Mapping[str, EntryOrigin]  #: PTX entry name → origin
    errors: tuple[CompileError, ...] = ()
    lost: tuple[LostKernel, ...] = ()
    remarks: tuple[str, ...] = ()  #: guessed instantiations and the like, for the user
    arch: str = "sm_80"
    #: NVRTC's call that made the PTX, for what else it can tell; None for other front ends
    job: Job | None = field(default=None, repr=False)
    #: the files by the names under which `job` has them
    aliases: Mapping[str, Path] = field(default_factory=dict, repr=False)
    #: of a fragment compiled through another file: those whose kernels were asked for; None: all
    wanted: frozenset[Path] | None = None
