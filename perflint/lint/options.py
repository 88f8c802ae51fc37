"""What `perflint check` was asked to do, as plain frozen data for the pipeline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from perflint.base.bounds import Bound
from perflint.base.launch_option import LaunchSpec
from perflint.base.patterns import pattern
from perflint.base.records import dataclass

if TYPE_CHECKING:
    from perflint.frontend.compilation_database import CompilationDatabase
    from perflint.lint.recorded_launches import Records

#: What makes PTX of a `.cu` file: NVRTC, the user's nvcc, or perflint's own reader of the C subset.
Frontend = Literal["nvrtc", "nvcc", "source"]

DEFAULT_ARCH = "sm_80"
DEFAULT_BUDGET = 2.0  #: seconds a kernel
DEFAULT_MIN_WASTE = 5.0  #: percent of a kernel's work


_SIZE = pattern(r"(\d{1,9})\s*([KkMm]?)[Bb]?", re.ASCII)


def read_size(text: str) -> int:
    """`16K`, `1M` or bytes. Raises ValueError."""
    match = _SIZE.fullmatch(text.strip())
    if match is None or not int(match[1]):
        raise ValueError(f"{text!r} is no size; write it as 16K, 1M or 4096")
    return int(match[1]) << {"": 0, "k": 10, "m": 20}[match[2].lower()]


class Progress(Protocol):
    """Told what the pipeline is at. Called often; must be cheap and never raise."""

    def __call__(self, done: int, total: int, what: str) -> None:
        """`done` of `total` files are finished; `what` (`a.cu: k`; "" as before) is in work."""


def silent(done: int, total: int, what: str) -> None:
    """The Progress that shows nothing."""


@dataclass(frozen=True)
class CheckOptions:
    """Everything that bears on a result of `perflint.work.pipeline.check`.

    `check` returns every finding of `rules`, notes too, less what comments suppress; the command
    line then hides what was not asked for (`perflint.cli.selection.visible`).
    """

    rules: frozenset[str]  #: codes of the rules to run
    arch: tuple[str, ...] = ()  #: GPUs to simulate; none: what the build names, else DEFAULT_ARCH
    launches: tuple[LaunchSpec, ...] = ()  #: at most one a kernel
    #: launches seen of one file's kernels, by the file
    file_launches: Mapping[Path, tuple[LaunchSpec, ...]] = field(default_factory=dict)
    define: tuple[str, ...] = ()  #: `NAME` or `NAME=VALUE`, as behind -D
    include: tuple[Path, ...] = ()  #: as behind -I
    frontend: Frontend = "nvrtc"
    nvcc: Path | None = None  #: the program, for the front end `nvcc`
    database: CompilationDatabase | None = None  #: the build's flags, file by file
    budget: float = DEFAULT_BUDGET  #: seconds a kernel
    min_waste: float = DEFAULT_MIN_WASTE / 100  #: share of a kernel's work that findings waste
    cache_size: int | None = None  #: bytes of the L1 that cache rules assume; None: the GPU's own
    explain: bool = False  #: tell of each suspicion what became of it
    fixes: bool = True  #: try edits that may mend findings; else they only count (`untried`)
    jobs: int = 1  #: processes to work in
    cluster: str | None = None  #: the address of a Dask scheduler whose workers do the work instead
    recorded: Records | None = None  #: launches that really happened, with their memory
    root: Path = field(default_factory=Path)  #: the working directory
    bound: Bound | None = None  #: what may be read on behalf of the files; None: everything
    #: where results of earlier runs are kept; None: nowhere
    cache: Path | None = field(default=None, compare=False)
    #: folders in which findings are shown where they are; none: everywhere
    given: tuple[Path, ...] = ()
    progress: Progress = field(default=silent, compare=False)
    #: a run that is ended from outside returns what it has, instead of raising
    partial: bool = field(default=False, compare=False)
