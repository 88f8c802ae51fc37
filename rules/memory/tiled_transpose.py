"""The edits that lead a transposing copy through a tile of shared memory.

`out[x * h + y] = in[y * w + x]` has a packed side and a scattered one, whichever way its threads
lie. With the value in a tile between them, a thread reads for itself and writes for the thread that
lies at its place with `threadIdx.x` and `threadIdx.y` exchanged: both sides are packed. Only a
kernel that is no more than that: its indices, a guard perhaps, and one store at its end, perhaps in
a loop over rows; of tiles that are squares, so that each element has its counterpart.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from perflint.analysis.model import AccessSite
from perflint.base.constructs import (
    Constructs,
    Declaration,
    FunctionSource,
    contains,
    within,
)
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.rules.case import Decision
from perflint.rules.memory.transposing_copy import OWN, WORD, Copy, copying, counter
from perflint.rules.protocol import Edit, Kernel

#: Threads along each axis of the blocks that are led through a tile.
LEAST, MOST = 8, 32
NAME = "tile"

_POINTER = pattern(r"(?P<type>[\w:\s]+?)\s*\*\s*(?:__restrict__|__restrict|restrict)?\s*")
_THREAD = pattern(r"\bthreadIdx\.([xy])\b")
_OTHER = {"x": "y", "y": "x"}


def tiled_transpose(kernel: Kernel, site: AccessSite, decision: Decision) -> tuple[Edit, ...]:
    """The edits; none where a kernel is more than that."""
    function, constructs = kernel.function, kernel.own_constructs
    if function is None or constructs is None:
        return ()
    # as it is written: of an instance's types nothing is said in the source
    function = constructs.function_at(function.body.line, function.body.column) or function
    body = copying(constructs, function)
    rows = body is not None and body.loop is not None
    side = _side(kernel, constructs, function, decision, rows=rows)
    if not side:
        return ()
    names = {name.text for name in within(constructs.names, function.span)}
    if body is None or NAME in names or site.kind == "atomic":
        return ()
    element = _element(function, body)
    again = _needed(body, f"{body.guard} {body.target.text}")
    if not element or not any(OWN in text for _, text in again):
        return ()
    swapped = site.kind == "load"
    if body.loop is not None:
        return () if swapped else tuple(_looped(body, again, element, side))
    return tuple(_edits(constructs, body, again, element, side, swapped=swapped))


def _side(
    kernel: Kernel,
    constructs: Constructs,
    function: FunctionSource,
    decision: Decision,
    *,
    rows: bool,
) -> str:
    """How long each side of the blocks' tiles is; "" where they are not all the same squares.

    `rows`: a block may have fewer rows of threads, each of which stores several elements.
    """
    x, y, z = decision.shown.trial.run.launch.block
    known = {launch.block for launch in kernel.launches if not launch.assumed}
    if decision.shown.trial.assumed_block or known != {(x, y, z)}:
        return ""
    square = x == y or (rows and not x % y)
    if not square or z != 1 or not LEAST <= x <= MOST:
        return ""
    words = {launch.block_texts[0].strip() for launch in kernel.launches if launch.block_texts}
    named = {
        each.name
        for each in (*constructs.macros, *constructs.constants)
        if each.body == str(x) and each.span.line < function.span.line
    }
    return words.pop() if len(words) == 1 and words <= named else str(x)


def _element(function: FunctionSource, body: Copy) -> str:
    """The type of what is stored; "" where the kernel's own text does not tell."""
    array = body.target.text.partition("[")[0]
    kinds = [_POINTER.fullmatch(p.type) for p in function.parameters if p.name == array]
    kind = kinds[0]["type"].strip() if len(kinds) == 1 and kinds[0] is not None else ""
    return "" if "const" in kind.split() else kind


def _needed(body: Copy, text: str) -> list[tuple[Declaration, str]]:
    """The variables that a text hangs on, and that are a thread's own or stand behind a guard."""
    words = set(WORD.findall(text))
    own: set[str] = set()
    for variable, starts in body.variables:
        if OWN in starts or not own.isdisjoint(WORD.findall(starts)):
            own.add(variable.name)
    found = []
    for number, (variable, starts) in reversed([*enumerate(body.variables)]):
        if variable.name in words and (variable.name in own or number >= body.outer):
            found.append((variable, starts))
            words.update(WORD.findall(starts))
    return found[::-1]


