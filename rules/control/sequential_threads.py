"""The edit that gives every n-th thread's step to the first threads: `t % n == 0` becomes `n * t`.

In a tree in shared memory, `if (t % (2 * s) == 0) a[t] += a[t + s];` leaves some lanes of every
warp to work. The same elements are treated by the first threads, in full warps, where thread `t`
has element `2 * s * t`: the same additions, so that the results are the same bits. Only a body that
goes by the thread's number alone, in a loop whose turns a barrier parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

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
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.rules.protocol import Edit, Kernel

NAME = "at"

_EVERY = pattern(
    r"\(?\s*(?:\(\s*)?(?P<thread>threadIdx\.x|[A-Za-z_]\w*)\s*(?P<next>\+\s*1\s*)?\)?\s*"
    r"%\s*(?P<step>\w+|\([\w\s*]+\))\s*\)?\s*==\s*0[uU]?"
)
_BARRIER = pattern(r"\b__syncthreads\b|\bsync\b")
_WORD = pattern(r"(?<![.\w])[A-Za-z_]\w*(?:\.[xyz]\b)?")
_PURE = frozenset({"min", "max", "fmin", "fmax", "fminf", "fmaxf"})
_THREAD = "threadIdx.x"


@dataclass(frozen=True)
class _Step:
    """A condition on every n-th thread, and what these do."""

    condition: StatementSource
    braces: Span | None  #: around what they do; None: it is one statement
    statements: tuple[StatementSource, ...]
    loop: LoopSource

    @property
    def body(self) -> Span:
        return self.braces or self.statements[0].span


def sequential_threads(kernel: Kernel, span: Span | None) -> tuple[Edit, ...]:
    """The edits of the branch at a place; none where it is another one."""
    constructs, function = kernel.own_constructs, kernel.function
    if span is None or constructs is None or function is None:
        return ()
    step = _step(constructs, function, span)
    if step is None:
        return ()
    parts = [part.strip() for part in step.condition.text.strip()[1:-1].split("&&")]
    asked = [found for part in parts if (found := _EVERY.fullmatch(part)) is not None]
    if len(asked) != 1 or "||" in step.condition.text:
        return ()
    [every] = asked
    thread = every["thread"]
    names = {name.text for name in within(constructs.names, function.span)}
    if not _is_number(constructs, function, thread) or NAME in names:
        return ()
    if not _goes_by(constructs, function, step, thread):
        return ()
    number = f"({thread} + 1)" if every["next"] else thread
    product = f"{_without_brackets(every['step'])} * {number}"
    element = f"{product} - 1" if every["next"] else product
    bound = f"{product} {'<=' if every['next'] else '<'} blockDim.x"
    rest = [_with(part, thread, f"({element})") for part in parts if not _EVERY.fullmatch(part)]
    condition = f"({' && '.join((bound, *rest))})"
    return tuple(_edits(constructs, step, condition, f"const int {NAME} = {element};", thread))


def _step(constructs: Constructs, function: FunctionSource, span: Span) -> _Step | None:
    """The condition at a place, with what hangs on it, in the innermost loop around."""
    statements = [*within(constructs.statements, function.body)]
    here = [n for n, s in enumerate(statements) if s.block is None and contains(span, s.span)]
    loops = [each for each in within(constructs.loops, function.body) if contains(each.body, span)]
    if len(here) != 1 or here[0] + 1 >= len(statements) or not loops:
        return None
    loop = max(loops, key=lambda each: (each.span.line, each.span.column))
    condition, first = statements[here[0]], statements[here[0] + 1]
    if not any(_BARRIER.search(call.name) for call in within(constructs.calls, loop.body)):
        return None
    if first.block is None or contains(first.block, condition.span):
        alone = first.block is None and not first.text.startswith("(")
        return _Step(condition, None, (first,), loop) if alone else None
    inside = tuple(each for each in statements if contains(first.block, each.span))
    plain = all(each.block == first.block for each in inside)
    return _Step(condition, first.block, inside, loop) if plain else None


def _is_number(constructs: Constructs, function: FunctionSource, name: str) -> bool:
    """Whether a name is the thread's number in its block, and stays that."""
    if name == _THREAD:
        return True
    declared = [d for d in within(constructs.declarations, function.body) if d.name == name]
    changed = any(c.text == name for c in within(constructs.changes, function.body))
    if len(declared) != 1 or changed:
        return False
    statement = constructs.statement_at(declared[0].span)
    text = statement.text if statement is not None else ""
    return re.search(rf"\b{name}\s*=\s*threadIdx\.x\s*[,;]", text) is not None


