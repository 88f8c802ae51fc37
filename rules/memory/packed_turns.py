"""Edits that let a thread write neighbouring small elements as one word, in a loop of one a turn.

`for (int i = first; i < n; i += step) out[i] = …` takes four neighbouring `i` a turn. Its body
stays as it is, but for the element that it writes: that goes into a word which the turn stores.
Only the plain shape: a `for` with a bound and a step, one store to `out[i]`, no way out of it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from perflint.analysis.model import AccessSite
from perflint.base.constructs import (
    Constructs,
    Fragment,
    FunctionSource,
    LoopSource,
    contains,
    within,
)
from perflint.base.records import dataclass
from perflint.rules.access_shapes import WORD
from perflint.rules.protocol import Edit, Kernel

_BELOW = re.compile(r"(?P<index>\w+)\s*<\s*(?P<bound>[^<>&|=?]+)")
_STEP = re.compile(r"(?P<index>\w+)\s*\+=\s*(?P<step>.+)")
_FIRST = re.compile(r"(?:(?P<type>[\w\s]+?)\s+)?(?P<index>\w+)\s*=\s*(?P<first>[^,;]+)")
#: What needs the whole block, or a warp, in a turn.
_WAITS = re.compile(r"\b(__sync\w*|sync)\b|_sync\b")
_PLAIN = re.compile(r"[\w.]+")
_POINTER = re.compile(r"(?P<type>[\w:\s]+?)\s*\*\s*(?:__restrict__|__restrict|restrict)?\s*")
_NEW = ("turn", "word", "part")


@dataclass(frozen=True)
class _Head:
    """What a loop counts."""

    index: str
    type: str
    first: str
    bound: str
    step: str


def packed_turns(kernel: Kernel, site: AccessSite) -> tuple[Edit, ...]:
    """The edits; none where the loop is more than that."""
    function = kernel.function
    at = kernel.statement(kernel.facts.kernel.instructions[site.pcs[0]].location)
    constructs = kernel.constructs(str(at.path)) if at is not None else None
    if function is None or at is None or constructs is None or site.kind != "store":
        return ()
    written = [o.left for o in within(constructs.operations, at) if o.operator == "="]
    if len(written) != 1 or constructs.function_at(at.line, at.column) != function:
        return ()
    [store] = written
    around = [loop for loop in constructs.loops if contains(loop.body, store.span)]
    loop = max(around, key=lambda each: (each.span.line, each.span.column), default=None)
    head = _head(constructs, function, loop) if loop is not None else None
    if loop is None or head is None:
        return ()
    target = re.fullmatch(rf"(\w+)\s*\[\s*{head.index}\s*\]", store.text)
    kind = _element(constructs, function, target[1]) if target is not None else ""
    if target is None or not kind or not _is_plain(constructs, function, loop, head, target[1]):
        return ()
    return _edits(loop, head, store, target[1], kind, WORD // site.size)


def _head(constructs: Constructs, function: FunctionSource, loop: LoopSource) -> _Head | None:
    """What a loop counts up, from where, how far and by how much; None for another loop."""
    if loop.keyword != "for" or loop.condition is None or loop.update is None:
        return None
    below = _BELOW.fullmatch(loop.condition.text)
    step = _STEP.fullmatch(loop.update.text)
    if below is None or step is None or below["index"] != step["index"]:
        return None
    index, first, kind = below["index"], below["index"], ""
    if loop.initial is not None and loop.initial.text:
        begins = _FIRST.fullmatch(loop.initial.text)
        if begins is None or begins["index"] != index:
            return None
        first, kind = begins["first"], begins["type"] or ""
    if not kind:
        named = [d for d in within(constructs.declarations, function.span) if d.name == index]
        if len(named) != 1 or _is_used_behind(constructs, function, loop, index):
            return None
        kind = named[0].type
    return _Head(index, kind, first, below["bound"].strip(), step["step"].strip())


def _is_used_behind(
    constructs: Constructs, function: FunctionSource, loop: LoopSource, name: str
) -> bool:
    """Whether a variable is mentioned after a loop, which leaves another value in it."""
    end = loop.span.end_line, loop.span.end_column
    names = within(constructs.names, function.body)
    return any(n.text == name and (n.span.line, n.span.column) >= end for n in names)


def _element(constructs: Constructs, function: FunctionSource, array: str) -> str:
    """The type of what a pointer points at; "" where it is more than words."""
    for parameter in function.parameters:
        found = _POINTER.fullmatch(parameter.type)
        if parameter.name == array and found:
            return "" if "const" in found["type"] else found["type"].strip()
    named = [d for d in within(constructs.declarations, function.body) if d.name == array]
    plain = len(named) == 1 and not named[0].extents and "const" not in named[0].qualifiers
    return named[0].type if plain else ""


def _is_plain(
    constructs: Constructs, function: FunctionSource, loop: LoopSource, head: _Head, array: str
) -> bool:
    """Whether turns are independent of one another, as far as the text tells."""
    body = loop.body
    if leaves(constructs, loop):
        return False
    declared = {d.name for d in within(constructs.declarations, body)}
    changed = {c.text for c in within(constructs.changes, body)}
    if not changed <= {*declared, array} or head.index in declared:
        return False
    used = [n.text for n in within(constructs.names, body)]
    known = {n.text for n in within(constructs.names, function.span)}
    return used.count(array) == 1 and known.isdisjoint(_NEW) and array not in head.bound


def leaves(constructs: Constructs, loop: LoopSource) -> bool:
    """Whether a turn may end before its end, or waits for other threads."""
    calls = [c.name for c in within(constructs.calls, loop.body)]
    return loop.leaves or any(map(_WAITS.search, calls))


def _edits(
    loop: LoopSource, head: _Head, store: Fragment, array: str, kind: str, count: int
) -> tuple[Edit, ...]:
    """The loop's head, the element that is written, and what follows the body."""
    start, body = loop.span, loop.body
    first = head.first if _PLAIN.fullmatch(head.first) else f"({head.first})"
    step = head.step if _PLAIN.fullmatch(head.step) else f"({head.step})"
    at = f"{head.index} = turn + part"
    line = loop.line_start or "\n"
    deeper = f"{line}    "
    before = (
        f"for ({head.type} turn = {count} * {first}; turn < {head.bound}; turn += {count} * {step})"
        f" {{{deeper}__align__({WORD}) {kind} word[{count}];"
        f"\n#pragma unroll"
        f"{deeper}for (int part = 0; part < {count}; ++part) {{"
        f"{deeper}    const {head.type} {at};"
        f"{deeper}    if ({head.index} < {head.bound}) "
    )
    behind = (
        f"{deeper}}}"
        f"{deeper}if (turn + {count - 1} < {head.bound})"
        f"{deeper}    *reinterpret_cast<unsigned *>({array} + turn) ="
        f" *reinterpret_cast<unsigned *>(word);"
        f"{deeper}else"
        f"{deeper}    for (int part = 0; turn + part < {head.bound}; ++part)"
        f"{deeper}        {array}[turn + part] = word[part];"
        f"{line}}}"
    )
    return (
        Edit(replace(start, end_line=body.line, end_column=body.column), before),
        Edit(store.span, "word[part]"),
        Edit(replace(body, line=body.end_line, column=body.end_column), behind),
    )
