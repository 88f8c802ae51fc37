"""A `.cu` file to a `Compilation`, without a compiler."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from perflint.frontend import source
from perflint.frontend.assemble import failed, without_kernels
from perflint.frontend.closure import Closure, gather
from perflint.frontend.csubset.emission import Builder
from perflint.frontend.csubset.kernel import Entry, lower_kernel
from perflint.frontend.csubset.lowering import Function, Lowering
from perflint.frontend.csubset.mathematics import library_tokens
from perflint.frontend.csubset.module import module_text
from perflint.frontend.csubset.outside import OutsideError
from perflint.frontend.csubset.stream import read_stream
from perflint.frontend.csubset.unit import Unit
from perflint.frontend.finder import Finder, project_root
from perflint.frontend.macros import ExpansionError
from perflint.frontend.model import (
    Compilation,
    CompileError,
    EntryOrigin,
    LostKernel,
    SourceFacts,
    SourceKernel,
)
from perflint.frontend.nvrtc import compute_capability
from perflint.frontend.reading import UnreadableError

#: Said once a run: every file's remark is the same text.
REMARK = (
    "no compiler was used: kernels of the C subset were lowered from their source, "
    "without a compiler's optimisations"
)


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
    try:
        closure = gather(main, finder)
    except UnreadableError as error:
        return failed(path, f"the file cannot be read: it {error}", arch)
    facts = _facts(closure, include, define)
    if not any(b"__global__" in f.code for f in closure.files.values()):
        return without_kernels(path, closure, facts, arch)
    return _compiled(path, closure, facts, arch, define)


def _compiled(
    path: Path,
    closure: Closure,
    facts: Mapping[Path, SourceFacts],
    arch: str,
    define: Sequence[str],
) -> Compilation:
    main = next(iter(closure.files))
    macros = {name: value or "1" for name, _, value in (d.partition("=") for d in define)}
    try:
        tokens = read_stream(main, closure.files[main].text, _find(closure), macros, arch)
    except (ExpansionError, RecursionError) as error:
        return failed(path, f"its macros cannot be expanded: {error}", arch)
    unit, library = Unit(tokens, fold), Unit(library_tokens(), fold)
    entries, reasons = _lowered(unit, library)
    bounds = {k.name: k.launch_bounds for f in facts.values() for k in f.kernels}
    text = module_text(entries, unit, arch, bounds) if entries else None
    present = {e.item.name for e in entries}
    missing = [k for k in facts[main].kernels if k.active and k.name not in present]
    errors = tuple(_errors(facts[main], missing))
    blamed = {e.line for e in errors}
    return Compilation(
        path,
        text,
        facts,
        {e.name: EntryOrigin(e.item.name) for e in entries},
        (*closure.errors, *errors),
        tuple(_lost(missing, reasons, blamed)),
        (*closure.remarks, REMARK),
        arch,
    )


def _lowered(unit: Unit, library: Unit) -> tuple[list[Entry], dict[str, str]]:
    """The kernels that could be lowered, and why the others could not."""
    entries: dict[str, Entry] = {}
    reasons: dict[str, str] = {}
    for item in unit.kernels:
        count = sum(e.item.name == item.name for e in entries.values())
        name = f"{item.name}_{count}" if count else item.name
        try:
            entries[name] = lower_kernel(unit, library, item, name)
        except OutsideError as error:
            reasons.setdefault(item.name, _reason(error))
        except RecursionError:
            reasons.setdefault(item.name, "needs a compiler: too deeply nested code")
    return list(entries.values()), reasons


def _reason(error: OutsideError) -> str:
    where = f" (line {error.token.line})" if error.token is not None else ""
    return f"needs a compiler: {error.construct}{where}"


def _find(closure: Closure) -> Any:
    def find(includer: Path, name: str, quoted: bool) -> tuple[Path, str] | None:
        file = closure.files.get(includer)
        resolution = file.resolutions.get((name, quoted)) if file is not None else None
        if resolution is None or resolution.path is None or resolution.path not in closure.files:
            return None
        return resolution.path, closure.files[resolution.path].text

    return find


def _facts(
    closure: Closure, include: Sequence[Path], define: Sequence[str]
) -> Mapping[Path, SourceFacts]:
    """The facts of the file, and of the headers of it that hold device code or launches."""
    main = next(iter(closure.files))
    macros = {name: value or "1" for name, _, value in (d.partition("=") for d in define)}
    marks = (b"__global__", b"__device__", b"<<<")
    return {
        f.path: source.read(f.path, f.text, include=include, define=macros)
        for f in closure.files.values()
        if f.path == main or any(mark in f.code for mark in marks)
    }


def _errors(facts: SourceFacts, missing: Sequence[SourceKernel]) -> Iterator[CompileError]:
    """Syntax errors that tree-sitter sees inside kernels that could not be lowered."""
    for kernel in missing:
        for line in facts.error_lines:
            if kernel.span.line <= line <= kernel.span.end_line and not kernel.template_parameters:
                message = f"syntax error in `{kernel.name}`"
                yield CompileError(facts.path, line, 1, message, genuine=True)
                break


def _lost(
    missing: Sequence[SourceKernel], reasons: Mapping[str, str], blamed: set[int]
) -> Iterator[LostKernel]:
    for kernel in missing:
        if any(kernel.span.line <= line <= kernel.span.end_line for line in blamed):
            continue
        reason = reasons.get(kernel.name)
        if reason is None:
            construct = "template" if kernel.template_parameters else "a declaration that is not C"
            reason = f"needs a compiler: {construct}"
        yield LostKernel(kernel.name, kernel.name_span, reason)


def fold(node: Any, unit: Unit) -> int | float | None:
    """The value of a constant expression at file scope."""
    from perflint.frontend.csubset.expressions import value
    from perflint.frontend.csubset.parsing import Definition

    empty: Any = None
    nowhere = Definition(empty, None, (), frozenset())
    x = Lowering(unit, unit, "", Builder(), [Function(nowhere, ())])
    try:
        return value(x, node).number
    except OutsideError:
        return None
