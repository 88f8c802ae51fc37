"""The edit that lets consecutive threads do what the first ones of each row of a block did.

`if (4 * threadIdx.x < SIDE)` in a block of several rows leaves most lanes of every warp out.
Counted through the whole block, as many threads fill whole warps: each has another row and column,
and does the same there. Only a body that goes by its row and that column alone, and waits for
nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from perflint.base.constructs import (
    Constructs,
    Fragment,
    FunctionSource,
    StatementSource,
    contains,
    within,
)
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.rules.control.sequential_threads import braces_behind, of_a_thread
from perflint.rules.protocol import Edit, Kernel

FLAT = "threadIdx.y * blockDim.x + threadIdx.x"
_NEW = ("flat", "row", "column")
_BELOW = pattern(r"(?P<column>threadIdx\.x|\w+)\s*<\s*(?P<bound>\w+)")
_PLACE = pattern(r"threadIdx\.x|(?:threadIdx\.x\s*\*\s*(\d+))|(?:(\d+)\s*\*\s*threadIdx\.x)")
_WAITS = pattern(r"\b(__sync\w*|sync|wait\w*|arrive\w*)\b|_sync\b")
_WORD = pattern(r"(?<![.\w])[A-Za-z_]\w*(?:\.[xyz]\b)?")


def packed_rows(kernel: Kernel, span: Span | None) -> tuple[Edit, ...]:
    """The edits of the branch at a place; none where it is another one."""
    constructs = kernel.constructs(str(span.path)) if span is not None else None
    function = constructs.function_at(span.line, span.column) if span and constructs else None
    if span is None or constructs is None or function is None:
        return ()
    statements = [*within(constructs.statements, function.body)]
    here = [s for s in statements if s.block is None and contains(span, s.span)]
    body = braces_behind(statements, here[0]) if len(here) == 1 else None
    names = {name.text for name in within(constructs.names, function.span)}
    if body is None or "||" in here[0].text or not names.isdisjoint(_NEW):
        return ()
    parts = [part.strip() for part in here[0].text.strip()[1:-1].split("&&")]
    asked = [found for part in parts if (found := _BELOW.fullmatch(part)) is not None]
    places = {
        found: place
        for found in asked
        if (place := _place(constructs, function, found["column"])) is not None
    }
    if len(places) != 1:
        return ()
    [(found, factor)] = places.items()
    rest = [part for part in parts if part != found[0]]
    own = of_a_thread(constructs, function)
    outside = {word for part in (*rest, found["bound"]) for word in _WORD.findall(part)}
    if not outside.isdisjoint(own) or any("threadIdx" in part for part in rest):
        return ()
    if not _goes_by(constructs, statements, body, own, found["column"]):
        return ()
    count = found["bound"] if factor == 1 else f"(({found['bound']} + {factor - 1}) / {factor})"
    condition = " && ".join((*rest, f"({FLAT}) / {count} < blockDim.y"))
    return (
        Edit(here[0].span, f"({condition})"),
        *_inside(constructs, body, found["column"], factor, count),
    )


def _place(constructs: Constructs, function: FunctionSource, name: str) -> int | None:
    """By how much a thread's column is multiplied in a variable that keeps it; else None."""
    if name == "threadIdx.x":
        return 1
    if any(c.text == name for c in within(constructs.changes, function.body)):
        return None
    declared = [d for d in within(constructs.declarations, function.body) if d.name == name]
    statement = constructs.statement_at(declared[0].span) if len(declared) == 1 else None
    written = re.search(rf"\b{name}\s*=\s*([^,;]+)[,;]", statement.text if statement else "")
    place = _PLACE.fullmatch(written[1].strip()) if written is not None else None
    return int(place[1] or place[2] or 1) if place is not None else None


def _goes_by(
    constructs: Constructs,
    statements: list[StatementSource],
    body: Span,
    own: set[str],
    column: str,
) -> bool:
    """Whether what is done hangs on a thread's row and column alone, and no thread waits in it."""
    inside = [each for each in statements if contains(body, each.span)]
    if any(each.text.startswith(("return", "break", "continue")) for each in inside):
        return False
    if any(_WAITS.search(call.name) for call in within(constructs.calls, body)):
        return False
    local = {d.name for d in within(constructs.declarations, body)}
    used = {word for each in inside for word in _WORD.findall(each.text)}
    changed = {c.text for c in within(constructs.changes, body)}
    arrays = {s.text.partition("[")[0].strip() for s in within(constructs.subscripts, body)}
    if not changed <= local | arrays:
        return False
    allowed = {column, "threadIdx.y"}
    return not used & (own | {"threadIdx.x", "threadIdx.z"}) - local - allowed


def _inside(
    constructs: Constructs, body: Span, column: str, factor: int, count: str
) -> Iterator[Edit]:
    """The row and the column of a thread that is counted through the block, and their uses."""
    first = next(iter(within(constructs.statements, body)))
    indent = " " * (first.span.column - 1)
    of_rows = f"flat % {count}" if factor == 1 else f"{factor} * (flat % {count})"
    at = replace(body, column=body.column + 1, end_line=body.line, end_column=body.column + 1)
    yield Edit(
        at,
        f"\n{indent}const int flat = {FLAT};"
        f"\n{indent}const int row = flat / {count}, column = {of_rows};",
    )
    found: list[Fragment] = [*within(constructs.coordinates, body)]
    found += [name for name in within(constructs.names, body) if name.text == column]
    for each in found:
        if each.text in (column, "threadIdx.y"):
            yield Edit(each.span, "column" if each.text == column else "row")
