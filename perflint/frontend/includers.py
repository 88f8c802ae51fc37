"""Who includes a file: an index of a project's `#include` lines, made once a process."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.real_paths import is_file
from perflint.frontend.finder import project_index

#: Files through which a fragment is tried.
INCLUDER_LIMIT = 3
#: Headers between a fragment and the sources that it is tried through.
_DEPTH = 2
#: Bytes of each file that are looked at: `#include`s stand at the top.
_HEAD = 256 << 10
#: Searched for as a fixed text, which is ten times as fast as a pattern that begins with `^`.
#: Comments are not told apart: a file that only mentions an include is tried in vain.
_INCLUDE = pattern(rb'include[ \t]*[<"]([^<>"\n]+)[>"]')
_SOURCES = {".cu", ".c", ".cc", ".cpp", ".cxx"}


def sources_above(root: Path, main: Path) -> list[Path]:
    """The sources that include a file, directly or through other files, the nearest first.

    Those that may mean another file of that name come last.
    """
    found = _above(
        main, lambda path: [p for p in includers(root, path) if _is_exact(root, p, path)]
    )
    if len(found) < INCLUDER_LIMIT:
        found += _above(main, lambda path: includers(root, path))
    return list(dict.fromkeys(found))[:INCLUDER_LIMIT]


def _above(main: Path, users: Callable[[Path], Iterable[Path]]) -> list[Path]:
    found: list[Path] = []
    seen, todo = {main}, deque([(main, 0)])
    while todo and len(found) < INCLUDER_LIMIT:
        path, depth = todo.popleft()
        for includer in users(path):
            if includer in seen:
                continue
            seen.add(includer)
            if includer.suffix in _SOURCES:
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
        for other, name in (
            (Path(user), _parts(written))
            for user, written in _index(root).get(os.fsencode(path.name), ())
        )
        if other != path
        and path.parts[-len(name) :] == name
        and (
            _near(other, path, root)
            or other.parent.joinpath(*name) == path
            or len(project_index(root).get(path.name, ())) == 1
        )
        # A file of that name beside the includer is what it includes, and no other.
        and not _other_file(other.parent.joinpath(*name), path)
    ]
    return tuple(sorted(found, key=distance))


def _is_exact(root: Path, includer: Path, path: Path) -> bool:
    """Does a file name another one by where it lies, as seen from itself?"""
    return any(
        os.path.normpath(includer.parent / os.fsdecode(written)) == os.fspath(path)
        for user, written in _index(root).get(os.fsencode(path.name), ())
        if user == os.fspath(includer)
    )


def _other_file(candidate: Path, path: Path) -> bool:
    return candidate != path and is_file(candidate)


def _near(one: Path, other: Path, root: Path) -> bool:
    """Are two files of one program: at most one folder up, then down?"""
    return one.is_relative_to(other.parent.parent) and one.is_relative_to(root)


@lru_cache(maxsize=4)
def _index(root: Path) -> Mapping[bytes, tuple[tuple[str, bytes], ...]]:
    """By a file's name, who includes it: (the includer, the name as it writes it)."""
    found: dict[bytes, dict[tuple[str, bytes], None]] = {}
    for paths in project_index(root).values():
        for path in paths:
            for name in _written(path):
                found.setdefault(name.rpartition(b"/")[2], {})[path, name] = None
    return {name: tuple(users) for name, users in found.items()}


def _parts(name: bytes) -> tuple[str, ...]:
    """The parts of a path as written, without `..`."""
    return tuple(p for p in os.fsdecode(name).split("/") if p not in ("", ".", ".."))


def _written(path: str) -> list[bytes]:
    """The names that a file's `#include` lines give; [] for what is no regular file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return []
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        text = os.read(descriptor, _HEAD) if regular else b""
    except OSError:
        return []
    finally:
        os.close(descriptor)
    return [m[1] for m in _INCLUDE.finditer(text) if _is_directive(text, m.start())]


def _is_directive(text: bytes, at: int) -> bool:
    return text[text.rfind(b"\n", 0, at) + 1 : at].strip() == b"#"
