"""Kernels that do no more than copy, each thread its elements: read from the source's text."""

from __future__ import annotations

import re
from dataclasses import replace

from perflint.base.constructs import (
    Constructs,
    Declaration,
    Fragment,
    FunctionSource,
    LoopSource,
    StatementSource,
    contains,
    within,
)
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.span import Span

#: Words, but for members.
WORD = pattern(r"(?<![.\w])[A-Za-z_]\w*")
#: Of a thread's own: what its counterpart has others of.
OWN = "threadIdx"
_COMPARED = pattern(r"\(?([\w.\s+*-]+?)\s*(>=|<=|>|<)\s*([\w.\s+*-]+?)\)?")
_COUNTED = pattern(r"(?:[\w\s]+\s)?(\w+)\s*=\s*0")
_NOT = {">=": "<", "<=": ">", ">": "<=", "<": ">="}


@dataclass(frozen=True)
class Copy:
    """What a kernel is: indices, a guard, a store."""

    variables: tuple[tuple[Declaration, str], ...]  #: each with what it starts as
    outer: int  #: how many of these stand before the guard
    guard: str  #: what holds where something is stored, in brackets; "" where nothing is asked
    leaving: Span | None  #: from the condition to the `return` of those that store nothing
    store: StatementSource
    target: Fragment
    last: StatementSource  #: the last of the indices before the guard
    loop: LoopSource | None  #: in which a thread stores several, of other rows
    unused: tuple[StatementSource, ...]  #: indices behind the guard that only the store asks for


def copying(constructs: Constructs, function: FunctionSource) -> Copy | None:
    """A kernel's parts; None where there are others."""
    loops = [*within(constructs.loops, function.body)]
    loop = loops[0] if loops else None
    statements = [
        each
        for each in within(constructs.statements, function.body)
        if loop is None or not contains(loop.span, each.span) or contains(loop.body, each.span)
    ]
    calls = [each for each in within(constructs.calls, function.body) if each.name != "__ldg"]
    changes = [each.text for each in within(constructs.changes, function.body)]
    if loop is not None:
        changes = [each for each in changes if each != counter(loop)]
    if len(loops) > 1 or calls or len(changes) != 1 or not statements:
        return None
    *before, store = statements
    stored = [o for o in within(constructs.operations, store.span) if o.operator == "="]
    target = stored[0].left if len(stored) == 1 else None
    inside = [loop is not None and contains(loop.span, each.span) for each in before]
    at = next((n for n, s in enumerate(before) if s.block is None or inside[n]), len(before))
    if loop is not None and not (counter(loop) and contains(loop.body, store.span)):
        return None
    if target is None or not at or not _starts_with(store, target, changes[0]):
        return None
    head, rest = before[:at], before[at:]
    guard, leaving = "", None
    if rest:
        condition, *rest = rest
        guard = condition.text.strip()
        if rest and rest[0].text.startswith("return") and loop is None:
            guard = _opposite(guard)
            leaving = replace(
                condition.span,
                end_line=rest[0].span.end_line,
                end_column=rest[0].span.end_column,
            )
            rest = rest[1:]
        if not guard.startswith("(") or (leaving and store.block != function.body):
            return None
    variables = [_variables(constructs, each) for each in (*head, *rest)]
    if None in variables or any(each.block != store.block for each in rest):
        return None
    if loop is None and not guard and store.block != function.body:
        return None
    if loop is not None and (rest or any(s.block != function.body for s in head)):
        return None
    flat = tuple(pair for each in variables for pair in each or ())
    outer = sum(len(each or ()) for each in variables[: len(head)])
    value = WORD.findall(store.text[len(target.text) :])
    unused = tuple(
        each
        for each, its in zip(rest, variables[len(head) :], strict=True)
        if len(its or ()) == 1
        and its is not None
        and its[0][0].name not in value
        and not any(its[0][0].name in WORD.findall(text) for _, text in flat)
    )
    return Copy(flat, outer, guard, leaving, store, target, head[-1], loop, unused)


def counter(loop: LoopSource) -> str:
    """What a loop counts from nought; "" where it is another one."""
    counts = _COUNTED.fullmatch(loop.initial.text if loop.initial is not None else "")
    plain = counts is not None and loop.condition is not None and loop.update is not None
    return counts[1] if counts is not None and plain else ""


def _starts_with(store: StatementSource, target: Fragment, array: str) -> bool:
    """Whether a statement is a plain store to an array that it does not read."""
    begins = (store.span.line, store.span.column) == (target.span.line, target.span.column)
    used = WORD.findall(store.text).count(array)
    own = OWN in store.text
    return begins and used == 1 and target.text.startswith(f"{array}[") and not own


def _variables(
    constructs: Constructs, statement: StatementSource
) -> list[tuple[Declaration, str]] | None:
    """The variables of a declaration and what they start as; None for another statement."""
    found = [*within(constructs.declarations, statement.span)]
    out = []
    for each in found:
        plain = each.qualifiers <= {"const"} and not each.extents
        starts = re.search(rf"\b{each.name}\s*=\s*(.+)", _text_of(statement, each), re.DOTALL)
        if not plain or starts is None:
            return None
        out.append((each, starts[1].strip()))
    return out or None


def _text_of(statement: StatementSource, variable: Declaration) -> str:
    """A declarator as written; it stands on one line of a statement."""
    lines = statement.text.split("\n")
    line = variable.span.line - statement.span.line
    offset = statement.span.column - 1 if not line else 0
    if variable.span.end_line != variable.span.line or line >= len(lines):
        return ""
    return lines[line][variable.span.column - 1 - offset : variable.span.end_column - 1 - offset]


def _opposite(condition: str) -> str:
    """What holds where `a >= b || c >= d` does not; "" where that is not as plain."""
    parts = [part.strip() for part in condition.strip()[1:-1].split("||")]
    found = [_COMPARED.fullmatch(part) for part in parts]
    plain = [f"{each[1]} {_NOT[each[2]]} {each[3]}" for each in found if each is not None]
    return f"({' && '.join(plain)})" if len(plain) == len(parts) else ""