def _edits(
    constructs: Constructs,
    body: Copy,
    again: Sequence[tuple[Declaration, str]],
    element: str,
    side: str,
    *,
    swapped: bool,
) -> Iterator[Edit]:
    """The tile, what goes into it, and what comes out of it.

    `swapped`: the side that reads is the scattered one, so that threads read for others.
    """
    yield _tile(body, element, side)
    outer = {variable.name for variable, _ in body.variables[: body.outer]}
    if swapped:
        for variable, _ in body.variables:
            for each in within(constructs.coordinates, variable.span):
                if _THREAD.fullmatch(each.text):
                    yield Edit(each.span, _exchanged(each.text))
    into = f"{NAME}[threadIdx.y][threadIdx.x]"
    end = body.store.span
    closing: tuple[str, ...] = ()
    if body.leaving is not None:
        yield Edit(body.leaving, f"{body.guard} {{")
        inner = [
            variable
            for variable, _ in body.variables[body.outer :]
            if not any(contains(each.span, variable.span) for each in body.unused)
        ]
        for line in sorted({variable.span.line for variable in inner}):
            first = min((v.type_span for v in inner if v.span.line == line), key=_column)
            yield Edit(replace(first, end_line=first.line, end_column=first.column), "    ")
        into, closing = f"    {into}", ("}",)
    elif body.guard and body.store.block is not None:
        end = body.store.block
    yield from (Edit(each.lines, "") for each in body.unused if each.lines is not None)
    yield Edit(body.target.span, into)
    stored = _out_of_the_tile(body, again, outer, swapped=swapped)
    yield _following(body, end, [*closing, "__syncthreads();", *stored])


def _looped(
    body: Copy, again: Sequence[tuple[Declaration, str]], element: str, side: str
) -> Iterator[Edit]:
    """The same for a thread that stores elements of several rows, one a turn."""
    loop = body.loop
    assert loop is not None and loop.initial and loop.condition and loop.update
    row = counter(loop)
    yield _tile(body, element, side)
    yield Edit(body.target.span, f"{NAME}[threadIdx.y + {row}][threadIdx.x]")
    lines = [f"for ({loop.initial.text}; {loop.condition.text}; {loop.update.text}) {{"]
    for variable, text in again:
        kind = f"{_kind(variable)} " if "const" in variable.qualifiers else ""
        turned = _exchanged(text)
        more = f" + {row}" if "threadIdx.y" in turned else ""
        lines.append(f"    {kind}{variable.name} = {turned}{more};")
    store = f"{_first_row(body.target.text, row)} = {NAME}[threadIdx.x][threadIdx.y + {row}];"
    if body.guard:
        lines.append(f"    if {_first_row(body.guard, row)}")
        store = f"    {store}"
    lines += [f"    {store}", "}"]
    yield _following(body, loop.span, ["__syncthreads();", *lines])


def _tile(body: Copy, element: str, side: str) -> Edit:
    """The tile's declaration, behind the indices. A longer row keeps columns free of conflicts."""
    tile = f"{_indent(body)}__shared__ {element} {NAME}[{side}][{side} + 1];"
    if body.last.lines is not None:
        return Edit(body.last.lines.behind, f"{tile}\n")
    return Edit(body.last.span.behind, f"\n{tile}")


def _indent(body: Copy) -> str:
    return " " * (body.last.span.column - 1)


def _following(body: Copy, span: Span, lines: Sequence[str]) -> Edit:
    """Lines that follow a stretch which ends a line, but for a comment behind the store."""
    text = "\n".join(f"{_indent(body)}{line}" for line in lines)
    store = body.store
    if span.behind == store.span.behind and store.lines is not None:
        return Edit(store.lines.behind, f"{text}\n")
    return Edit(span.behind, f"\n{text}")


def _first_row(text: str, row: str) -> str:
    """A text of which the row is the first: what it adds to an index is left out."""
    text = re.sub(rf"\s*\+\s*{row}\b(?!\s*[*/%])", "", text)
    text = re.sub(rf"\b{row}\s*\+\s*", "", text)
    return re.sub(r"(?<![\w)] )(?<![\w)])\((\w+)\)", r"\1", re.sub(rf"\b{row}\b", "0", text))


def _out_of_the_tile(
    body: Copy,
    again: Sequence[tuple[Declaration, str]],
    outer: Collection[str],
    *,
    swapped: bool,
) -> Iterator[str]:
    """The lines that store what other threads have put into the tile."""
    store = f"{body.target.text} = {NAME}[threadIdx.x][threadIdx.y];"
    first = [(v, t if swapped else _exchanged(t)) for v, t in again if v.name in outer]
    then = [f"{_kind(v)} {v.name} = {text};" for v, text in again if v.name not in outer]
    fixed = any("const" in variable.qualifiers for variable, _ in first)
    within_ = "    " if fixed else ""
    if fixed:  # other ones of the same names
        yield "{"
        yield from (f"{within_}{_kind(v)} {v.name} = {text};" for v, text in first)
    else:
        yield from (f"{v.name} = {text};" for v, text in first)
    if body.guard and then:
        yield f"{within_}if {body.guard} {{"
        yield from (f"{within_}    {line}" for line in (*then, store))
        yield f"{within_}}}"
    elif body.guard:
        yield f"{within_}if {body.guard}"
        yield f"{within_}    {store}"
    else:
        yield from (f"{within_}{line}" for line in (*then, store))
    if fixed:
        yield "}"


def _kind(variable: Declaration) -> str:
    return f"{'const ' if 'const' in variable.qualifiers else ''}{variable.type}"


def _exchanged(text: str) -> str:
    return _THREAD.sub(lambda m: f"threadIdx.{_OTHER[m[1]]}", text)


def _column(span: Span) -> int:
    return span.column
