"""What `perflint check` was asked to do, as plain frozen data for the pipeline."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from perflint.launch_option import LaunchSpec

if TYPE_CHECKING:
    from perflint.frontend.compilation_database import CompilationDatabase

#: What makes PTX of a `.cu` file: NVRTC, the user's nvcc, or perflint's own reader of the C subset.
Frontend = Literal["nvrtc", "nvcc", "source"]

DEFAULT_ARCH = "sm_80"
DEFAULT_BUDGET = 2.0  #: seconds a kernel


class Progress(Protocol):
    """Told what the pipeline is at. Called often; must be cheap and never raise."""

    def __call__(self, done: int, total: int, what: str) -> None:
        """`done` of `total` files are finished; `what` is in work (`a.cu: kernel`)."""


def silent(done: int, total: int, what: str) -> None:
    """The Progress that shows nothing."""


@dataclass(frozen=True)
class CheckOptions:
    """Everything that bears on a result of `perflint.pipeline.check`.

    `check` returns every finding of `rules`, notes too, less what comments suppress; the command
    line then hides what was not asked for (`perflint.selection.visible`).
    """

    rules: frozenset[str]  #: codes of the rules to run
    arch: tuple[str, ...] = ()  #: GPUs to simulate; none: what the build names, else DEFAULT_ARCH
    launches: tuple[LaunchSpec, ...] = ()  #: at most one a kernel
    define: tuple[str, ...] = ()  #: `NAME` or `NAME=VALUE`, as behind -D
    include: tuple[Path, ...] = ()  #: as behind -I
    frontend: Frontend = "nvrtc"
    nvcc: Path | None = None  #: the program, for the front end `nvcc`
    database: CompilationDatabase | None = None  #: the build's flags, file by file
    budget: float = DEFAULT_BUDGET  #: seconds a kernel
    jobs: int = 1  #: processes to check files in
    root: Path = field(default_factory=Path)  #: the working directory
    cache: Path | None = field(
        default=None, compare=False
    )  #: where results are kept; None: nowhere
    progress: Progress = field(default=silent, compare=False)
