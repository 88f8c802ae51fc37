"""A file that is compiled again for one kernel: the others keep their names, without what they do.

Most of what a compiler does for an edited file is to make again what was not edited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base.constructs import FunctionSource, contains
from perflint.base.evidence import Edit
from perflint.base.span import Span
from perflint.grammar.model import Function, Module
from perflint.lint.subject import Subject
from perflint.sim.layout import mentioned


def emptied(subject: Subject, function: FunctionSource, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits that leave nothing of the bodies of all kernels but one, in the files of some edits.

    There are none where the kernel calls a function: who else calls it decides whether it is
    inlined. A body that is edited stays, and so does one with directives, which may go on behind
    it.
    """
    if any(each.opcode == "call" for each in subject.kernel.instructions):
        return ()
    paths = {function.body.path, *(edit.span.path for edit in edits)}
    return tuple(each for path in sorted(paths) for each in _others(subject, path, function, edits))


def _others(
    subject: Subject, path: Path, function: FunctionSource, edits: Sequence[Edit]
) -> Iterator[Edit]:
    facts, constructs = subject.facts.get(path), subject.constructs(path)
    for other in constructs.functions if facts and constructs else ():
        body = other.body
        if not other.kernel or replace(body, path=function.body.path) == function.body:
            continue
        if any(e.span.path == path and _meet(body, e.span) for e in edits):
            continue
        lines = facts.lines[body.line - 1 : body.end_line] if facts else []
        if not any(line.lstrip().startswith("#") for line in lines):
            inner = replace(body, column=body.column + 1, end_column=body.end_column - 1)
            yield Edit(inner, "\n" * (body.end_line - body.line))


def _meet(body: Span, edit: Span) -> bool:
    ends = (edit.line, edit.column), (edit.end_line, edit.end_column)
    inside = [(body.line, body.column) < end < (body.end_line, body.end_column) for end in ends]
    return any(inside) or contains(edit, body)


def same_variables(module: Module, kernel: Function, other: Module, edited: Function) -> bool:
    """Whether an edited kernel has the same variables beyond its blocks' own, in the same order.

    What only other kernels write may have become a constant.
    """
    return _outside(module, kernel) == _outside(other, edited)


def _outside(module: Module, kernel: Function) -> list[tuple[str, str, int]]:
    own = (module.variables[name] for name in module.variables if name in mentioned(kernel))
    return [(v.name, v.space, v.size) for v in own if v.space != "shared"]
