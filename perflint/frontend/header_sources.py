"""The sources of a file's program that lie elsewhere: they define what its headers declare, as
`cuda.cpp` of `cuda.hpp`, or call what it defines itself, up to `main`."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.frontend.closure import Closure
from perflint.frontend.finder import project_index
from perflint.frontend.includers import includers
from perflint.frontend.source.project.linkage import COMPILED, chosen_main, has_main
from perflint.frontend.source.project.neighbours import INCLUDE_SIZE
from perflint.frontend.source.project.own_tests import is_test
from perflint.frontend.source.project.user_files import UnreadableError, read_text

#: Sources that are read for one file; they are parsed only if a question leads to them.
_MOST = 128
_ENDINGS = (".cpp", ".cc", ".cxx", ".c", ".cu")
#: Calls between a file and the program's `main`, each from one source to another.
_STEPS = 4
#: Sources that call what a file defines; of a library's hundred users none is the program.
_CALLERS = 16
#: Headers between what declares a function and the sources that call it.
_BETWEEN = 8
_DEFINED = pattern(
    r"\b(?!(?:if|for|while|switch|catch|main)\b)(\w{3,})\s{0,9}"
    r"\((?:[^;{}()]|\([^;{}()]{0,200}\)){0,2000}\)\s{0,9}(?:const\s{0,9})?(?:noexcept\s{0,9})?\{"
)
_INCLUDED = pattern(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_WORD = pattern(r"\w{3,}")


def sources_of_headers(closure: Closure) -> dict[Path, str]:
    """The sources of the project, by path, that are named like a header that a file includes.

    And that name it, or lie beside it: two of one name are of two programs. Those beside the file
    are no matter here.
    """
    return _defining(closure, _headers(closure))


def _defining(closure: Closure, headers: Iterable[Path]) -> dict[Path, str]:
    found: dict[Path, str] = {}
    for header in headers:
        for path in _named_like(closure, header):
            if len(found) >= _MOST:
                return found
            text = _read(path)
            if text is not None and (header.name in text or path.parent == header.parent):
                found[path] = text
    return found


def sources_of_callers(closure: Closure) -> dict[Path, str]:
    """The sources that include a header of a file's, by path, and name a function that it defines.

    And those that do the same of these, up to `main`, with what is named like their own headers. Of
    several with a `main` that of `main.cpp` is taken, else none: nobody can say which is the
    program. Tests are taken where no program is found. Where too many call, as of a library, none
    does.
    """
    root, text = closure.finder.root, closure.files[closure.main].text
    if has_main(text):
        return {}
    found: dict[Path, str] = {}
    waiting = [(closure.main, text, [closure.main, *_headers(closure)])]
    for _ in range(_STEPS):
        above = {
            path: other
            for own, text, declaring in waiting
            for path, other in _callers(root, declaring, text, own)
            if path not in closure.files and path not in found
        }
        found |= above
        if len(found) > _CALLERS:
            return {}
        rest = ((p, t) for p, t in above.items() if not has_main(t))
        waiting = [(p, t, list(_included(root, p, t))) for p, t in rest]
    mains = {path for path, text in found.items() if has_main(text)}
    tests = {path for path, text in found.items() if is_test(path, text, [closure.main])}
    others = mains - {chosen_main(sorted(mains))}
    if mains - tests:  # the program's own calls are in sight, or too many programs'
        others |= tests
    found = {path: text for path, text in found.items() if path not in others}
    headers = {h: None for path, text in found.items() for h in _included(root, path, text)}
    return _defining(closure, headers) | found


def _callers(
    root: Path, declaring: Iterable[Path], text: str, own: Path
) -> Iterator[tuple[Path, str]]:
    """The sources that include some files, and name a function that a file's own text defines."""
    names = set(_DEFINED.findall(text))
    users = [u for file in declaring for u in includers(root, file) if u != own] if names else []
    found = list(_naming(users, names))
    if not found:  # `App.cpp` includes `App.h`, and that what declares its member
        headers = dict.fromkeys(user for user in users if user.suffix not in COMPILED)
        between = list(headers)[:_BETWEEN]
        found = list(_naming((u for file in between for u in includers(root, file)), names))
    yield from found


def _naming(users: Iterable[Path], names: Collection[str]) -> Iterator[tuple[Path, str]]:
    for user in sorted(set(users)):
        other = _read(user) if user.suffix in COMPILED else None
        if other is not None and _names_one(other, names):
            yield user, other


def _names_one(text: str, names: Collection[str]) -> bool:
    """Whether one of some names is a word of a text: most texts have none, nor parts of words."""
    found = {name for name in names if name in text}
    return bool(found) and not found.isdisjoint(_WORD.findall(text))


def _headers(closure: Closure) -> Iterator[Path]:
    """The project's headers that a file includes, directly or through others."""
    root = closure.finder.root
    return (p for p in closure.files if p != closure.main and p.is_relative_to(root))


def _included(root: Path, path: Path, text: str) -> Iterator[Path]:
    """The project's headers that a source names: beside it, or the only ones of their names."""
    index = project_index(root)
    for name in map(Path, _INCLUDED.findall(text)):
        named = list(map(Path, index.get(name.name, ())))
        beside = Path(os.path.normpath(path.parent / name))
        if beside in named or len(named) == 1:
            yield beside if beside in named else named[0]


def _named_like(closure: Closure, header: Path) -> Iterator[Path]:
    """The sources of a header's name, if one of each ending is the nearest."""
    index = project_index(closure.finder.root)
    for ending in _ENDINGS:
        named = map(Path, index.get(header.stem + ending, ()))
        like = [p for p in named if p not in closure.files]
        beside = [p for p in like if p.parent == header.parent]
        near = beside or [p for p in like if p.parent.name == header.parent.name] or like
        if len(near) == 1 and near[0].parent != closure.main.parent:
            yield near[0]


def _read(path: Path) -> str | None:
    try:
        return read_text(path, INCLUDE_SIZE)
    except UnreadableError:
        return None
