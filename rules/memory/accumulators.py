"""Edits that keep an element of an array in a register while a loop runs.

One that the loop accumulates in, `c[i] += …`, is stored behind it; one that it only reads is loaded
before it. Only the plain shape: a `for` among other statements, an index of names and numbers that
the loop leaves alone, and every use of the array in the loop written alike. All else is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from perflint.base.constructs import (
    Constructs,
    FunctionSource,
    LoopSource,
    Operation,
    contains,
    within,
)
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.rules.protocol import Edit

_INDEX = pattern(r"\w+ ?\[[\w\s.+\-*/%()]+\]")
_POINTER = pattern(r"(?P<type>[\w:\s]+?)\s*\*\s*(?:__restrict__|__restrict|restrict)?\s*")
_COMPOUND = ("+=", "-=", "*=", "/=", "|=", "&=", "^=")
_JUMPS = ("return", "goto")
_NAMES = ("sum", "total", "value")

Edits = tuple[Edit, ...]


def register_edits(
    constructs: Constructs, function: FunctionSource, array: str, at: Span
) -> tuple[Edits, bool]:
    """The edits that keep `array`'s element at a place of a loop in a register; none if they are
    more than that. And whether the element is accessed before the loop in any case.
    """
    target = next((s.text for s in within(constructs.subscripts, at) if _is_of(s.text, array)), "")
    element = _element_type(function, array)
    loop = _loop(constructs, target, array, at) if _INDEX.fullmatch(target) else None
    if loop is None or not element:
        return (), False
    if not _is_set(constructs, target, loop):
        return _loaded_before(constructs, function, array, target, loop, element)
    if not _accumulates(constructs, target, loop) or _is_const(function, array):
        return (), False
    name = _new_name(constructs, function, array, loop)
    uses = [s.span for s in within(constructs.subscripts, loop.span) if s.text == target]
    if not name or not uses:
        return (), False
    start, end = loop.span, loop.span
    inside = [Edit(use, name) for use in uses]
    behind = Edit(
        Span(end.path, end.end_line, end.end_column, end.end_line, end.end_column),
        f"{loop.line_start}{target} = {name};",
    )
    first = _initial(constructs, target, array, loop)
    if first is not None:
        declared = Edit(first.left.span, f"{element} {name}")
    else:
        declared = Edit(
            Span(start.path, start.line, start.column, start.line, start.column),
            f"{element} {name} = {target};{loop.line_start}",
        )
    touched = first is not None or _is_touched(constructs, target, loop)
    return (declared, *inside, behind), touched


def _is_of(text: str, array: str) -> bool:
    return text.split("[")[0].strip() == array


def _element_type(function: FunctionSource, array: str) -> str:
    """The type of a pointer parameter's elements; "" where it is more than a name."""
    for parameter in function.parameters:
        found = _POINTER.fullmatch(parameter.type)
        if parameter.name == array and found:
            return found["type"].replace("const", "").strip()
    return ""


def _is_const(function: FunctionSource, array: str) -> bool:
    return any(p.name == array and p.const for p in function.parameters)


def _is_set(constructs: Constructs, target: str, loop: LoopSource) -> bool:
    """Whether a loop gives an element another value."""
    assigned = (o.left.text for o in within(constructs.operations, loop.span) if _sets(o))
    changed = (c for c in within(constructs.changes, loop.span))
    counted = any(c.text == _array_of(target) for c in changed)
    return counted or target in assigned


def _sets(operation: Operation) -> bool:
    return operation.operator in (*_COMPOUND, "=")


def _loaded_before(
    constructs: Constructs,
    function: FunctionSource,
    array: str,
    target: str,
    loop: LoopSource,
    element: str,
) -> tuple[Edits, bool]:
    """The edits that load an element before the loop that reads it; and whether it is read, or
    set, before that in any case.
    """
    name = _value_name(constructs, function, array, loop)
    uses = [s.span for s in within(constructs.subscripts, loop.span) if s.text == target]
    if not name or not uses:
        return (), False
    start = loop.span
    declared = Edit(
        Span(start.path, start.line, start.column, start.line, start.column),
        f"const {element} {name} = {target};{loop.line_start}",
    )
    here = (start.line, start.column)
    touched = any(
        s.text == target
        and (s.span.end_line, s.span.end_column) <= here
        and (found := constructs.statement_at(s.span)) is not None
        and found.block == loop.block
        for s in within(constructs.subscripts, function.body)
    )
    return (declared, *(Edit(use, name) for use in uses)), touched


def _value_name(
    constructs: Constructs, function: FunctionSource, array: str, loop: LoopSource
) -> str:
    """A name for what a loop reads of an array, if nothing in the file has it; or "".

    Each loop of a function that reads the array has its own: several may be edited at once.
    """
    loops = [
        each.span
        for each in within(constructs.loops, function.span)
        if any(n.text == array for n in within(constructs.names, each.span))
    ]
    number = "" if len(loops) < 2 else str(loops.index(loop.span) + 1)
    wanted = f"{array}_value{number}"
    return "" if wanted in _known(constructs) else wanted


