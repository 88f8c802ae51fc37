"""Edits that make a shared array, of which each thread uses a slice of its own, a local one.

The dimension that tells threads apart goes: `window[k][threadIdx.x]` becomes `window[k]`, and
`sum[threadIdx.x]` plain `sum`. It is an index that is written alike at every use and is one value
for a thread all along. Of a dimension that a thread walks in steps, `tile[threadIdx.y + i]`, its
turns stay: `tile[i / 8]`, which the compiler knows where it unrolls the loop. All other shapes are
left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from perflint.base.constructs import (
    Constructs,
    Declaration,
    Fragment,
    FunctionSource,
    contains,
    within,
)
from perflint.base.edits import plain_index
from perflint.base.patterns import pattern
from perflint.rules.protocol import Edit

_WORDS = pattern(r"[A-Za-z_]\w*")
_THREAD = "threadIdx"
_SUM = pattern(r"\s*([\w.]+)\s*\+\s*([\w.]+)\s*")
_WALK = pattern(
    r"(?:[\w\s]+?\s)?(?P<index>\w+)\s*=\s*0; (?P=index)\s*\+=\s*(?P<step>[A-Za-z_]\w*|\d+)"
)
_SHARED = pattern(r"\b(extern|__shared__|volatile)\s*")


def slice_edits(
    constructs: Constructs, function: FunctionSource, declaration: Declaration
) -> tuple[Edit, ...]:
    """The edits; none where they are more than a change of each use."""
    statement = constructs.statement_at(declaration.span)
    if statement is None:
        return ()
    if len([*within(constructs.declarations, statement.span)]) > 1 or "=" in statement.text:
        return ()
    uses = _uses(constructs, function, declaration)
    indices = [plain_index(use.text) for use in uses]
    dynamic = "extern" in declaration.qualifiers and not declaration.extents
    count = 1 if dynamic else len(declaration.extents)
    if not uses or any(len(found) != count for found in indices):
        return ()
    gone = {
        axis
        for axis in range(count)
        if len({found[axis] for found in indices}) == 1
        and _is_the_threads_own(constructs, function, indices[0][axis])
    }
    kept = [axis for axis in range(count) if axis not in gone]
    if not gone or (dynamic and kept):
        return ()
    name = declaration.name
    turns = {
        axis: _turns(constructs, function, uses, [found[axis] for found in indices])
        for axis in kept
    }
    if any(not turns[axis] and _THREAD in found[axis] for axis in kept for found in indices):
        return ()  # which of its elements is a matter of the thread: that is local memory
    extents = "".join(f"[{_count(declaration.extents[axis].text, turns[axis])}]" for axis in kept)
    head = _SHARED.sub("", statement.text[: statement.text.index(name)])
    declared = Edit(statement.span, f"{head}{name}{extents};")
    edits = [
        Edit(
            use.span,
            name + "".join(f"[{turns[axis][n] if turns[axis] else found[axis]}]" for axis in kept),
        )
        for n, (use, found) in enumerate(zip(uses, indices, strict=True))
    ]
    return (declared, *edits)


def _turns(
    constructs: Constructs,
    function: FunctionSource,
    uses: Sequence[Fragment],
    indices: Sequence[str],
) -> tuple[str, ...]:
    """`i / 8` for each index `threadIdx.y + i` of loops by one step from 0; else none."""
    walked = [_walked(constructs, function, *pair) for pair in zip(uses, indices, strict=True)]
    known = [each for each in walked if each is not None]
    alike = {(step, own) for _, step, own in known}
    if len(known) != len(walked) or len(alike) != 1:
        return ()
    [(step, own)] = alike
    local = {d.name for d in within(constructs.declarations, function.body)}
    local |= {parameter.name for parameter in function.parameters}
    if step in local or not _is_the_threads_own(constructs, function, own):
        return ()
    return tuple(f"{counter} / {step}" for counter, *_ in known)


def _walked(
    constructs: Constructs, function: FunctionSource, use: Fragment, index: str
) -> tuple[str, str, str] | None:
    """What an index counts, in which steps, and what is added to that: a thread's place."""
    sides = _SUM.fullmatch(index)
    for loop in within(constructs.loops, function.body):
        parts = (loop.initial, loop.update)
        if sides is None or None in parts or not contains(loop.body, use.span):
            continue
        walk = _WALK.fullmatch("; ".join(part.text for part in parts if part is not None))
        if walk is None or walk["index"] not in sides.groups():
            continue
        if any(c.text == walk["index"] for c in within(constructs.changes, loop.body)):
            return None
        own = sides[2] if sides[1] == walk["index"] else sides[1]
        return walk["index"], walk["step"], own
    return None


def _count(extent: str, turns: tuple[str, ...]) -> str:
    """How many elements of a dimension are a thread's own."""
    if not turns:
        return extent
    step = turns[0].rpartition(" ")[2]
    return f"({extent} + {step} - 1) / {step}"


def _uses(
    constructs: Constructs, function: FunctionSource, declaration: Declaration
) -> Sequence[Fragment]:
    """Each use of an array with all its indices; none if one is something else."""
    name = declaration.name
    macros = (*constructs.macros, *constructs.function_macros)
    if any(name in _WORDS.findall(macro.body) for macro in macros):
        return ()
    others = [d for d in within(constructs.declarations, function.span) if d.name == name]
    if len(others) != 1 or _has_other_names(constructs, function, declaration):
        return ()
    widest: dict[tuple[int, int], Fragment] = {}
    for each in within(constructs.subscripts, function.body):
        at = (each.span.line, each.span.column)
        known = widest.get(at)
        if known is None or contains(each.span, known.span):
            widest[at] = each
    uses = []
    for used in within(constructs.names, function.body):
        if used.text != name or contains(declaration.span, used.span):
            continue
        found = widest.get((used.span.line, used.span.column))
        if found is None or _WORDS.findall(found.text).count(name) != 1:
            return ()
        uses.append(found)
    return uses


def _has_other_names(
    constructs: Constructs, function: FunctionSource, declaration: Declaration
) -> bool:
    """Whether a function declares another array in the same place: the launch's shared bytes."""
    dynamic = [
        d for d in within(constructs.declarations, function.body) if "extern" in d.qualifiers
    ]
    return declaration in dynamic and len(dynamic) > 1


def _is_the_threads_own(constructs: Constructs, function: FunctionSource, index: str) -> bool:
    """Whether an index is made of the thread's own and of what never changes."""
    names = set(_WORDS.findall(index)) - {"threadIdx", "blockDim", "x", "y", "z"}
    if "(" in index and re.search(r"\w\s*\(", index):
        return False
    changed = {each.text for each in within(constructs.changes, function.body)}
    loops = [*within(constructs.loops, function.body)]
    repeated = {
        d.name
        for d in within(constructs.declarations, function.body)
        if any(contains(loop.span, d.span) for loop in loops)
    }
    numbered = not re.fullmatch(r"[\s\d]*", index)  # `[0]` tells no threads apart
    return numbered and names.isdisjoint(changed | repeated)
