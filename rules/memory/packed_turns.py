"""Edits that let a thread move neighbouring small elements as one word, in a loop of one a turn.

`for (int i = first; i < n; i += step) out[i] = …` takes four neighbouring `i` a turn. A body of one
statement is written twice, for whole words and for what is left at the end. Another one
stays as it is, but for the element that it writes: that goes into a word which the turn stores; or
that it reads, of a word which the turn has loaded. Only the plain shape: a `for` or `while` with a
bound and a step, one store to `out[i]` or loads of `in[i]` in each turn, no way out of it.
"""

from __future__ import annotations

import re

from perflint.analysis.model import AccessSite
from perflint.base.constructs import (
    Constructs,
    Fragment,
    FunctionSource,
    LoopSource,
    StatementSource,
    contains,
    within,
)
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.rules.access_shapes import WORD
from perflint.rules.memory.word_turns import Head, loaded, stored
from perflint.rules.protocol import Edit, Kernel

_BELOW = pattern(r"(?P<index>\w+)\s*<\s*(?P<bound>[^<>&|=?]+)")
_STEP = pattern(r"(?P<index>\w+)\s*\+=\s*(?P<step>.+)")
_FIRST = pattern(r"(?:(?P<type>[\w\s]+?)\s+)?(?P<index>\w+)\s*=\s*(?P<first>[^,;]+)")
#: What needs the whole block, or a warp, in a turn.
_WAITS = pattern(r"\b(__sync\w*|sync)\b|_sync\b")
_NAME = pattern(r"[A-Za-z_]\w*")
#: Types below a word that a template's argument does not decide.
_BUILT_IN = pattern(r"(?:const )?(?:(?:un)?signed )?(?:char|short)|(?:const )?u?int(?:8|16)_t")
_POINTER = pattern(r"(?P<type>[\w:\s]+?)\s*\*\s*(?:__restrict__|__restrict|restrict)?\s*")
_NEW = ("turn", "word", "part")


