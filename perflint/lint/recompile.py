"""A file compiled again with edits in it: what a variant of a kernel runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from perflint import frontend
from perflint.base.constructs import contains
from perflint.base.edits import apply_edits, by_file
from perflint.base.evidence import Edit
from perflint.base.span import Span
from perflint.base.text_lines import lines_of
from perflint.frontend.model import Compilation
from perflint.frontend.source.project.user_files import read_text, standing_in_for
from perflint.grammar import PtxSyntaxError, parse
from perflint.grammar.model import Module
from perflint.lint.check_run import Run
from perflint.lint.subject import RecompileError
from perflint.lint.translation_units import Unit, compile_unit
from perflint.sim.device_runtime import linked


def recompile(
    unit: Unit,
    run: Run,
    compilation: Compilation,
    module: Module,
    edits: Sequence[Edit],
    others: Sequence[Edit],
) -> Module:
    """The module of a compiled file with edits in it or in what it includes.

    With the `others`, too, if it compiles with them as it did at last. It is the `module` of the
    compilation itself where nothing that is compiled is edited, as in host code. Raises
    RecompileError.
    """
    try:
        changes, more = by_file(edits), by_file(others)
        texts = {path: read_text(path) for path in {*changes, *more}}
        ptx = _again(compilation, changes, texts, more) if more else None
        ptx = ptx or _again(compilation, changes, texts) or _anew(unit, run, changes, texts)
        return module if ptx == compilation.ptx else linked(parse(ptx, str(unit.path)))
    except (PtxSyntaxError, ValueError) as error:
        raise RecompileError(f"the edited source: {error}") from error


def _again(
    compilation: Compilation,
    changes: Mapping[Path, Sequence[Edit]],
    texts: Mapping[Path, str],
    others: Mapping[Path, Sequence[Edit]] = MappingProxyType({}),
) -> str | None:
    """PTX by the call that compiled the file at last, with the edits in what it was given.

    None where this differs from the source in what is edited, or does not compile. Of the `others`
    those are made that can be.
    """
    edited = {}
    for path in dict.fromkeys((*changes, *others)):
        edits, given = changes.get(path, ()), frontend.text_given(compilation, path)
        if given is None or not all(_stands_in(given, texts[path], edit) for edit in edits):
            if path in changes:
                return None
            continue
        more = [each for each in others.get(path, ()) if _stands_in(given, texts[path], each)]
        edited[path] = apply_edits(given, [*edits, *more])
    return frontend.compile_again(compilation, edited)


def _anew(
    unit: Unit, run: Run, changes: Mapping[Path, Sequence[Edit]], texts: Mapping[Path, str]
) -> str:
    """PTX of the edited files, compiled as the file itself was. Raises RecompileError."""
    edited = {path: apply_edits(texts[path], edits) for path, edits in changes.items()}
    facts = run.facts.get(unit.path)
    launches = [site.span for each in (facts or {}).values() for site in each.launches]
    edits = [edit.span for each in changes.values() for edit in each]
    touched = [
        (launch, edit)
        for launch in launches
        for edit in edits
        if launch.path.name == edit.path.name and contains(launch, edit)
    ]
    shaped = {edit for launch, edit in touched if _is_shape(texts[edit.path], launch, edit)}
    if touched and not shaped.issuperset(edits):
        facts = None  # which instances of templates there are, the edited launches say
    with standing_in_for(edited):
        compilation = compile_unit(unit, run.options, run.root, facts)
    if compilation.ptx is None:
        reasons = [error.message for error in compilation.errors]
        raise RecompileError(f"the edited source does not compile: {'; '.join(reasons[:1])}")
    return compilation.ptx


def _is_shape(text: str, launch: Span, edit: Span) -> bool:
    """Whether an edit changes nothing but what stands between a launch's `<<<` and `>>>`."""
    lines = lines_of(text)
    before = _cut(lines, replace(launch, end_line=edit.line, end_column=edit.column))
    behind = _cut(lines, replace(launch, line=edit.end_line, column=edit.end_column))
    sides = "\n".join(before), "\n".join(behind)
    return "<<<" in sides[0] and ">>>" not in sides[0] and ">>>" in sides[1]


def _cut(lines: Sequence[str], span: Span) -> Sequence[str]:
    """A stretch of a file's lines."""
    found = lines[span.line - 1 : span.end_line]
    found = (*found[:-1], found[-1][: span.end_column - 1])
    return (found[0][span.column - 1 :], *found[1:])


def _stands_in(given: str, text: str, edit: Edit) -> bool:
    """Whether what an edit replaces, and a character on both sides, stands at the same place in
    what the compiler was given, of which host code is blanked.
    """
    span = edit.span
    lines, others = lines_of(text), lines_of(given)
    ours, theirs = (each[span.line - 1 : span.end_line] for each in (lines, others))
    if len(ours) != len(theirs) or not ours:
        return False
    for own, other in zip(ours, theirs, strict=True):
        pairs = zip(own, other, strict=False)
        if len(own) != len(other) or any(b not in (a, " ") for a, b in pairs):
            return False
    wider = replace(span, column=max(1, span.column - 1), end_column=span.end_column + 1)
    return _cut(lines, wider) == _cut(others, wider)
