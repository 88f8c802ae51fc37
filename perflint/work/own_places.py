"""Findings where their reader can act: in the files and folders that were to be checked.

What lies in a library's header, or in another folder's, is told at the line of the user's that
brought it in: where it was inlined, else the `#include`. What no such line brought in is not told.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from perflint.base.span import Span
from perflint.lint.findings import ELSEWHERE, Finding, Related
from perflint.lint.options import CheckOptions
from perflint.lint.site_location import INLINED

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
    root = os.path.realpath(options.root)
    given = [os.path.realpath(folder) for folder in options.given]
    return tuple(
        moved
        for each in findings
        for moved in ([each] if each.place.path in kept else _moved(each, root, given))
    )


def _moved(finding: Finding, root: str, given: Sequence[str]) -> Iterator[Finding]:
    def own(place: Span) -> bool:
        return _is_below(_real(root, place.path), given)

    if own(finding.place):
        yield finding
        return
    calls = [each for each in finding.related if each.message == INLINED]
    places = [each.place for each in calls] + ([finding.brought] if finding.brought else [])
    place = next(filter(own, places), None)
    if place is not None:
        others = [each for each in finding.related if each.place != place]
        related = (Related(finding.place, ELSEWHERE), *others)
        yield replace(finding, place=place, related=related, fix=None)


@lru_cache(maxsize=4096)
def _real(root: str, path: Path) -> str:
    return os.path.realpath(os.path.join(root, path))  # noqa: PTH118 - a path may be absolute


def _is_below(path: str, folders: Sequence[str]) -> bool:
    for folder in folders:
        top = folder.rstrip(os.sep) + os.sep
        if path.startswith(top):
            return _INSTALLED.isdisjoint(path.removeprefix(top).split("/"))
    return False
