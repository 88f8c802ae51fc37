"""Edits that put `__syncwarp()` between the accesses by which lanes of a warp hand data on.

Before each load that may find what another lane stored; and where a statement loads and stores,
`part[t] += part[t + 16]`, between its two halves as well: no lane may store before all have loaded.
The compiler may give all statements of a line the place of the first: what is true of one is taken
to be true of those beside it that assign to an element, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from perflint.base.constructs import (
    Constructs,
    Operation,
    StatementSource,
    contains,
    within,
)
from perflint.base.span import Span
from perflint.rules.control.warp_order import Pair
from perflint.rules.protocol import Edit, Kernel

BARRIER = "__syncwarp();"
_ASSIGNS = ("=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "<<=", ">>=")
_NAME = "passed"


def barrier_edits(kernel: Kernel, pairs: Collection[Pair]) -> tuple[Edit, ...]:
    """The edits for some loads and the stores before them; none where a statement is not plain."""
    loads = _places(kernel, {load for load, _ in pairs})
    stores = _places(kernel, {store for _, store in pairs})
    shared = [s for s in kernel.facts.sites if s.kind == "store" and s.space == "shared"]
    storing = _places(kernel, {pc for site in shared for pc in site.pcs}) | stores
    files = {span.path for span in {*loads, *stores} if span is not None}
    if None in loads or len(files) != 1:
        return ()
    constructs = kernel.constructs(str(files.pop()))
    if constructs is None or any(n.text == _NAME for n in constructs.names):
        return ()
    found: list[Edit] = []
    first = min((s.line, s.column) for s in loads if s is not None)
    for span in sorted(s for s in loads | stores if s is not None):
        # a line of several statements is one place: its first is found, and those beside it
        begin = replace(span, end_line=span.line, end_column=span.column + 1)
        statement = constructs.statement_at(span) or constructs.statement_at(begin)
        if statement is None:
            return ()
        late = (span.line, span.column) >= first or _turns_with(constructs, span, loads)
        if span not in loads and not late:
            continue
        splits = span in loads and span in storing
        for each in (statement, *(_beside(constructs, statement) if splits else ())):
            edits = tuple(_edits(constructs, each, splits=splits))
            if not edits:
                return ()
            found.extend(edits)
    return tuple(dict.fromkeys(found))


def _beside(constructs: Constructs, statement: StatementSource) -> Iterator[StatementSource]:
    """The statements behind one on its line, of the same block, that assign to an element."""
    at = statement.span
    for each in constructs.statements:
        behind = each.span.line == at.line and each.span.column >= at.end_column
        if behind and each.block is not None and each.block == statement.block:
            assigned = _assignment(constructs, each)
            if assigned is not None and "[" in assigned.left.text:
                yield each


def _places(kernel: Kernel, pcs: Collection[int]) -> set[Span | None]:
    """The statements of some instructions in the user's own files."""
    instructions = kernel.facts.kernel.instructions
    return {kernel.statement(instructions[pc].location) for pc in pcs}


def _turns_with(constructs: Constructs, span: Span, loads: Collection[Span | None]) -> bool:
    """Whether a loop around a store has one of the loads in it: they alternate."""
    around = (loop.span for loop in constructs.loops if contains(loop.span, span))
    return any(load is not None and contains(loop, load) for loop in around for load in loads)


def _edits(constructs: Constructs, statement: StatementSource, *, splits: bool) -> Iterator[Edit]:
    """A barrier before a statement, and one between its halves if it `splits`."""
    at = statement.span
    if not splits:
        if statement.block is not None:
            yield Edit(replace(at, end_line=at.line, end_column=at.column), f"{BARRIER} ")
        return
    assigned = _assignment(constructs, statement)
    if assigned is None:
        return
    target, operator = assigned.left.text, assigned.operator
    value = assigned.right.text
    if operator != "=":
        value = f"{target} {operator[:-1]} ({value})"
    text = f"{BARRIER} const auto {_NAME} = {value}; {BARRIER} {target} = {_NAME};"
    yield Edit(at, f"{{ {text} }}")


def _assignment(constructs: Constructs, statement: StatementSource) -> Operation | None:
    """The one assignment that a statement is; None where it changes more, or is no such."""
    at = statement.span
    changes = list(within(constructs.changes, at))
    for each in within(constructs.operations, at):
        whole = (each.span.line, each.span.column) == (at.line, at.column)
        if whole and each.operator in _ASSIGNS and len(changes) == 1:
            return each
    return None
