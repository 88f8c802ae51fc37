"""Source facts: kernels, launches and accesses of a file and of what it includes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.frontend.source.host.calls.instances import type_of
from perflint.frontend.source.host.values.choices import Session, UndecidedError
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.language.c_types import basic_type
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.model import (
    SourceFacts,
    SourceKernel,
    SourceParameter,
    Subscript,
)
from perflint.frontend.source.language.preprocessor import Finder, dead_lines, directives
from perflint.frontend.source.language.trees import children_of, error_lines
from perflint.frontend.source.launches.asked_kernels import AskedKernels
from perflint.frontend.source.launches.launch_sites import instantiations, launch_sites
from perflint.frontend.source.launches.symbols import symbol_values
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.sight import Project
from perflint.frontend.source.project.user_files import read_text
from perflint.frontend.source.subscripts import subscripts_of

#: What a pointer's type may be written with and is one all the same.
_BARE = pattern(r"\bconst\b|\s+")
_GUARD = pattern(r"\s*(?:!\s*defined\s*\(?\s*)?(\w+)")


def read(
    path: Path,
    text: str | None = None,
    others: Mapping[Path, str] | None = None,
    *,
    find: Finder | None = None,
    define: Mapping[str, str] | None = None,
    root: Path | None = None,
    preprocessed: set[str] | None = None,
) -> SourceFacts:
    """What the source of one file says: kernels, launches, subscripts.

    `others` are the texts of files of the same program: host code that calls into this file, and
    headers by the name under which they are included unless `find` finds those. `define` is what
    `-D` gives; below `root` files may lie that say what the program is run with. `preprocessed`
    gets the texts of which macros may say anything.
    Any text is accepted; what the parser could not read is in `error_lines`.
    Raises reading.UnreadableError (a ValueError) if `text` is None and the file cannot be read.
    """
    content = read_text(path) if text is None else text
    project = Project(path, content, others or {}, find, define, root)
    facts = _facts(project, project.main)
    if preprocessed is not None:
        preprocessed |= project.preprocessed
    return facts


def read_with_headers(
    path: Path,
    text: str,
    headers: Collection[Path],
    others: Mapping[Path, str] | None = None,
    *,
    find: Finder,
    define: Mapping[str, str] | None = None,
    root: Path | None = None,
    parts: Mapping[Path, str] | None = None,
    closed: bool = False,
    asked: AskedKernels | None = None,
    preprocessed: set[str] | None = None,
) -> dict[Path, SourceFacts]:
    """As `read`, for the file and those of the `headers` that it includes, each read as there.

    `parts` are host sources of the same program, wherever they lie, that define what headers
    declare. Launches of other kernels than the `asked` may be left out. With `closed`, raises
    OpenLaunchError at a launch of the file's own that hangs on what is not in sight.
    """
    project = Project(path, text, others or {}, find, define, root, parts)
    files = [f for f in project.files if f is project.main or f.path in headers]
    facts = {
        file.path: _facts(project, file, closed and file is project.main, asked) for file in files
    }
    if preprocessed is not None:
        preprocessed |= project.preprocessed
    return facts


#: A name in a type's own scope, where no condition may leave out what asks for it.
_ASKED = pattern(r"(?<![\w:.])(?<!->)([A-Za-z_]\w*)\s*::\s*(?:template\s+)?\w+")
_CONDITIONAL = pattern(r"^[ \t]*#|\bif\s+constexpr\b|\brequires\b", re.MULTILINE)
_COMMENT = pattern(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)


def _facts(
    project: Project, file: File, closed: bool = False, asked: AskedKernels | None = None
) -> SourceFacts:
    kernels = [*_kernels(project, file, True), *_dead_kernels(project, file)]
    launches, unread, left = launch_sites(project, file, closed, asked)
    subscripts = subscripts_of(file)
    by_function: defaultdict[str, list[Subscript]] = defaultdict(list)
    for each in subscripts:
        by_function[each.function].append(each)
    lines = file.unit.text.split("\n")
    told = (_with_uses_of_types(k, by_function.get(k.name, ()), lines) for k in kernels)
    return SourceFacts(
        path=file.path,
        text=file.unit.text,
        kernels=tuple(sorted(told, key=lambda k: (k.span.line, k.span.column))),
        launches=launches,
        unread=unread,
        left=left,
        subscripts=subscripts,
        instantiations=instantiations(project, file),
        mixed_powers=_mixed_powers(project, file),
        error_lines=error_lines(file.source.tree.root_node),
        symbols=symbol_values(project, file),
    )


def _kernels(project: Project, file: File, active: bool) -> list[SourceKernel]:
    result = []
    for function in file.declarations.functions:
        if "__global__" not in function.qualifiers or function.body is None:
            continue
        head = function.template_node or function.node
        line, condition = _condition(file, head.start_point[0] + 1)
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
                template_parameters=function.template,
                launch_bounds=_launch_bounds(project, file, function),
                active=active,
                condition=condition,
                condition_line=line,
            )
        )
    return result


def _with_uses_of_types(
    kernel: SourceKernel, subscripts: Iterable[Subscript], lines: Sequence[str]
) -> SourceKernel:
    """A kernel template that knows which of its types are those of pointers: `*first`, `out[i]`;
    and which must be classes: `T::size`. The subscripts are those in functions of its name, the
    lines those of its file.
    """
    if not kernel.template_parameters:
        return kernel
    arrays = {
        name
        for s in subscripts
        if kernel.span.line <= s.span.line <= kernel.span.end_line
        for name in (s.array, s.origin)
    }
    types = {_BARE.sub("", p.type) for p in kernel.parameters if p.name in arrays}
    own = lines[kernel.span.line - 1 : kernel.span.end_line]
    text = _COMMENT.sub(" ", "\n".join(own))
    # What stands behind a condition may be asked of some only.
    plain = _CONDITIONAL.split(text, maxsplit=1)[0]
    asked = {m[1]: m[0] for m in _ASKED.finditer(plain)}
    for p in kernel.parameters:
        if re.search(rf"(?<![\w.>:~]){p.name}[ \t]*\(", plain):
            asked.setdefault(_BARE.sub("", p.type), f"{p.name}(…)")
    told = (
        replace(t, accessed=t.name in types, asked=asked.get(t.name, "")) if t.is_type else t
        for t in kernel.template_parameters
    )
    return replace(kernel, template_parameters=tuple(told))


def _condition(file: File, line: int) -> tuple[int, str]:
    """The innermost `#if` around a line that is no include guard: (its line, as written)."""
    around: list[tuple[int, str]] = []
    found = [d for d in directives(file.unit.text) if d[0] < line]
    for index, (first, _, word, rest) in enumerate(found):
        if word in ("if", "ifdef", "ifndef"):
            guard = _GUARD.match(rest)
            follows = found[index + 1] if index + 1 < len(found) else (0, 0, "", "")
            names = (guard[1] if guard else "", *follows[3].split()[:1])
            is_guard = follows[2] == "define" and len(names) == 2 and names[0] == names[1]
            around.append((0, "") if is_guard else (first, f"#{word} {rest.strip()}"))
        elif word == "endif" and around:
            around.pop()
        elif word.startswith("el") and around and around[-1][0]:
            around[-1] = (first, f"#{word} {rest.strip()}".strip())
    return next((each for each in reversed(around) if each[0]), (0, ""))


def _launch_bounds(project: Project, file: File, function: Function) -> tuple[int, ...]:
    """`__launch_bounds__(…)`, folded; () if there is none or one of its numbers is unknown."""
    if function.body is None or "__launch_bounds__" not in file.source.slice(
        function.node.start_byte, function.body.start_byte
    ):
        return ()
    found = [n for n in function.node.children if n.type == "launch_bounds"]
    if not found:
        return ()
    there = Environment(Session(project), file, function.node.start_byte)
    try:
        values = [fold(file.source.text_of(n), there) for n in children_of(found[0])]
    except UndecidedError:
        return ()  # they hang on the template arguments
    numbers = [int(v.number) for v in values if v is not None]
    return tuple(numbers) if len(numbers) == len(values) else ()


def _dead_kernels(project: Project, file: File) -> Iterator[SourceKernel]:
    """Kernels under a false `#if`, read from the text as it stands."""
    unit = file.unit
    dead = dead_lines(unit.dead)
    lines = unit.text.split("\n")
    if not any("__global__" in lines[n - 1] for n in dead if n <= len(lines)):
        return
    whole = File(replace(unit, dead=[], directives=[]))
    for kernel in _kernels(project, whole, False):
        if kernel.name_span.line in dead:
            yield kernel


def _mixed_powers(project: Project, file: File) -> tuple[int, ...]:
    """The lines of `pow(float, int)` in a file's device code. NVRTC and nvcc type it differently.

    NVRTC has an overload of its own, which stays in float. Under nvcc the host's <cmath> decides,
    and since C++11 (26.8 [c.math]) mixed arguments are promoted to double.
    """
    lines = set()
    for call in file.declarations.calls.get("pow", ()):
        function = file.declarations.function_at(call.node.start_byte)
        if function is None or not function.on_device or len(call.arguments) != 2:
            continue
        place = Environment(Session(project), file, call.node.start_byte)
        try:
            base, exponent = (type_of(file.source.text_of(a), place) for a in call.arguments)
        except UndecidedError:
            continue
        whole = basic_type(tuple(exponent[0].split())) if exponent and not exponent[1] else None
        if base == ("float", 0) and whole is not None and whole.kind == "int":
            lines.add(call.node.start_point[0] + 1)
    return tuple(sorted(lines))
