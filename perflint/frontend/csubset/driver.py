"""A `.cu` file to a `Compilation`, without a compiler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.base.text_lines import lines_of
from perflint.frontend.closure import gather
from perflint.frontend.csubset.builtin_functions import library_tokens
from perflint.frontend.csubset.c_parser import Definition
from perflint.frontend.csubset.emission import Builder
from perflint.frontend.csubset.kernel import Entry, lower_kernel
from perflint.frontend.csubset.kernel_state import Function, Lowering
from perflint.frontend.csubset.lower_expressions import value
from perflint.frontend.csubset.module import module_text
from perflint.frontend.csubset.stream import OutsideError, read_stream
from perflint.frontend.csubset.unit import Unit, prelude_macros
from perflint.frontend.finder import Finder
from perflint.frontend.includers import INCLUDER_LIMIT, includers
from perflint.frontend.model import Compilation, CompileError, EntryOrigin, LostKernel
from perflint.frontend.nvrtc.assemble import failed, not_compiled, through_includers
from perflint.frontend.nvrtc.library import compute_capability
from perflint.frontend.source.language.macros import ExpansionError, bodies_of
from perflint.frontend.source.language.model import SourceFacts, SourceKernel
from perflint.frontend.source.language.tokens import Token
from perflint.frontend.source.project.user_files import UnreadableError
from perflint.frontend.translation_unit import facts_of, finder_of

#: Said once a run: every file's remark is the same text.
REMARK = (
    "no compiler was used: kernels of the C subset were lowered from their source, "
    "without a compiler's optimisations"
)


@dataclass(frozen=True)
class _Task:
    """What is the same for every file lowered on behalf of one."""

    arch: str
    define: tuple[str, ...]


def compile_file(
    path: Path,
    *,
    arch: str = "sm_80",
    include: Sequence[Path] = (),
    define: Sequence[str] = (),
    root: Path | None = None,
    facts: Mapping[Path, SourceFacts] | None = None,
) -> Compilation:
    """Lower a file's kernels to PTX as far as they are C; `perflint.frontend.compile_file`'s twin.

    What is outside the C subset is in `lost`, with the construct as the reason. Raises ValueError
    for an `arch` that is not one.
    """
    compute_capability(arch)
    finder = finder_of(path, include, root)
    task = _Task(arch, tuple(define))
    try:
        compilation = _compile(finder, task, facts)
        if compilation.facts and (compilation.lost or compilation.errors):
            compilation = _through_includers(finder, task, compilation)
    except UnreadableError as error:
        return failed(path, f"the file cannot be read: it {error}", arch)
    return replace(compilation, path=path)


def _compile(
    finder: Finder, task: _Task, facts: Mapping[Path, SourceFacts] | None = None
) -> Compilation:
    """Lower `finder.main` with what it includes. Raises UnreadableError for the file itself."""
    main = finder.main
    closure = gather(main, finder)
    if facts is None:
        facts = facts_of(closure, task.define)
    if (compilation := not_compiled(closure, facts, task.arch)) is not None:
        return compilation
    macros = {**prelude_macros(), **bodies_of(task.define)}
    try:
        text = closure.files[main].text
        tokens = read_stream(main, text, closure.find, macros, task.arch)
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
    above = includers(finder.root, finder.main)[:INCLUDER_LIMIT]
    if not above:
        return alone
    # Whatever is wrong with a fragment may be for want of what comes before it.
    errors = tuple(e for e in alone.errors if not e.genuine)

    def lowered(includer: Path) -> Compilation:
        return replace(_compile(replace(finder, main=includer), task), errors=errors)

    alone = replace(alone, errors=errors, lost=_unblamed(alone))
    return through_includers(alone, above, lowered, "read")


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


def _seen(facts: SourceFacts, token: Token) -> bool:
    """Whether tree-sitter, too, sees an error at a token that stands in the source as it is."""
    near = any(abs(line - token.line) <= 1 for line in facts.error_lines)
    lines = lines_of(facts.text)
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
    empty: Any = None
    nowhere = Definition(empty, None, (), frozenset())
    x = Lowering(unit, unit, "", Builder(), [Function(nowhere, ())])
    try:
        return value(x, node).number
    except OutsideError:
        return None
