"""The NVRTC front end: a `.cu` or `.cuh` file to a `Compilation`."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from perflint.frontend.finder import Finder, project_index, project_root
from perflint.frontend.model import Compilation, SourceFacts
from perflint.frontend.nvrtc.assemble import assemble, failed, without_kernels
from perflint.frontend.nvrtc.closure import Closure, gather
from perflint.frontend.nvrtc.library import CompilerMissingError, compute_capability
from perflint.frontend.nvrtc.pool import Pool, shared_pool
from perflint.frontend.nvrtc.repair import Compiler
from perflint.frontend.nvrtc.session import Session
from perflint.frontend.reading import UnreadableError, read_bytes
from perflint.frontend.source.macros import given

#: Comments are not told apart: a file that only mentions an include is tried in vain.
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^<>"\n]+)[>"]', re.MULTILINE)
#: Files through which a fragment is tried, and headers between it and them.
_INCLUDERS = 3
_DEPTH = 2


@dataclass(frozen=True)
class _Task:
    """What is the same for every file compiled on behalf of one."""

    arch: str
    std: str
    options: tuple[str, ...]
    pool: Pool


def compile_file(
    path: Path,
    *,
    arch: str,
    include: Sequence[Path],
    define: Sequence[str],
    std: str,
    root: Path | None,
    pool: Pool | None,
    before: Sequence[Path] = (),
    options: Sequence[str] = (),
) -> Compilation:
    """See `perflint.frontend.compile_file`."""
    compute_capability(arch)
    main = Path(os.path.realpath(path))
    project, bounded = project_root(main, root)
    given = tuple(Path(os.path.realpath(i)) for i in include)
    finder = Finder(main, project, bounded, given, tuple(Path(os.path.realpath(b)) for b in before))
    task = _Task(arch, std, (*options, *(f"-D{d}" for d in define)), pool or shared_pool())
    try:
        compilation, session = _compile(finder, task, thorough=False)
        if session is not None and compilation.lost:
            compilation = _through_includers(finder, task, compilation)
            if compilation.ptx is None:
                compilation, _ = _compile(finder, task)
    except UnreadableError as error:
        return failed(path, f"the file cannot be read: it {error}", arch)
    except CompilerMissingError as error:
        return failed(path, str(error), arch)
    return replace(compilation, path=path)


def _compile(
    finder: Finder, task: _Task, thorough: bool = True
) -> tuple[Compilation, Session | None]:
    """Compile `finder.main`; the session is None if there was nothing to compile."""
    main = finder.main
    closure = gather(main, finder)
    if not any(b"__global__" in f.code for f in closure.files.values()):
        return without_kernels(main, closure, _facts(closure, finder, task), task.arch), None
    architecture = compute_capability(task.arch)
    session = Session(closure, task.options, architecture, task.std)
    compiler = Compiler(session, task.pool, lambda: bool(includers(finder.root, main)), thorough)
    result = compiler.run()
    if result.ptx is not None and result.architecture != architecture:
        result.remarks.append(
            f"{main}: compiled for compute_{result.architecture}, the nearest to {task.arch} "
            "that this compiler knows"
        )
    return assemble(main, session, result, _facts(closure, finder, task), task.arch), session


def _facts(closure: Closure, finder: Finder, task: _Task) -> Mapping[Path, SourceFacts]:
    """The facts of the file, and of the headers of it that hold device code or launches."""
    from perflint.frontend.source import facts

    main = next(iter(closure.files))
    marks = (b"__global__", b"__device__", b"<<<")
    macros = given(o.removeprefix("-D") for o in task.options if o.startswith("-D"))
    return {
        f.path: facts.read(f.path, f.text, include=finder.given, define=macros)
        for f in closure.files.values()
        if f.path == main or any(mark in f.code for mark in marks)
    }


# --- fragments ------------------------------------------------------------------------------------


def _through_includers(finder: Finder, task: _Task, alone: Compilation) -> Compilation:
    """A fragment, compiled through whichever file includes it and brings most of its kernels."""
    best, most = alone, len({o.kernel for o in alone.entries.values()})
    for includer in _sources_above(finder)[:_INCLUDERS]:
        try:
            compilation, session = _compile(replace(finder, main=includer), task)
        except UnreadableError:
            continue
        if session is None or finder.main not in session.kernels:
            continue
        names = {k.name for k in session.kernels[finder.main]}
        entries = {n: o for n, o in compilation.entries.items() if o.kernel in names}
        count = len({o.kernel for o in entries.values()})
        if count > most:
            lost = tuple(k for k in compilation.lost if k.span.path == finder.main)
            remark = f"{finder.main}: compiled through {includer}, which includes it"
            remarks = (*compilation.remarks, remark)
            best, most = replace(compilation, lost=lost, remarks=remarks), count
    return best


def _sources_above(finder: Finder) -> list[Path]:
    """The sources that include the main file, directly or through other files."""
    found, seen, todo = [], {finder.main}, deque([(finder.main, 0)])
    while todo:
        path, depth = todo.popleft()
        for includer in includers(finder.root, path):
            if includer in seen:
                continue
            seen.add(includer)
            if includer.suffix in {".cu", ".c", ".cc", ".cpp", ".cxx"}:
                found.append(includer)
            if depth < _DEPTH:
                todo.append((includer, depth + 1))
    return found


def includers(root: Path, path: Path) -> tuple[Path, ...]:
    """The files of a project that include this one, the nearest first."""

    def distance(other: Path) -> tuple[int, str]:
        return (len(Path(os.path.relpath(other, path.parent)).parts), str(other))

    found = [
        other
        for other, name in _included(root).get(path.name, ())
        if other != path
        and path.parts[-len(name) :] == name
        and _near(other, path, root)
        # A file of that name beside the includer is what it includes, and no other.
        and not _other_file(other.parent.joinpath(*name), path)
    ]
    return tuple(sorted(found, key=distance))


def _other_file(candidate: Path, path: Path) -> bool:
    return candidate != path and candidate.is_file()


def _near(one: Path, other: Path, root: Path) -> bool:
    """Are two files of one program: at most one folder up, then down?"""
    return one.is_relative_to(other.parent.parent) and one.is_relative_to(root)


@lru_cache(maxsize=4)
def _included(root: Path) -> Mapping[str, tuple[tuple[Path, tuple[str, ...]], ...]]:
    """By a file's name, who includes it, and the parts of the path they write, without `..`."""
    found: dict[str, list[tuple[Path, tuple[str, ...]]]] = {}
    for paths in project_index(root).values():
        for path in paths:
            try:
                names = _INCLUDE.findall(read_bytes(path))
            except UnreadableError:
                continue
            for name in names:
                written = PurePosixPath(name.decode("utf-8", "surrogateescape"))
                parts = tuple(p for p in written.parts if p not in ("..", "."))
                if parts:
                    found.setdefault(parts[-1], []).append((path, parts))
    return {name: tuple(users) for name, users in found.items()}
