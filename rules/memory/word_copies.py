"""The edits that let a block copy structures to shared memory word by word.

`while (i < n) { tile[i] = bodies[i]; i += step; }` moves a structure a thread, field by field: each
request takes one field of every structure. As plain words, neighbouring threads neighbouring words,
the same bytes are moved in packed requests, and without conflicts of banks. Only where a barrier
follows before the tile is used: another thread copies what a thread's own structure has.
"""

from __future__ import annotations

import re
from dataclasses import replace

from perflint.analysis.model import AccessSite
from perflint.base.constructs import (
    Constructs,
    FunctionSource,
    LoopSource,
    StatementSource,
    contains,
    within,
)
from perflint.base.patterns import pattern
from perflint.rules.protocol import Edit, Kernel

NAME = "word"
_COPY = pattern(
    r"(?P<to>\w+)\s*\[\s*(?P<index>\w+)\s*\]\s*=\s*(?P<of>\w+)\s*\[\s*(?P=index)\s*\]\s*;"
)
_BELOW = pattern(r"(?P<index>\w+)\s*<\s*(?P<bound>\w+)")
_STEP = pattern(r"(?P<index>\w+)\s*(?:\+=|=\s*(?P=index)\s*\+)\s*(?P<step>[\w.]+)\s*;?")
_FIRST = pattern(r"(?:[\w\s]+?\s)?(?P<index>\w+)\s*=\s*(?P<first>[\w.]+)")
_BARRIER = pattern(r"\b__syncthreads\b|\bsync\b")
_POINTER = pattern(r"(?:const\s+)?(\w+)\s*\*.*")
#: What is moved as words, by their size.
_WORDS = {4: "int", 8: "long long"}


def word_copies(kernel: Kernel, site: AccessSite) -> tuple[Edit, ...]:
    """The edits of a loop that copies whole structures; none where it is more than that."""
    constructs, function, written = kernel.own_constructs, kernel.function, kernel.accesses(site)
    if constructs is None or function is None or site.kind != "load" or not written:
        return ()
    statement = constructs.statement_at(written[0].span)
    copy = _COPY.fullmatch(statement.text) if statement is not None else None
    around = [each for each in within(constructs.loops, function.body)
              if statement is not None and contains(each.body, statement.span)]  # fmt: skip
    loop = max(around, key=lambda each: (each.span.line, each.span.column), default=None)
    if statement is None or copy is None or loop is None or loop.leaves or not loop.in_block:
        return ()
    if statement.block != loop.body or statement.lines is None or site.size not in _WORDS:
        return ()
    turns = _turns(constructs, loop, copy["index"])
    kind = _structure(constructs, function, copy["to"], copy["of"])
    names = {name.text for name in within(constructs.names, function.span)}
    if turns is None or not kind or NAME in names:
        return ()
    if not _waits(constructs, function, loop, copy["to"]):
        return ()
    first, bound, step = turns
    words, line = _WORDS[site.size], loop.line_start or "\n"
    text = (
        f"for (int {NAME} = {first}; {NAME} < {bound} * int(sizeof({kind}) / sizeof({words}));"
        f" {NAME} += {step}){line}    reinterpret_cast<{words} *>({copy['to']})[{NAME}] ="
        f" reinterpret_cast<const {words} *>({copy['of']})[{NAME}];{line}"
    )
    at = replace(loop.span, end_line=loop.span.line, end_column=loop.span.column)
    return Edit(at, text), Edit(statement.lines, "")


def _turns(constructs: Constructs, loop: LoopSource, index: str) -> tuple[str, str, str] | None:
    """Where a loop begins to count, how far and by how much; None for another loop."""
    inside = [*within(constructs.statements, loop.body)]
    last: StatementSource | None = max(
        inside, key=lambda each: (each.span.line, each.span.column), default=None
    )
    counts = loop.update if loop.keyword == "for" else last
    below = _BELOW.fullmatch(loop.condition.text.strip("() ")) if loop.condition else None
    step = _STEP.fullmatch(counts.text) if counts is not None else None
    if below is None or step is None or {below["index"], step["index"]} != {index}:
        return None
    changes = [c for c in within(constructs.changes, loop.body) if c.text in (index, step["step"])]
    if len(changes) != (loop.keyword == "while"):
        return None
    if loop.keyword == "while" or loop.initial is None:
        return (index, below["bound"], step["step"]) if loop.keyword == "while" else None
    begins = _FIRST.fullmatch(loop.initial.text)
    known = begins is not None and begins["index"] == index
    return (begins["first"], below["bound"], step["step"]) if begins and known else None


def _structure(constructs: Constructs, function: FunctionSource, to: str, of: str) -> str:
    """The type of both arrays, where one is in shared memory and the other is a pointer."""
    local = [*within(constructs.declarations, function.body)]
    tiles = [d.type for d in local if d.name == to and "__shared__" in d.qualifiers and d.extents]
    pointers = [p.type for p in function.parameters if p.name == of]
    pointers += [d.type for d in local if d.name == of and not d.extents]
    if len(tiles) != 1 or len(pointers) != 1:
        return ""
    found = _POINTER.fullmatch(pointers[0])
    kind = found[1] if found is not None else re.sub(r"\bconst\b", "", pointers[0]).strip()
    return kind if kind == tiles[0] else ""


def _waits(constructs: Constructs, function: FunctionSource, loop: LoopSource, tile: str) -> bool:
    """Whether a barrier stands between a loop and what next uses a tile."""
    end = loop.span.end_line, loop.span.end_column
    used = [n.span for n in within(constructs.names, function.body) if n.text == tile]
    behind = [(s.line, s.column) for s in used if (s.line, s.column) >= end]
    calls = [c for c in within(constructs.calls, function.body) if _BARRIER.search(c.name)]
    barriers = [(c.span.line, c.span.column) for c in calls]
    return any(end <= at < min(behind, default=at) for at in barriers)
