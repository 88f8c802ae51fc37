"""Findings where their reader can act: in the files and folders that were to be checked.

What lies in a library's header, or in another folder's, is told at the line of the user's that
brought it in: where it was inlined, else the `#include`. What no such line brought in is not told.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base.real_paths import real_path
from perflint.base.span import Span
from perflint.lint.findings import ELSEWHERE, INLINED, Finding, Related
from perflint.lint.options import CheckOptions

#: Folders of what others wrote, though they lie in a project.
_INSTALLED = frozenset({"site-packages", "dist-packages", "node_modules"})


def in_own_places(
    findings: Iterable[Finding], options: CheckOptions, kept: Container[Path] = ()
) -> tuple[Finding, ...]:
    """The findings, those outside of the folders given moved to the user's own lines.

    Those in the files `kept` stay: what PTX calls its sources, which no line includes.
    """
    if not options.given:
        return tuple(findings)
    given, root = options.given, options.root
    return tuple(
        moved
        for each in findings
        for moved in ([each] if each.place.path in kept else _moved(each, root, given))
    )


def is_own(path: Path, root: Path, given: Sequence[Path]) -> bool:
    """Whether a path, relative to `root`, lies in a folder given, and nobody installed it there."""
    return any(  # a link in a folder given is the user's own to mend, wherever it leads
        _is_below(way(root, path), [way(root, folder) for folder in given])
        for way in (_real, _written)
    )


def _moved(finding: Finding, root: Path, given: Sequence[Path]) -> Iterator[Finding]:
    def own(place: Span) -> bool:
        return is_own(place.path, root, given)

    if own(finding.place):
        yield finding
        return
    calls = [each for each in finding.related if each.message == INLINED]
    places = [each.place for each in calls] + ([finding.brought] if finding.brought else [])
    place = next(filter(own, places), None)
    if place is not None:
        others = [each for each in finding.related if each.place != place]
        related = (Related(finding.place, ELSEWHERE), *others)
        yield replace(finding, place=place, related=related, fix=None, untried=False)
    elif not finding.evidence:  # of what could not be looked at it is always told
        yield finding


def _real(root: Path, path: Path) -> str:
    return str(real_path(root / path))


def _written(root: Path, path: Path) -> str:
    return os.path.abspath(root / path)  # noqa: PTH100 - links are not followed


def _is_below(path: str, folders: Sequence[str]) -> bool:
    for folder in folders:
        top = folder.rstrip(os.sep) + os.sep
        if path.startswith(top):
            return _INSTALLED.isdisjoint(path.removeprefix(top).split("/"))
    return False
