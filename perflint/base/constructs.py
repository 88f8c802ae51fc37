"""What stands in the source, as plain data: what a rule points at, and what it edits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Protocol, TypeVar

from perflint.base.records import dataclass
from perflint.base.span import Span


@dataclass(frozen=True)
class Fragment:
    """A piece of source text."""

    text: str
    span: Span


@dataclass(frozen=True)
class StatementSource(Fragment):
    """An expression statement, declaration, `return`, `goto` or condition."""

    block: Span | None = None  #: the braces among whose statements it stands: it can go there
    #: where it is alone on its lines: all of these, with a comment at their end and with a blank
    #: line that would be one too many without it
    lines: Span | None = None


@dataclass(frozen=True)
class Literal:
    """A number as written."""

    text: str
    span: Span

    @property
    def is_double(self) -> bool:
        """Whether it is a double: a point or an exponent, and no suffix."""
        text = self.text.lower()
        if text.startswith("0x"):
            return "p" in text and text[-1] not in "fl"
        return any(c in text for c in ".e") and text[-1] not in "fl"


@dataclass(frozen=True)
class Call:
    """A call of a named function: `name` as written, without template arguments."""

    name: str
    span: Span
    name_span: Span
    arguments: tuple[Fragment, ...]


@dataclass(frozen=True)
class Operation:
    """A binary operation or a compound assignment: `a / b`, `a %= b`."""

    operator: str
    span: Span
    left: Fragment
    right: Fragment


@dataclass(frozen=True)
class Cast:
    """`(float)x`, `static_cast<float>(x)`, `float(x)`."""

    type: str
    span: Span
    operand: Fragment


@dataclass(frozen=True)
class LoopSource:
    """A `for`, `while` or `do` loop."""

    keyword: str
    span: Span
    body: Span
    initial: Fragment | None = None  #: of a `for`: `int i = 0`, without the semicolon
    condition: Fragment | None = None
    update: Fragment | None = None
    in_block: bool = False  #: it stands among statements in braces: a declaration may precede it
    #: what lies between it and a statement before or behind it: the end of a line, and its indent;
    #: "" where it is not alone on its lines
    line_start: str = ""
    block: Span | None = None  #: the braces among whose statements it stands
    leaves: bool = False  #: a turn may end early: `break`, `continue`, `return`, `goto`


@dataclass(frozen=True)
class Declaration:
    """A variable declared in a function: one declarator of its declaration."""

    name: str
    type: str  #: as written, without qualifiers
    qualifiers: frozenset[str]  #: `__shared__`, `const`, `volatile`, `extern`, …
    extents: tuple[Fragment, ...]  #: what stands between the brackets, outermost first
    span: Span  #: of the declarator, its initial value included
    name_span: Span
    type_span: Span


@dataclass(frozen=True)
class ParameterSource:
    """One parameter of a kernel or device function as written."""

    name: str
    type: str  #: `const float *__restrict__`
    span: Span
    name_span: Span | None
    pointer: bool
    const: bool  #: what it points to is const
    restrict: bool


@dataclass(frozen=True)
class FunctionSource:
    """A kernel or device function's definition."""

    name: str
    span: Span
    body: Span
    parameters: tuple[ParameterSource, ...]
    kernel: bool
    template: bool = False
    mentions: int = 0  #: how often its name stands in its file, comments left out
    types: frozenset[str] = frozenset()  #: the template's parameters that are types: `T`


@dataclass(frozen=True)
class RecordSource:
    """A structure's definition, of device or host code."""

    names: frozenset[str]  #: its tag, and what a `typedef` calls it
    span: Span  #: from its keyword to its closing brace
    keyword: Span  #: `struct`
    aligned: bool  #: it says how it is aligned
    words: frozenset[str]  #: the names in its braces
    type: str = ""  #: `float` or `double`, where all its fields are of that type
    fields: tuple[str, ...] = ()  #: their names then


@dataclass(frozen=True)
class MacroSource:
    """An object-like macro of the file itself, or a constant, and what it stands for."""

    name: str
    body: str
    span: Span  #: of the body
    parameters: tuple[str, ...] = ()  #: of a function-like macro


@dataclass(frozen=True)
class LaunchSource:
    """A launch as host code writes it."""

    callee: str  #: `k`, `ns::k<float, 4>`
    span: Span  #: from the kernel's name to the closing parenthesis
    callee_span: Span
    configuration: tuple[Fragment, ...]  #: grid, block, shared bytes, stream
    #: the extents, where each is written: in the launch, or in the `dim3` that it names; () where
    #: that is no one place
    grid: tuple[Fragment, ...]
    block: tuple[Fragment, ...]
    block_name: str = ""  #: the variable that holds the block; "" where it is written out
    arguments: tuple[Fragment, ...] = ()
    #: of a block that has no extents: the name of what its variable is, unless a call tells another
    or_told: str = ""
    #: where the block's numbers stand: the extents, or what a local number that is one is set to
    block_values: tuple[Span, ...] = ()