def packed_turns(kernel: Kernel, site: AccessSite) -> tuple[Edit, ...]:
    """The edits; none where the loop is more than that."""
    function = kernel.function
    at = kernel.statement(kernel.facts.kernel.instructions[site.pcs[0]].location)
    constructs = kernel.constructs(str(at.path)) if at is not None else None
    if function is None or at is None or constructs is None:
        return ()
    if constructs.function_at(at.line, at.column) != function:
        return ()
    around = [loop for loop in constructs.loops if contains(loop.body, at)]
    loop = max(around, key=lambda each: (each.span.line, each.span.column), default=None)
    head = _head(constructs, function, loop) if loop is not None else None
    if loop is None or head is None:
        return ()
    if site.kind == "load":
        return _packed_loads(kernel, site, constructs, loop, head, at)
    written = [o.left for o in within(constructs.operations, at) if o.operator == "="]
    target = _element_at(head, written[0].text) if len(written) == 1 else ""
    kind = _element(constructs, function, target)
    if not kind or "const" in kind or not _is_plain(constructs, function, loop, head, target):
        return ()
    alone = _alone(constructs, loop, head)
    return stored(loop, head, written[0], target, kind, WORD // site.size, alone)


def _packed_loads(
    kernel: Kernel,
    site: AccessSite,
    constructs: Constructs,
    loop: LoopSource,
    head: Head,
    at: Span,
) -> tuple[Edit, ...]:
    """The edits for an element that is read in each turn, and may be read before it."""
    function = kernel.function
    assert function is not None
    arrays = {_element_at(head, each.text) for each in kernel.accesses(site)}
    array = next(iter(arrays)) if len(arrays) == 1 else ""
    kind = re.sub(r"\bconst\b", "", _element(constructs, function, array)).strip()
    statement = constructs.statement_at(at)
    if not kind or statement is None or site.kind != "load" or leaves(constructs, loop):
        return ()
    if statement.block != loop.body or re.search(r"\?|&&|\|\|", statement.text):
        return ()  # some turns may not read it
    elements = [
        each
        for each in within(constructs.subscripts, loop.body)
        if _element_at(head, each.text) == array
    ]
    used = [n.text for n in within(constructs.names, loop.body)]
    known = {n.text for n in within(constructs.names, function.span)}
    if used.count(array) != len(elements) or not known.isdisjoint(_NEW):
        return ()
    local = {d.name for d in within(constructs.declarations, function.body)}
    fixed = {head.index, *_NAME.findall(f"{head.bound} {head.step}")}
    if not _changed(constructs, loop, head) <= local - fixed - {array}:
        return ()
    alone = _alone(constructs, loop, head)
    return loaded(loop, head, elements, array, kind, WORD // site.size, alone)


def _element_at(head: Head, text: str) -> str:
    """The array of which a text is the element that a turn is about; "" where it is none."""
    found = re.fullmatch(rf"(\w+)\s*\[\s*{head.index}\s*\]", text)
    return found[1] if found is not None else ""


def _changed(constructs: Constructs, loop: LoopSource, head: Head) -> set[str]:
    """What a turn changes, but for what it counts."""
    changes = within(constructs.changes, loop.body)
    return {c.text for c in changes if head.counted is None or not contains(head.counted, c.span)}


def _head(constructs: Constructs, function: FunctionSource, loop: LoopSource) -> Head | None:
    """What a loop counts up, from where, how far and by how much; None for another loop."""
    if loop.condition is None:
        return None
    update, counted = loop.update, None
    if loop.keyword == "while":
        inside = [*within(constructs.statements, loop.body)]
        last = max(inside, key=lambda each: (each.span.line, each.span.column), default=None)
        if last is None or last.block != loop.body or last.lines is None:
            return None
        update, counted = Fragment(last.text.rstrip("; "), last.span), last.lines
    if loop.keyword not in ("for", "while") or update is None:
        return None
    below = _BELOW.fullmatch(loop.condition.text.strip("() "))
    step = _STEP.fullmatch(update.text)
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
        if len(named) != 1 or is_used_behind(constructs, function, loop, index):
            return None
        kind = named[0].type
    return Head(index, kind, first, below["bound"].strip(), step["step"].strip(), counted)


def is_used_behind(
    constructs: Constructs, function: FunctionSource, loop: LoopSource, name: str
) -> bool:
    """Whether a variable is mentioned after a loop, which leaves another value in it."""
    end = loop.span.end_line, loop.span.end_column
    names = within(constructs.names, function.body)
    return any(n.text == name and (n.span.line, n.span.column) >= end for n in names)


def _element(constructs: Constructs, function: FunctionSource, array: str) -> str:
    """The type of what a pointer points at; "" where it is more than words.

    A template's own types may be of any size.
    """
    kind = ""
    for parameter in function.parameters:
        found = _POINTER.fullmatch(parameter.type)
        if parameter.name == array and found:
            kind = found["type"].strip()
    if not kind:
        named = [d for d in within(constructs.declarations, function.body) if d.name == array]
        plain = len(named) == 1 and not named[0].extents and "const" not in named[0].qualifiers
        kind = named[0].type if plain else ""
    return "" if function.template and not _BUILT_IN.fullmatch(kind) else kind


def _is_plain(
    constructs: Constructs, function: FunctionSource, loop: LoopSource, head: Head, array: str
) -> bool:
    """Whether turns are independent of one another, as far as the text tells."""
    body = loop.body
    if leaves(constructs, loop):
        return False
    declared = {d.name for d in within(constructs.declarations, body)}
    if not _changed(constructs, loop, head) <= {*declared, array} or head.index in declared:
        return False
    used = [n.text for n in within(constructs.names, body)]
    known = {n.text for n in within(constructs.names, function.span)}
    return used.count(array) == 1 and known.isdisjoint(_NEW) and array not in head.bound


def leaves(constructs: Constructs, loop: LoopSource) -> bool:
    """Whether a turn may end before its end, or waits for other threads."""
    calls = [c.name for c in within(constructs.calls, loop.body)]
    return loop.leaves or any(map(_WAITS.search, calls))


def _alone(constructs: Constructs, loop: LoopSource, head: Head) -> StatementSource | None:
    """The one statement on one line that a turn is, but for what it counts; else None."""
    return statement_of(constructs, loop, head.counted)


def statement_of(
    constructs: Constructs, loop: LoopSource, counted: Span | None = None
) -> StatementSource | None:
    """The one statement on one line that a loop's body is, but for one that counts; else None."""
    inside = [
        each
        for each in within(constructs.statements, loop.body)
        if counted is None or not contains(counted, each.span)
    ]
    one = inside[0] if len(inside) == 1 else None
    if one is None or "\n" in one.text or [*within(constructs.loops, loop.body)]:
        return None
    return one if one.block == loop.body or one.span == loop.body else None
