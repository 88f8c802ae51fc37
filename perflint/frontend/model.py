"""What a front end returns: PTX, source facts, and what went wrong. Plain frozen data.

Lines and columns are 1-based, columns count Unicode code points, end columns are exclusive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.span import Span

if TYPE_CHECKING:
    from perflint.frontend.nvrtc.library import Job


@dataclass(frozen=True)
class Subscript:
    """`base[index]` or `*base` in a kernel or device function."""

    array: str  #: the innermost base's name: `a` in `a[i][j]`, `p` in `p->v[i]`, `*(p + i)`
    text: str  #: as written
    span: Span
    store: bool  #: written (assignment's left side, ++, +=)
    load: bool  #: read (`+=` is both)
    atomic: bool  #: argument of an atomic function
    function: str  #: the kernel or device function it stands in
    #: the parameter or array that a local pointer `array` was set from, where that is plain
    origin: str | None = None
    #: `shared`, `local`, `constant` or `global` where the array's declaration is in sight; None for
    #: pointers
    space: str | None = None


@dataclass(frozen=True)
class SourceParameter:
    """A kernel parameter as written."""

    name: str
    type: str  #: `const float *`, without `__restrict__`
    pointer: bool
    default: str | None = None


@dataclass(frozen=True)
class SourceKernel:
    """A `__global__` definition."""

    name: str  #: unqualified
    qualified: str  #: with namespaces and classes
    span: Span  #: the whole definition, a template head included
    name_span: Span
    parameters: tuple[SourceParameter, ...]
    template_parameters: tuple[str, ...]  #: as written, `int BLOCK`, `typename T`; () if none
    launch_bounds: tuple[int, ...] = ()  #: folded; () if none or not constant
    active: bool = True  #: False: under an `#if` that is false with what is in sight


@dataclass(frozen=True)
class Expression:
    """A source expression and its value where folding found one."""

    text: str
    value: int | float | None = None


@dataclass(frozen=True)
class Dim3Expression:
    """A grid or block: three expressions (missing ones are 1)."""

    text: str
    x: Expression
    y: Expression
    z: Expression

    @property
    def value(self) -> tuple[int, int, int] | None:
        """The three numbers, or None if one of them is not known."""
        xyz = (self.x.value, self.y.value, self.z.value)
        if all(isinstance(v, int) and v >= 1 for v in xyz):
            return xyz  # type: ignore[return-value]
        return None


@dataclass(frozen=True)
class LaunchArgument:
    """An argument at a launch site."""

    text: str
    value: int | float | None = None  #: folded, for scalars
    allocation: int | None = None  #: bytes, where the argument's cudaMalloc was found and folded


@dataclass(frozen=True)
class LaunchSite:
    """One `<<<…>>>` in the source."""

    span: Span  #: from the kernel's name to the closing parenthesis
    kernel: str  #: unqualified name
    template_arguments: tuple[str, ...] | None  #: as written; None if none were
    grid: Dim3Expression
    block: Dim3Expression
    shared: Expression
    arguments: tuple[LaunchArgument, ...]
    function: str  #: the host function it stands in
    #: the template arguments as a compiler outside that function would need them: host template
    #: parameters replaced by what the caller gives, constants folded; None if that is not known
    instance: tuple[str, ...] | None = None
    #: the calls of host functions that the values came through, innermost first. One `<<<…>>>`
    #: gives several launch sites where callers pass different values
    via: tuple[Span, ...] = ()
    #: conditions that only a run could decide and that were taken to hold or not, for people
    supposing: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceFacts:
    """What tree-sitter sees in one file."""

    path: Path
    text: str
    kernels: tuple[SourceKernel, ...] = ()
    launches: tuple[LaunchSite, ...] = ()
    subscripts: tuple[Subscript, ...] = ()
    constants: Mapping[str, int | float] = field(default_factory=dict)  #: #define, const, enum
    error_lines: tuple[int, ...] = ()  #: lines where the source parser saw a syntax error


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
