"""Which sources are of a project's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.frontend.source.project.own_tests import is_test, without_tests

CASES = {
    "app/main.cu": False,
    "tests/main.cu": True,
    "gpu/UnitTests/sums.cu": True,
    "gpu/sums_test.cpp": True,
    "gpu/test-sums.cpp": True,
    "gpu/SumsTest.cpp": True,
    "gpu/latest.cpp": False,
    "gpu/contest.cpp": False,
    "testbed/sums.cpp": False,
}


@pytest.mark.parametrize("path", CASES)
def test_folders_and_names(path: str) -> None:
    assert is_test(Path(path), "", [Path("gpu/sums.cu")]) is CASES[path]


def test_a_folder_around_both_says_nothing() -> None:
    assert not is_test(Path("/a/tests/app/main.cu"), "", [Path("/a/tests/gpu/sums.cu")])


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("<gtest/gtest.h>", True),
        ('"../third/catch.hpp"', True),
        ("<catch2/catch_test_macros.hpp>", True),
        ('"doctest.h"', True),
        ('"catcher.h"', False),
        ("<vector>", False),
    ],
)
def test_frameworks(header: str, expected: bool) -> None:
    assert is_test(Path("sums.cpp"), f"\n#include {header}\n", []) is expected


def test_where_all_are_tests_each_counts() -> None:
    paths = [Path("a/test_sums.cu"), Path("a/test_rows.cu")]
    assert without_tests(paths) == paths
    assert without_tests([*paths, Path("a/main.cu")]) == [Path("a/main.cu")]
