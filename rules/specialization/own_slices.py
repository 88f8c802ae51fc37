"""Edits that make a shared array, of which each thread uses a slice of its own, a local one.

The dimension that tells threads apart goes: `window[k][threadIdx.x]` becomes `window[k]`, and
`sum[threadIdx.x]` plain `sum`. It is an index that is written alike at every use and is one value
for a thread all along. All other shapes are left.
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
    extents = "".join(f"[{declaration.extents[axis].text}]" for axis in kept)
    head = _SHARED.sub("", statement.text[: statement.text.index(name)])
    declared = Edit(statement.span, f"{head}{name}{extents};")
    edits = [
        Edit(use.span, name + "".join(f"[{found[axis]}]" for axis in kept))
        for use, found in zip(uses, indices, strict=True)
    ]
    return (declared, *edits)


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
