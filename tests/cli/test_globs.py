"""Patterns hold against git itself, and no pattern takes long."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perflint.cli.globs import MOST_PATTERNS, Globs

NAMES = st.sampled_from(["a", "b", "ab", "a.cu", "b.cu", "[a]", "!a", "#a", "a b", "\\a", "A1"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
#: A bracket that is not closed within its part of the path is left out: git takes it for the rest.
_WORDS = "a b * ** / ? [ab] [!a] [a-c] [[:digit:]] .cu \\a \\* ! # []a] 1 \\!"
PIECES = st.sampled_from([*_WORDS.split(" "), " ", "\\ "])
#: So is `**` beside anything but a slash, which gitignore(5) calls a regular star and git does not.
PATTERNS = (
    st.lists(PIECES, min_size=1, max_size=6)
    .map("".join)
    .filter(lambda pattern: not re.search(r"[^/!]\*\*|\*\*[^/]", pattern))
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(PATTERNS, min_size=1, max_size=3), st.lists(PATHS, min_size=8, max_size=8))
def test_git_agrees(repository: Path, patterns: list[str], paths: list[str]) -> None:
    (repository / ".gitignore").write_text("".join(f"{p}\n" for p in patterns))
    asked = "".join(f"{path}\0" for path in paths)
    answer = subprocess.run(
        ["git", "check-ignore", "--no-index", "-z", "--stdin"],
        input=asked, cwd=repository, capture_output=True, text=True,
    ).stdout  # fmt: skip
    ignored = set(answer.split("\0")) - {""}
    globs = Globs(patterns)
    for path in paths:
        assert globs.match(path) == (path in ignored), (patterns, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 25 + "b", "a" * 203),
        ("*[a]?" * 25 + "b", "a" * 203),
        ("**/a/" * 25 + "b", "a/" * 60 + "c"),
        ("*" * 10_000 + "b", "a" * 203),
        ("[" * 20_000, "a" * 203),
        ("\\" * 20_001, "a" * 203),
        ("a" * 100_000 + "*", "a" * 203),
        ("?" * 5_000 + "*b", "a" * 203),
    ],
    ids=lambda text: text[:12],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    globs = Globs([pattern])  # hangs if it is not linear
    assert not any(globs.match(path) for _ in range(50))


def test_the_number_of_patterns_is_bounded() -> None:
    many = Globs([f"*.{n}" for n in range(MOST_PATTERNS + 10)])
    assert many.cut and many.match("a.7") and not many.match(f"a.{MOST_PATTERNS + 5}")
    names = Globs([f"name{n}" for n in range(100_000)])
    assert not names.cut and names.match("x/name77777")
