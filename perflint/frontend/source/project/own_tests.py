"""Which sources are of a project's tests: beside a program of its own, they do not tell its values.

A test calls with a few numbers that somebody can check by hand; what the program calls with is
what its kernels are slow with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache, reduce
from itertools import takewhile
from pathlib import Path

from perflint.base.patterns import pattern

_FOLDER = pattern(r"(?:unit[_-]?)?tests?|testing|g(?:oogle)?tests?", re.IGNORECASE)
_NAME = pattern(
    r"(?i:(?:.*[_.-])?(?:unit_?)?tests?|(?:unit_?)?tests?[_.-].*)|.*[a-z0-9]Tests?|Test[A-Z].*"
)
_FRAMEWORK = pattern(
    r'^[ \t]*#[ \t]*include[ \t]*[<"](?:[\w./-]*/)?(?:g(?:test|mock)/|catch2/|doctest/'
    r"|(?:gtest|gmock|catch|catch_\w+|doctest)\.h|boost/test/)",
    re.MULTILINE,
)


def is_test(path: Path, text: str, beside: Sequence[Path]) -> bool:
    """Whether a file is of a test, as others of its project see it.

    By the folders that these do not lie in, by its name, or by the framework that it includes.
    """
    return _is_named_test(path, _shared_folders(beside)) or _includes_framework(text)


def without_tests(paths: Sequence[Path]) -> list[Path]:
    """Those of some paths that are of no test; all where each is of one."""
    shared = _shared_folders(paths)
    return [path for path in paths if not _is_named_test(path, shared)] or list(paths)


def _is_named_test(path: Path, shared: tuple[str, ...] | None) -> bool:
    """Whether a file is of a test by its path alone, below the folders that others share."""
    folders = path.parts[:-1]
    below = () if shared is None else folders[len(_common(folders, shared)) :]
    return any(map(_FOLDER.fullmatch, below)) or bool(_NAME.fullmatch(path.stem))


def _shared_folders(paths: Sequence[Path]) -> tuple[str, ...] | None:
    """The folders, from the root on, in which all of some files lie; None where there are none."""
    return reduce(_common, (path.parts[:-1] for path in paths)) if paths else None


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The folders with which two paths begin."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return tuple(folder for folder, _ in same)


@lru_cache(maxsize=512)
def _includes_framework(text: str) -> bool:
    return bool(_FRAMEWORK.search(text))
