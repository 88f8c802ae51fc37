"""Which line of a source brings in a header, directly or through others."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from perflint.base.span import Span
from perflint.frontend.closure import read
from perflint.frontend.source.project.user_files import UnreadableError


def include_lines(main: Path, files: Collection[Path]) -> Mapping[Path, Span]:
    """For each of the files compiled together with `main`, the `#include` in `main` it came by.

    Which file a name means was decided when they were compiled: of these files, the one whose path
    ends in it.
    """
    found: dict[Path, Span] = {}
    others = sorted(path for path in files if path != main)
    for span, path in _included(main, others) if others else ():
        found.setdefault(path, span)
    todo = deque(found)
    while todo:
        header = todo.popleft()
        for _, path in _included(header, others):
            if path not in found:
                found[path] = found[header]
                todo.append(path)
    return found


def _included(path: Path, files: Collection[Path]) -> Iterator[tuple[Span, Path]]:
    """The `#include` lines of a file that name one of some files, each with that file."""
    try:
        text, _, directives = read(path)
    except UnreadableError:
        return
    lines = text.split("\n")
    for include in directives:
        name = tuple(part for part in include.name.split("/") if part not in ("", ".", ".."))
        named = [each for each in files if name and each.parts[-len(name) :] == name]
        if not named or include.line > len(lines):
            continue
        line = lines[include.line - 1].rstrip()
        first = len(line) - len(line.lstrip()) + 1
        beside = path.parent.joinpath(*name)
        yield (
            Span(path, include.line, first, include.line, max(first, len(line)) + 1),
            beside if beside in named else named[0],
        )
