"""Where the source takes a reciprocal square root the long way: `1 / sqrt(x)`, `pow(x, -0.5)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from perflint.base.constructs import Call, Constructs, Operation, within
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.rules.protocol import Edit

_ROOTS = frozenset({"sqrt", "sqrtf", "std::sqrt", "::sqrt", "::sqrtf"})
_POWERS = frozenset({"pow", "powf", "std::pow", "::pow", "::powf"})
_ONE = pattern(r"1(\.0*)?[fF]?")
_MINUS_HALF = pattern(r"-0?\.50*[fF]?")


@dataclass(frozen=True)
class ReciprocalRoot:
    """A quotient by a square root, a root of a reciprocal, or a power of minus one half."""

    span: Span
    call: Call  #: of the root or power
    text: str  #: as written
    rest: tuple[Edit, ...]  #: what goes beside the function's name
    instead: str  #: what would do, `{0}` where the function's name stands

    def edits(self, name: str) -> tuple[Edit, ...]:
        """What makes it a call of a function that takes the reciprocal root."""
        return tuple(sorted((*self.rest, Edit(self.call.name_span, name)), key=lambda e: e.span))


def reciprocal_roots(constructs: Constructs, span: Span | None = None) -> Iterator[ReciprocalRoot]:
    """Those of a file, or of a part of it."""
    for operation in within(constructs.operations, span) if span else constructs.operations:
        call = _root(constructs, operation) if operation.operator in ("/", "/=") else None
        if call is not None:
            yield _quotient(operation, call)
    for call in within(constructs.calls, span) if span else constructs.calls:
        found = _of_reciprocal(constructs, call) if call.name in _ROOTS else _power(call)
        if found is not None:
            yield found


def _root(constructs: Constructs, operation: Operation) -> Call | None:
    """The square root that an operation divides by, perhaps in parentheses."""
    divisor = operation.right
    bare = divisor.text.lstrip("( ")
    before = len(divisor.text) - len(bare)
    for call in within(constructs.calls, divisor.span):
        here = call.span.line == divisor.span.line
        first = here and call.span.column == divisor.span.column + before
        behind = divisor.span.end_column - call.span.end_column
        last = call.span.end_line == divisor.span.end_line and behind <= before
        if call.name in _ROOTS and len(call.arguments) == 1 and first and last:
            return call
    return None


def _quotient(operation: Operation, call: Call) -> ReciprocalRoot:
    left, right, assigns = operation.left, operation.right, operation.operator == "/="
    lines = "\n" * (right.span.line - left.span.end_line)  # edits move no line
    inside = call.arguments[0].text
    text = f"{left.text} {operation.operator} {call.name}({inside})"
    if _ONE.fullmatch(left.text) and not assigns:
        gone = replace(operation.span, end_line=right.span.line, end_column=right.span.column)
        return ReciprocalRoot(operation.span, call, text, (Edit(gone, lines),), f"{{0}}({inside})")
    sign = "*=" if assigns else "*"
    between = Span(
        left.span.path, left.span.end_line, left.span.end_column, right.span.line, right.span.column
    )
    instead = f"{left.text} {sign} {{0}}({inside})"
    return ReciprocalRoot(operation.span, call, text, (Edit(between, f" {sign} {lines}"),), instead)


def _of_reciprocal(constructs: Constructs, call: Call) -> ReciprocalRoot | None:
    """`sqrt(1 / x)`."""
    if len(call.arguments) != 1:
        return None
    whole = call.arguments[0]
    for each in within(constructs.operations, whole.span):
        if each.span == whole.span and each.operator == "/" and _ONE.fullmatch(each.left.text):
            right = each.right
            gone = replace(whole.span, end_line=right.span.line, end_column=right.span.column)
            edit = Edit(gone, "\n" * (right.span.line - whole.span.line))
            text = f"{call.name}({whole.text})"
            return ReciprocalRoot(call.span, call, text, (edit,), f"{{0}}({right.text})")
    return None


def _power(call: Call) -> ReciprocalRoot | None:
    """`pow(x, -0.5)`."""
    if call.name not in _POWERS or len(call.arguments) != 2:
        return None
    base, exponent = call.arguments
    if not _MINUS_HALF.fullmatch(exponent.text.strip("() ")):
        return None
    gone = replace(exponent.span, line=base.span.end_line, column=base.span.end_column)
    edit = Edit(gone, "\n" * (exponent.span.end_line - base.span.end_line))
    text = f"{call.name}({base.text}, {exponent.text})"
    return ReciprocalRoot(call.span, call, text, (edit,), f"{{0}}({base.text})")