@dataclass(frozen=True)
class HostCopy:
    """`cudaMemcpy(array, source, size, cudaMemcpyHostToDevice);`, and all uses are in sight.

    The array is otherwise declared, allocated, freed and passed to kernels, in the same function.
    """

    array: str
    source: str
    size: str
    statement: Span
    made: tuple[Fragment, ...]  #: the statements that allocate it, among those of the function
    freed: tuple[Fragment, ...]
    inside: Span  #: the function's braces


@dataclass(frozen=True)
class PythonNumber:
    """A number in Python source, of 64 bits as Numba takes it, and what is computed with it."""

    text: str
    span: Span
    name: str  #: of the variable that starts with it; "" where it is an operand itself
    statements: tuple[Span, ...]  #: whose arithmetic it, or its variable, takes part in


@dataclass(frozen=True)
class Constructs:
    """All of one file's, in text order; of code on the device, but for launches and copies."""

    literals: tuple[Literal, ...] = ()
    calls: tuple[Call, ...] = ()
    operations: tuple[Operation, ...] = ()
    casts: tuple[Cast, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    functions: tuple[FunctionSource, ...] = ()
    macros: tuple[MacroSource, ...] = ()
    function_macros: tuple[MacroSource, ...] = ()
    constants: tuple[MacroSource, ...] = ()  #: `const int N = 16;` outside of functions
    #: variables in constant memory: each its name, and where its `__constant__` stands
    constant_memory: tuple[Fragment, ...] = ()
    records: tuple[RecordSource, ...] = ()
    names: tuple[Fragment, ...] = field(default=(), repr=False)  #: identifiers that are used
    subscripts: tuple[Fragment, ...] = field(default=(), repr=False)  #: `a[i + 1]`
    parts: tuple[Fragment, ...] = field(default=(), repr=False)  #: `a[i + 1].x`
    loops: tuple[LoopSource, ...] = ()
    launches: tuple[LaunchSource, ...] = ()
    copies: tuple[HostCopy, ...] = ()  #: of host code
    #: `threadIdx.x`, `blockDim.y`: a thread's place along the first two axes
    coordinates: tuple[Fragment, ...] = field(default=(), repr=False)
    #: expression statements, declarations, `return`s and conditions: what a line's code belongs to
    statements: tuple[StatementSource, ...] = field(default=(), repr=False)
    #: names whose value changes, where: assigned, counted up or down, or their address taken
    changes: tuple[Fragment, ...] = field(default=(), repr=False)
    numbers: tuple[PythonNumber, ...] = ()  #: all there is of a Python file

    def function_at(self, line: int, column: int = 1) -> FunctionSource | None:
        """The function that a place lies in."""
        at = (line, column)
        for each in self.functions:
            span = each.span
            if (span.line, span.column) <= at < (span.end_line, span.end_column):
                return each
        return None

    def statement_at(self, span: Span) -> StatementSource | None:
        """The smallest statement around a place."""
        smallest = self.statement_of(span)
        return next((s for s in within(self.statements, smallest) if s.span == smallest), None)

    def statement_of(self, span: Span) -> Span:
        """The smallest statement around a place; the place itself if there is none."""
        begins, spans = self._statements
        for index in reversed(range(bisect_right(begins, (span.line, span.column)))):
            if contains(spans[index], span):
                return spans[index]
        return span

    @cached_property
    def _statements(self) -> tuple[list[tuple[int, int]], list[Span]]:
        """Where statements begin, in order, and their spans; of equal ones the first is last."""
        spans = [statement.span for statement in reversed(self.statements)]
        spans.sort(key=lambda s: (s.line, s.column))
        return [(s.line, s.column) for s in spans], spans


def contains(outer: Span, inner: Span) -> bool:
    """Whether one stretch lies in another of the same file."""
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    return begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


class HasSpan(Protocol):
    """Anything that stands somewhere in the source."""

    @property
    def span(self) -> Span: ...


Item = TypeVar("Item", bound=HasSpan)


def within(items: Sequence[Item], span: Span) -> Iterator[Item]:
    """Those of some constructs, in text order, that lie inside a span."""
    end = span.end_line, span.end_column
    for index in range(bisect_left(items, (span.line, span.column), key=_begin), len(items)):
        if _begin(items[index]) > end:
            return
        if contains(span, items[index].span):
            yield items[index]


def _begin(item: HasSpan) -> tuple[int, int]:
    return item.span.line, item.span.column
