"""The host sources that define what a program's headers declare: `cuda.cpp` of `cuda.hpp`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from perflint.frontend.closure import Closure
from perflint.frontend.finder import project_index
from perflint.frontend.source.neighbours import INCLUDE_SIZE
from perflint.frontend.source.user_files import UnreadableError, read_text

#: Sources that are read for one file; they are parsed only if a question leads to them.
_MOST = 128
_ENDINGS = (".cpp", ".cc", ".cxx", ".c", ".cu")


def sources_of_headers(closure: Closure) -> dict[Path, str]:
    """The sources of the project, by path, that are named like a header that a file includes.

    And that name it: two of one name are of two programs. Those beside the file are no matter
    here.
    """
    found: dict[Path, str] = {}
    for header in closure.files:
        if header == closure.main or not header.is_relative_to(closure.finder.root):
            continue
        for path in _named_like(closure, header):
            if len(found) >= _MOST:
                return found
            try:
                text = read_text(path, INCLUDE_SIZE)
            except UnreadableError:
                continue
            if header.name in text:
                found[path] = text
    return found


def _named_like(closure: Closure, header: Path) -> Iterator[Path]:
    index = project_index(closure.finder.root)
    for ending in _ENDINGS:
        named = map(Path, index.get(header.stem + ending, ()))
        like = [p for p in named if p not in closure.files]
        near = [p for p in like if p.parent.name == header.parent.name] or like
        if len(near) == 1 and near[0].parent != closure.main.parent:
            yield near[0]