def _known(constructs: Constructs) -> set[str]:
    known = {n.text for n in constructs.names} | {d.name for d in constructs.declarations}
    known |= {p.name for f in constructs.functions for p in f.parameters}
    return known | {m.name for m in constructs.macros}


def _loop(constructs: Constructs, target: str, array: str, at: Span) -> LoopSource | None:
    """The outermost loop around a place that leaves the element alone but for its value."""
    around = [loop for loop in constructs.loops if contains(loop.span, at)]
    found = None
    for loop in sorted(around, key=lambda e: (e.span.line, e.span.column), reverse=True):
        if not _is_plain(constructs, target, array, loop):
            break
        found = loop
    return found


def _is_plain(constructs: Constructs, target: str, array: str, loop: LoopSource) -> bool:
    """Whether a loop always comes to its end, and uses an array only by one unchanged element."""
    if loop.keyword != "for" or not loop.in_block or not loop.line_start:
        return False
    uses = [s.span for s in within(constructs.subscripts, loop.span) if s.text == target]
    starts = {(use.line, use.column) for use in uses}
    names = [n for n in within(constructs.names, loop.span) if n.text == array]
    changed = {c.text for c in within(constructs.changes, loop.span)}
    others = any((n.span.line, n.span.column) not in starts for n in names)
    if others and (array in changed or _is_passed(constructs, array, loop)):
        return False  # other elements may only be read
    declared = {d.name for d in within(constructs.declarations, loop.span)}
    index = set(re.findall(r"[A-Za-z_]\w*", target)) - {array}
    calls = any(c for use in uses for c in within(constructs.calls, use))
    taken = re.compile(rf"&\s*{re.escape(target)}")
    statements = [s.text for s in within(constructs.statements, loop.span)]
    jumps = any(text.startswith(_JUMPS) or taken.search(text) for text in statements)
    return not (jumps or calls or index & (changed | declared) or array in declared)


def _is_passed(constructs: Constructs, array: str, loop: LoopSource) -> bool:
    """Whether a loop does more with an array than read its elements."""
    elements = [s.span for s in within(constructs.subscripts, loop.span) if _is_of(s.text, array)]
    starts = {(span.line, span.column) for span in elements}
    names = (n.span for n in within(constructs.names, loop.span) if n.text == array)
    return any((span.line, span.column) not in starts for span in names)


def _accumulates(constructs: Constructs, target: str, loop: LoopSource) -> bool:
    """Whether each turn makes the element's new value of the old one."""
    return any(
        o.left.text == target and (o.operator in _COMPOUND or target in o.right.text)
        for o in within(constructs.operations, loop.span)
        if o.operator in (*_COMPOUND, "=")
    )


def _new_name(
    constructs: Constructs, function: FunctionSource, array: str, loop: LoopSource
) -> str:
    """A name for the value that nothing in the file has, and no other such loop gets; or ""."""
    known = _known(constructs)
    changed = [
        (o, _array_of(o.left.text))
        for each in constructs.loops
        if contains(function.span, each.span)
        for o in within(constructs.operations, each.span)
        if o.operator in (*_COMPOUND, "=") and "[" in o.left.text
    ]
    if any(name == array and not contains(loop.span, o.span) for o, name in changed):
        return ""  # another loop would declare the same name
    alone = {name for _, name in changed} == {array}
    wanted = _NAMES if alone else (f"{array}_sum", f"{array}_value")
    return next((name for name in wanted if name not in known), "")


def _array_of(text: str) -> str:
    return text.split("[")[0].strip()


def _initial(constructs: Constructs, target: str, array: str, loop: LoopSource) -> Operation | None:
    """`c[i] = 0;` before a loop, with nothing but declarations between them."""
    for operation in _before(constructs, loop):
        span = operation.span
        statement = constructs.statement_at(span)
        if operation.operator != "=" or operation.left.text != target or statement is None:
            continue
        value = operation.right.text  # of `a[i] = b[i] = 0`, only a part could go
        if statement.block != loop.block or array in value or "=" in value:
            continue
        between = Span(span.path, span.end_line, span.end_column, loop.span.line, loop.span.column)
        others = list(within(constructs.statements, between))
        declarations = {d.span for s in others for d in within(constructs.declarations, s.span)}
        used = any(n.text == array for n in within(constructs.names, between))
        if (
            len(declarations) >= len(others)
            and not used
            and statement.text == f"{operation.left.text} = {operation.right.text};"
        ):
            return operation
    return None


def _is_touched(constructs: Constructs, target: str, loop: LoopSource) -> bool:
    """Whether a statement beside the loop, before it, changes the element: its address is valid."""
    return any(
        o.left.text == target
        and o.operator in (*_COMPOUND, "=")
        and (found := constructs.statement_at(o.span)) is not None
        and found.block == loop.block
        for o in _before(constructs, loop)
    )


def _before(constructs: Constructs, loop: LoopSource) -> Iterator[Operation]:
    """Operations that stand before a loop, the nearest ones first."""
    here = (loop.span.line, loop.span.column)
    for operation in reversed(constructs.operations):
        if (operation.span.end_line, operation.span.end_column) <= here:
            yield operation
