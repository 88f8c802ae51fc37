"""Which sources are of a project's tests: beside a program of its own, they do not tell its values.

A test calls with a few numbers that somebody can check by hand; what the program calls with is
what its kernels are slow with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
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
    return _is_named_test(path, beside) or _includes_framework(text)


def _is_named_test(path: Path, beside: Sequence[Path]) -> bool:
    """The same by its path alone."""
    around = [set(each.parents) for each in beside]
    below = [f.name for f in path.parents if not all(f in folders for folders in around)]
    return any(map(_FOLDER.fullmatch, below)) or bool(_NAME.fullmatch(path.stem))


def without_tests(paths: Sequence[Path]) -> list[Path]:
    """Those of some paths that are of no test; all where each is of one."""
    return [path for path in paths if not _is_named_test(path, paths)] or list(paths)


@lru_cache(maxsize=512)
def _includes_framework(text: str) -> bool:
    return bool(_FRAMEWORK.search(text))
