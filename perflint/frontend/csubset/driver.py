"""A `.cu` file to a `Compilation`, without a compiler."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from perflint.frontend.csubset.emission import Builder
from perflint.frontend.csubset.kernel import Entry, lower_kernel
from perflint.frontend.csubset.lowering import Function, Lowering
from perflint.frontend.csubset.mathematics import library_tokens
from perflint.frontend.csubset.module import module_text
from perflint.frontend.csubset.outside import OutsideError
from perflint.frontend.csubset.prelude import prelude_macros
from perflint.frontend.csubset.stream import Placed, read_stream
from perflint.frontend.csubset.unit import Unit
from perflint.frontend.finder import Finder, project_root
from perflint.frontend.model import (
    Compilation,
    CompileError,
    EntryOrigin,
    LostKernel,
    SourceFacts,
    SourceKernel,
)
from perflint.frontend.nvrtc.assemble import failed, without_kernels
from perflint.frontend.nvrtc.closure import Closure, gather
from perflint.frontend.nvrtc.cuda_file import includers
from perflint.frontend.nvrtc.library import compute_capability
from perflint.frontend.reading import UnreadableError
from perflint.frontend.source import facts
from perflint.frontend.source.macros import ExpansionError, given
from perflint.span import Span

#: Said once a run: every file's remark is the same text.
REMARK = (
    "no compiler was used: kernels of the C subset were lowered from their source, "
    "without a compiler's optimisations"
)


#: Files through which a fragment is tried.
_INCLUDERS = 4


@dataclass(frozen=True)
class _Task:
    """What is the same for every file lowered on behalf of one."""

    arch: str
    include: tuple[Path, ...]
    define: tuple[str, ...]

    @property
    def macros(self) -> Mapping[str, str]:
        """What `-D` gives, by name."""
        return given(self.define)


def compile_file(
    path: Path,
    *,
    arch: str,
    include: Sequence[Path],
    define: Sequence[str],
    root: Path | None,
) -> Compilation:
    """See `perflint.frontend.csubset.compile_file`."""
    compute_capability(arch)
    main = Path(os.path.realpath(path))
    project, bounded = project_root(main, root)
    finder = Finder(main, project, bounded, tuple(Path(os.path.realpath(i)) for i in include))
    task = _Task(arch, tuple(include), tuple(define))
    try:
        compilation = _compile(finder, task)
        if compilation.lost or compilation.errors:
            compilation = _through_includers(finder, task, compilation)
    except UnreadableError as error:
        return failed(path, f"the file cannot be read: it {error}", arch)
    return replace(compilation, path=path)


def _compile(finder: Finder, task: _Task) -> Compilation:
    """Lower `finder.main` with what it includes. Raises UnreadableError for the file itself."""
    main = finder.main
    closure = gather(main, finder)
    facts = _facts(closure, task)
    if not any(b"__global__" in f.code for f in closure.files.values()):
        return without_kernels(main, closure, facts, task.arch)
    macros = {**prelude_macros(), **task.macros}
    try:
        text = closure.files[main].text
        tokens = read_stream(main, text, _find(closure), macros, task.arch)
    except (ExpansionError, RecursionError) as error:
        return failed(main, f"its macros cannot be expanded: {error}", task.arch)
    unit, library = Unit(tokens, fold), Unit(library_tokens(), fold)
    entries, reasons = _lowered(unit, library)
    bounds = {k.name: k.launch_bounds for f in facts.values() for k in f.kernels}
    ptx = module_text(entries, unit, task.arch, bounds) if entries else None
    present = {e.item.name for e in entries}
    missing = [k for k in facts[main].kernels if k.active and k.name not in present]
    errors = () if closure.missing else tuple(_errors(facts[main], missing, reasons))
    return Compilation(
        main,
        ptx,
        facts,
        {e.name: EntryOrigin(e.item.name) for e in entries},
        (*closure.errors, *errors),
        (
            *_lost(missing, reasons, {e.line for e in errors}),
            *_unseen(facts[main], unit, present, reasons),
        ),
        (*closure.remarks, REMARK),
        task.arch,
    )


def _through_includers(finder: Finder, task: _Task, alone: Compilation) -> Compilation:
    """A fragment, lowered through whichever file includes it and brings most of its kernels."""
    best, most = alone, len(alone.entries)
    names = {k.name for k in alone.facts[finder.main].kernels}
    above = includers(finder.root, finder.main)
    # Whatever is wrong with a fragment may be for want of what comes before it.
    fragment = [e for e in alone.errors if not e.genuine]
    if above:
        best = replace(alone, errors=tuple(fragment), lost=_unblamed(alone))
    for includer in above[:_INCLUDERS]:
        try:
            compilation = _compile(replace(finder, main=includer), task)
        except UnreadableError:
            continue
        entries = {n: o for n, o in compilation.entries.items() if o.kernel in names}
        if len(entries) > most:
            present = {o.kernel for o in entries.values()}
            lost = tuple(k for k in best.lost if k.name not in present)
            remark = f"{finder.main}: read through {includer}, which includes it"
            remarks = (*compilation.remarks, remark)
            best = replace(compilation, lost=lost, errors=tuple(fragment), remarks=remarks)
            most = len(entries)
    return best


def _unblamed(alone: Compilation) -> tuple[LostKernel, ...]:
    """The kernels lost, with those that a syntax error was blamed for."""
    blamed = [
        LostKernel(kernel.name, kernel.name_span, f"needs a compiler: {error.message}")
        for error in alone.errors
        if error.genuine
        for kernel in alone.facts[error.path].kernels
        if kernel.span.line <= error.line <= kernel.span.end_line
    ]
    return (*alone.lost, *blamed)


def _lowered(unit: Unit, library: Unit) -> tuple[list[Entry], dict[str, OutsideError]]:
    """The kernels that could be lowered, and why the others could not."""
    entries: dict[str, Entry] = {}
    reasons: dict[str, OutsideError] = {}
    for item in unit.kernels:
        count = sum(e.item.name == item.name for e in entries.values())
        name = f"{item.name}_{count}" if count else item.name
        try:
            entries[name] = lower_kernel(unit, library, item, name)
        except OutsideError as error:
            reasons.setdefault(item.name, error)
        except RecursionError:
            deep = OutsideError("too deeply nested code", item.tokens[0])
            reasons.setdefault(item.name, deep)
    return list(entries.values()), reasons


def _find(closure: Closure) -> Any:
    def find(includer: Path, name: str, quoted: bool) -> tuple[Path, str] | None:
        file = closure.files.get(includer)
        resolution = file.resolutions.get((name, quoted)) if file is not None else None
        if resolution is None or resolution.path is None or resolution.path not in closure.files:
            return None
        return resolution.path, closure.files[resolution.path].text

    return find


def _facts(closure: Closure, task: _Task) -> Mapping[Path, SourceFacts]:
    """The facts of the file, and of the headers of it that hold device code or launches."""
    main = next(iter(closure.files))
    marks = (b"__global__", b"__device__", b"<<<")
    return {
        f.path: facts.read(f.path, f.text, include=task.include, define=task.macros)
        for f in closure.files.values()
        if f.path == main or any(mark in f.code for mark in marks)
    }


def _errors(
    facts: SourceFacts, missing: Sequence[SourceKernel], reasons: Mapping[str, OutsideError]
) -> Iterator[CompileError]:
    """The user's syntax errors: neither the C parser nor tree-sitter can read what stands there.

    Under a macro, what tree-sitter sees is not what the C parser sees, and nothing is said.
    """
    for kernel in missing:
        error = reasons.get(kernel.name)
        token = error.token if error is not None and error.syntax else None
        if error is None or token is None or token.path != facts.path:
            continue
        if kernel.template_parameters or not _seen(facts, token):
            continue
        message = f"syntax error at `{token.text}`"
        yield CompileError(facts.path, token.line, token.column, message, genuine=True)


def _seen(facts: SourceFacts, token: Placed) -> bool:
    """Whether tree-sitter, too, sees an error at a token that stands in the source as it is."""
    near = any(abs(line - token.line) <= 1 for line in facts.error_lines)
    lines = facts.text.splitlines()
    line = lines[token.line - 1] if token.line <= len(lines) else ""
    return near and line[token.column - 1 :].startswith(token.text)


def _lost(
    missing: Sequence[SourceKernel], reasons: Mapping[str, OutsideError], blamed: set[int]
) -> Iterator[LostKernel]:
    for kernel in missing:
        if any(kernel.span.line <= line <= kernel.span.end_line for line in blamed):
            continue
        error = reasons.get(kernel.name)
        construct = "template" if kernel.template_parameters else "a declaration that is not C"
        reason = f"needs a compiler: {construct}" if error is None else error.reason
        yield LostKernel(kernel.name, kernel.name_span, reason)


def _unseen(
    facts: SourceFacts, unit: Unit, present: set[str], reasons: Mapping[str, OutsideError]
) -> Iterator[LostKernel]:
    """Kernels of the file that tree-sitter does not see and that could not be lowered."""
    known = {k.name for k in facts.kernels} | present
    for item in unit.kernels:
        token = item.name_token
        if item.name not in known and token.path == facts.path:
            end = token.column + len(token.text)
            span = Span(token.path, token.line, token.column, token.line, end)
            yield LostKernel(item.name, span, reasons[item.name].reason)


def fold(node: Any, unit: Unit) -> int | float | None:
    """The value of a constant expression at file scope."""
    from perflint.frontend.csubset.lower_expressions import value
    from perflint.frontend.csubset.parsing import Definition

    empty: Any = None
    nowhere = Definition(empty, None, (), frozenset())
    x = Lowering(unit, unit, "", Builder(), [Function(nowhere, ())])
    try:
        return value(x, node).number
    except OutsideError:
        return None