def _goes_by(constructs: Constructs, function: FunctionSource, step: _Step, thread: str) -> bool:
    """Whether what is done hangs on a thread's number alone, and leaves only elements changed."""
    if any(call.name not in _PURE for call in within(constructs.calls, step.body)):
        return False
    if any(each.text.startswith(("return", "break", "continue")) for each in step.statements):
        return False
    elements = {(s.span.line, s.span.column) for s in within(constructs.subscripts, step.body)}
    changes = within(constructs.changes, step.body)
    if any((c.span.line, c.span.column) not in elements for c in changes):
        return False
    own = of_a_thread(constructs, function) - {thread}
    used = {word for each in step.statements for word in _WORD.findall(each.text)}
    return used.isdisjoint(own) and (thread == _THREAD or _THREAD not in used)


def of_a_thread(constructs: Constructs, function: FunctionSource) -> set[str]:
    """Variables that hang on which thread it is, or that change: they may differ by thread."""
    own = {c.text for c in within(constructs.changes, function.body)}
    arrays = {
        s.text.partition("[")[0].strip() for s in within(constructs.subscripts, function.body)
    }
    counters = {
        word
        for loop in within(constructs.loops, function.body)
        for part in (loop.update, loop.initial)
        if part is not None
        for word in _WORD.findall(part.text)
    }
    own -= arrays | counters
    for each in within(constructs.declarations, function.body):
        statement = constructs.statement_at(each.span)
        words = set(_WORD.findall(statement.text)) if statement is not None else set()
        if any(word.startswith("threadIdx.") for word in words) or own & (words - {each.name}):
            own.add(each.name)
    return own


def _edits(
    constructs: Constructs, step: _Step, condition: str, declared: str, thread: str
) -> Iterator[Edit]:
    start = step.loop.line_start
    outer = " " * (step.statements[0].span.column - 5)
    if "\t" in start:
        outer = f"{start.lstrip(chr(10))}\t"
    deeper = f"{outer}\t" if "\t" in start else f"{outer}    "
    first = step.statements[0]
    yield Edit(step.condition.span, f"{condition}{' {' if step.braces is None else ''}")
    at = replace(first.span, end_line=first.span.line, end_column=first.span.column)
    yield Edit(at, f"{declared}\n{deeper}")
    if step.braces is None and first.lines is not None:
        yield Edit(first.lines.behind, f"{outer}}}\n")
    elif step.braces is None:
        yield Edit(first.span.behind, f"\n{outer}}}")
    found: Iterator[Fragment] = within(
        constructs.coordinates if thread == _THREAD else constructs.names, step.body
    )
    yield from (Edit(each.span, NAME) for each in found if each.text == thread)


def _with(text: str, name: str, other: str) -> str:
    return re.sub(rf"(?<![.\w]){re.escape(name)}\b", other, text)


def _without_brackets(text: str) -> str:
    return text[1:-1].strip() if text.startswith("(") else text


def braces_behind(statements: list[StatementSource], condition: StatementSource) -> Span | None:
    """The braces that hang on a condition; None where there are none."""
    end = condition.span.end_line, condition.span.end_column
    first = next((s for s in statements if (s.span.line, s.span.column) >= end), None)
    braces = {s.block for s in statements if s.block is not None}
    around = [
        each
        for each in braces
        if first is not None and contains(each, first.span) and (each.line, each.column) >= end
    ]
    return min(around, key=lambda each: (each.line, each.column), default=None)
