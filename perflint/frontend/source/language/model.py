"""What is read from one source file. Plain frozen data.

Lines and columns are 1-based, columns count Unicode code points, end columns are exclusive.
"""

from __future__ import annotations

import struct
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path

from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.base.text_lines import lines_of
from perflint.frontend.source.language.c_types import CType
from perflint.frontend.source.language.kernel_names import path_of
from perflint.frontend.source.language.terms import Requirement, Root, Term


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
    #: its compiler makes a constant of a 1, so that what is passed is none (Triton)
    never_one: bool = False
    divisor: int = 1  #: its compiler took what is passed to be a multiple of this
    #: it would have taken a multiple of this to be one, and did not: 0 if it does not look
    no_multiple: int = 0

    @property
    def may_be_one(self) -> bool:
        """Whether an integer that is passed for it may be 1."""
        return not self.never_one and self.divisor == 1


@dataclass(frozen=True)
class TemplateParameter:
    """`typename T` or `int N = 4`."""

    name: str
    written: str
    kind: str  #: `type`, `value` or `template`
    type: str = ""  #: of a value
    default: str | None = None
    accessed: bool = False  #: what is of this type is a pointer or an iterator, by its uses
    asked: str = ""  #: what a class alone has is asked of it wherever it is compiled: `T::size`

    @property
    def is_type(self) -> bool:
        return self.kind == "type"

    @property
    def optional(self) -> bool:
        """Whether it has a default or is a pack."""
        return self.default is not None or "..." in self.written


@dataclass(frozen=True)
class SourceKernel:
    """A `__global__` definition."""

    name: str  #: unqualified
    qualified: str  #: with namespaces and classes
    span: Span  #: the whole definition, a template head included
    name_span: Span
    parameters: tuple[SourceParameter, ...]
    template_parameters: tuple[TemplateParameter, ...]
    launch_bounds: tuple[int, ...] = ()  #: folded; () if none or not constant
    active: bool = True  #: False: under an `#if` that is false with what is in sight
    condition: str = ""  #: the innermost `#if` around it, as written
    condition_line: int = 0
    #: bytes of dynamic shared memory that its launches give, where its compiler says so
    shared: int | None = None

    @property
    def types(self) -> tuple[str, ...]:
        """Its parameters' types, as written."""
        return tuple(p.type for p in self.parameters)


@dataclass(frozen=True)
class Expression:
    """A source expression and its value where folding found one."""

    text: str
    value: int | float | None = None
    #: how it is computed of the launch's roots, where its value hangs on them
    term: Term | None = field(default=None, compare=False, repr=False)


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
class HostData:
    """What the host puts into an array that no kernel writes: `first + step * i` at index i."""

    first: int | float
    step: int = 0
    size: int | None = None  #: bytes of an element, where that is known
    count: int | None = None  #: elements that are set, where that is known; None: all, or unknown

    @property
    def text(self) -> str:
        """For people: `all 0`, `element i is 16*i + 1`."""
        if not self.step:
            return f"all {self.first}"
        factor = {1: "i", -1: "-i"}.get(self.step, f"{self.step}*i")
        return f"element i is {factor}" + (f" + {self.first}" if self.first else "")


@dataclass(frozen=True)
class LaunchArgument:
    """An argument at a launch site."""

    text: str
    value: int | float | None = None  #: folded, for scalars
    allocation: int | None = None  #: bytes, where the argument's cudaMalloc was found and folded
    #: how the value, and the bytes, are computed of the launch's roots
    term: Term | None = field(default=None, compare=False, repr=False)
    allocation_term: Term | None = field(default=None, compare=False, repr=False)
    struct: StructArgument | None = None  #: what a struct that is passed by value is made of
    #: what the array behind it holds, where the host sets it and no kernel does
    data: HostData | None = field(default=None, compare=False, repr=False)

    @property
    def known(self) -> tuple[int | float | None, ...]:
        """What of it was read."""
        fields = () if self.struct is None else self.struct.fields
        return (self.value, self.allocation, *(k for f in fields for k in f.argument.known))

    @property
    def terms(self) -> tuple[Term | None, ...]:
        """How what was not is computed."""
        fields = () if self.struct is None else self.struct.fields
        return (self.term, self.allocation_term, *(t for f in fields for t in f.argument.terms))


@dataclass(frozen=True)
class LaunchField:
    """A number or a pointer in a struct that a launch passes by value."""

    path: str  #: `size.x`
    offset: int  #: bytes from the struct's start
    type: CType
    argument: LaunchArgument


@dataclass(frozen=True)
class StructArgument:
    """A struct that a launch passes by value, as the host code declares it."""

    size: int  #: bytes
    fields: tuple[LaunchField, ...]


