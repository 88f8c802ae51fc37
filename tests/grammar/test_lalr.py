"""The grammar's tables, built or kept: the same parser, and no file of anybody else's."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

import pytest

from perflint.grammar import kept_folder, lalr


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's cache directory."""
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    return tmp_path


def names() -> list[str]:
    """The terminals of a parser made as if for the first time."""
    return [each.name for each in lalr.parser.__wrapped__().terminals]


BUILT = [each.name for each in lalr.build(None).terminals]


def test_kept_tables_are_those_of_the_grammar(cache: Path) -> None:
    assert names() == BUILT
    (kept,) = kept_folder.cache_directory().iterdir()
    written = kept.stat().st_mtime_ns
    assert names() == BUILT
    assert kept.stat().st_mtime_ns == written


def test_a_broken_file_is_built_anew(cache: Path) -> None:
    names()
    (kept,) = kept_folder.cache_directory().iterdir()
    kept.write_bytes(kept.read_bytes()[:-100])
    assert names() == BUILT


def test_no_place_to_keep_anything_is_no_trouble(cache: Path) -> None:
    cache.joinpath("perflint").write_text("a file, not a folder")
    cache.joinpath("Library").write_text("likewise")
    assert names() == BUILT


class Planted:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.trace,)


@pytest.mark.skipif(sys.platform == "win32", reason="folders have access lists there")
@pytest.mark.parametrize("mode", [0o700, 0o770, 0o707])
def test_nothing_is_read_where_others_may_write(cache: Path, mode: int) -> None:
    names()
    (kept,) = kept_folder.cache_directory().iterdir()
    header = kept.read_bytes().partition(b"\n")[0]
    trace = cache / "trace"
    planted = header + b"\n" + pickle.dumps(Planted(trace))
    kept.write_bytes(planted)
    kept.parent.chmod(mode)
    assert names() == BUILT
    # In a folder of the user's alone it is read: this is what the others' mode prevents.
    assert trace.exists() == (mode == 0o700)
    assert (kept.read_bytes() == planted) == (mode != 0o700)


@pytest.mark.skipif(sys.platform == "win32", reason="folders have access lists there")
def test_a_folder_of_another_user_is_left_alone(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert names() == BUILT
    assert not list(kept_folder.cache_directory().iterdir())


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="they have no XDG directories")
def test_a_relative_cache_directory_is_ignored(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert kept_folder.cache_directory() == cache / ".cache" / "perflint" / "grammar"
