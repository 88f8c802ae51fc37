"""Source facts of one file: kernels, launches, accesses and constants, without a compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from perflint.frontend.model import SourceFacts, SourceKernel, SourceParameter
from perflint.frontend.reading import read_text
from perflint.frontend.source.c_types import Value
from perflint.frontend.source.choices import Session, UndecidedError
from perflint.frontend.source.constant_folding import fold, fold_tokens
from perflint.frontend.source.declarations import Function
from perflint.frontend.source.environment import Environment
from perflint.frontend.source.launch_sites import launch_sites
from perflint.frontend.source.preprocessor import PREDEFINED, dead_lines
from perflint.frontend.source.project import File, Project
from perflint.frontend.source.subscripts import subscripts_of
from perflint.frontend.source.trees import captures, error_lines, named

#: Macros and constants folded for one file.
CONSTANT_LIMIT = 2_000
_BODY_LIMIT = 40  #: tokens; a macro with a longer body is code, not a constant


def read(
    path: Path,
    text: str | None = None,
    others: Iterable[SourceFacts] = (),
    *,
    include: Sequence[Path] = (),
    define: Mapping[str, str] | None = None,
) -> SourceFacts:
    """What the source of one file says: kernels, launches, subscripts, constants.

    `others` are files of the same program (only their path and text are used): headers by the
    name under which they are included, and host code that calls into this file. Headers that
    lie beside the file or in an `include` folder are found without. `define` is what `-D` gives.
    Any text is accepted; what the parser could not read is in `error_lines`.
    Raises reading.UnreadableError (a ValueError) if `text` is None and the file cannot be read.
    """
    content = read_text(path) if text is None else text
    project = Project(path, content, others, include, define)
    main = project.main
    kernels = [*_kernels(project, main, True), *_dead_kernels(project)]
    return SourceFacts(
        path=path,
        text=content,
        kernels=tuple(sorted(kernels, key=lambda k: (k.span.line, k.span.column))),
        launches=launch_sites(project),
        subscripts=subscripts_of(main),
        constants=_constants(project),
        error_lines=error_lines(main.source),
    )


def _kernels(project: Project, file: File, active: bool) -> list[SourceKernel]:
    result = []
    for function in file.declarations.functions:
        if "__global__" not in function.qualifiers or function.body is None:
            continue
        head = function.template_node or function.node
        result.append(
            SourceKernel(
                name=function.name,
                qualified=function.qualified,
                span=file.source.span(head, function.node),
                name_span=file.source.span(function.name_node),
                parameters=tuple(
                    SourceParameter(p.name, p.written, p.pointers > 0, p.default)
                    for p in function.parameters
                ),
                template_parameters=tuple(p.written for p in function.template),
                launch_bounds=_launch_bounds(project, file, function),
                active=active,
            )
        )
    return result


def _launch_bounds(project: Project, file: File, function: Function) -> tuple[int, ...]:
    """`__launch_bounds__(…)`, folded; () if there is none or one of its numbers is unknown."""
    if function.body is None or "__launch_bounds__" not in file.source.slice(
        function.node.start_byte, function.body.start_byte
    ):
        return ()
    found = captures(function.node, "(launch_bounds) @bounds").get("bounds", [])
    if not found:
        return ()
    there = Environment(Session(project), file, function.node.start_byte)
    try:
        values = [fold(file.source.text_of(n), there) for n in named(found[0])]
    except UndecidedError:
        return ()  # they hang on the template arguments
    numbers = [int(v.number) for v in values if v is not None]
    return tuple(numbers) if len(numbers) == len(values) else ()


def _dead_kernels(project: Project) -> Iterator[SourceKernel]:
    """Kernels under a false `#if`, read from the text as it stands."""
    unit = project.main.unit
    dead = dead_lines(unit.dead)
    lines = unit.text.split("\n")
    if not any("__global__" in lines[n - 1] for n in dead if n <= len(lines)):
        return
    whole = File(replace(unit, dead=[], directives=[]))
    for kernel in _kernels(project, whole, False):
        if kernel.name_span.line in dead:
            yield kernel


def _constants(project: Project) -> dict[str, int | float]:
    """Macros, constants and enumerators that are numbers, from the file and its headers."""
    main = project.main
    environment = Environment(Session(project), main, main.end)
    result: dict[str, int | float] = {}
    for name, macro in project.main.unit.final.items():
        if name in PREDEFINED:
            continue
        if macro.known and macro.parameters is None and 0 < len(macro.body) <= _BODY_LIMIT:
            value = _settled(partial(fold_tokens, macro.body, environment))
            if value is not None:
                result[name] = value.number
    for name in _names(project):
        value = _settled(partial(environment.variable, name))
        if value is not None:
            result.setdefault(name.rpartition("::")[2], value.number)
        if len(result) >= CONSTANT_LIMIT:
            break
    return dict(sorted(result.items()))


def _settled(question: Callable[[], Value | None]) -> Value | None:
    """An answer that hangs on no choice."""
    try:
        return question()
    except UndecidedError:
        return None


def _names(project: Project) -> Iterator[str]:
    """Qualified names of enumerators and constants."""

    def qualified(name: str, at: int) -> str:
        return "::".join((*(s.name for s in file.declarations.scopes_at(at)), name))

    for file in project.files:
        for name, nodes in file.declarations.enumerators.items():
            yield qualified(name, nodes[0].start_byte)
        for name, definitions in file.variables.items():
            for definition in definitions:
                if definition.constant:
                    yield qualified(name, definition.start)