@dataclass(frozen=True)
class Turns:
    """How often something is done, as a launch is made, in each turn of some loops that nobody can
    count."""

    least: float = 1
    most: float = 1  #: infinity: nobody can tell
    loops: frozenset[tuple[str, int]] = frozenset()  #: by file and first byte

    def __mul__(self, other: Turns) -> Turns:
        return Turns(self.least * other.least, self.most * other.most, self.loops | other.loops)


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
    #: conditions that only a run could decide and that were taken to hold or not, for people
    supposing: tuple[str, ...] = ()
    #: a dispatch macro gives another type than this first: for a kernel that refuses that one
    spare: bool = False
    #: where `instance` is None: the template arguments that are known, None for one that is not
    partial: tuple[str | None, ...] = ()
    #: what its numbers are computed of and reading cannot tell, and what the host code asks of that
    roots: tuple[Root, ...] = field(default=(), compare=False, repr=False)
    requirements: tuple[Requirement, ...] = field(default=(), compare=False, repr=False)
    unread: str = ""  #: why the block could not be read; "" where it was
    #: where the block is read at a bound, `min(n, 256)`: as written, and what that supposes
    unbounded: Dim3Expression | None = field(default=None, compare=False, repr=False)
    bounding: tuple[str, ...] = field(default=(), compare=False, repr=False)
    #: the same launch with what is computed of `unbounded`
    free: LaunchSite | None = field(default=None, compare=False, repr=False)
    turned: bool = False  #: a loop around it has more turns than stand for it here
    left_out: int = 0  #: further kernels that this launch may mean, of which none is listed
    scope: str = (
        ""  #: the namespaces it stands in, `a::b`: where its template arguments have meaning
    )
    qualified: str = ""  #: the kernel's name with its namespaces; "" where several are possible
    overload: tuple[str, ...] = ()  #: its parameters' types, where others have its name
    #: how often the program comes to it, all of these together, whichever launch it then is; None:
    #: nobody knows
    turns: tuple[Turns, ...] | None = field(default=None, compare=False)
    program: Path | None = field(default=None, compare=False)  #: … this one, by its `main`'s file
    #: whether some of it came from a file with a `main` that no call in sight leads from to it
    aside: bool = field(default=False, compare=False)

    @property
    def is_open(self) -> bool:
        """Whether its block is not read, or it hangs on what other files may tell."""
        return self.block.value is None or bool(self.roots) or self.aside

    def may_mean(self, kernel: SourceKernel) -> bool:
        """Whether a kernel is not another one of its name."""
        if self.overload and self.overload != kernel.types:
            return False
        return not self.qualified or path_of(self.qualified) == path_of(kernel.qualified)


@dataclass(frozen=True)
class UnreadLaunch:
    """A launch that stands in the source and whose kernel cannot be read."""

    span: Span
    text: str  #: what stands before `<<<`, as written
    function: str  #: the host function it stands in
    reason: str


@dataclass(frozen=True)
class HeldValue:
    """A number that lies somewhere in a variable's memory."""

    offset: int  #: bytes from the variable's start
    size: int  #: bytes
    value: int | float
    floating: bool  #: stored as a float, of 4 or 8 bytes

    def moved(self, by: int) -> HeldValue:
        """The same number, further on."""
        return replace(self, offset=self.offset + by)

    @property
    def data(self) -> bytes:
        """As it lies in memory."""
        if self.floating:
            return struct.pack("<f" if self.size == 4 else "<d", self.value)
        return (int(self.value) & ((1 << 8 * self.size) - 1)).to_bytes(self.size, "little")


@dataclass(frozen=True)
class SymbolValue:
    """What host code copies to a `__constant__` or `__device__` variable, at one place."""

    name: str  #: of the variable as written, namespaces in front
    text: str  #: what is copied, as written
    span: Span  #: the call that copies
    offset: int | None = 0  #: bytes from the variable's start; None if unknown
    size: int | None = None  #: bytes copied; None if unknown
    values: tuple[HeldValue, ...] = ()  #: what is known of them


@dataclass(frozen=True)
class SourceFacts:
    """What tree-sitter sees in one file."""

    path: Path
    text: str
    kernels: tuple[SourceKernel, ...] = ()
    launches: tuple[LaunchSite, ...] = ()
    unread: tuple[UnreadLaunch, ...] = ()  #: launches of kernels that cannot be told
    left: int = 0  #: how many launches are left out: of kernels that were not asked for
    subscripts: tuple[Subscript, ...] = ()
    #: (kernel, template arguments) of explicit instantiations and of kernels taken by address
    instantiations: tuple[tuple[str, tuple[str, ...]], ...] = ()
    mixed_powers: tuple[int, ...] = ()  #: lines of `pow(float, int)` in device code
    error_lines: tuple[int, ...] = ()  #: lines where the source parser saw a syntax error
    symbols: tuple[SymbolValue, ...] = ()  #: what its host code copies to device variables

    @cached_property
    def lines(self) -> list[str]:
        """The text's lines."""
        return lines_of(self.text)
