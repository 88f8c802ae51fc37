"""Which files a kept result depends on: what counts as a source, and what is remembered of it."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest

from perflint.cache import tree
from perflint.cache.tree import Memo, listed, stamp


def stamped(root: Path, before: Memo | None = None) -> tuple[bytes, Memo]:
    found = listed([root], [], without=root / "nowhere")
    assert found is not None
    return stamp(found, before or Memo(), python=False)


@pytest.mark.parametrize(
    ("include", "counts"),
    [
        ('#include "table.tbl"', True),
        ("#include <sub/table.tbl>", True),
        ("#include NAME", True),
        ("#  include \\\n NAME", True),
        ('#if __has_include("table.tbl")', True),
        ("#if __has_include ( NAME )", True),
        ("#ifdef __has_include", False),
        ('#include_next "b.h"', False),
        ('#include "other.tbl"', False),
        ("", False),
    ],
)
def test_files_of_unusual_names_count_if_they_are_included(
    tmp_path: Path, include: str, counts: bool
) -> None:
    (tmp_path / "a.cu").write_text(f"{include}\n")
    (tmp_path / "table.tbl").write_text("1, 2")
    before = stamped(tmp_path)[0]
    (tmp_path / "table.tbl").write_text("1, 3")
    assert (stamped(tmp_path)[0] != before) is counts


def test_contents_are_remembered_but_not_of_what_is_fresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cu").write_text("old")
    digest, memo = stamped(tmp_path)
    assert not memo.contents  # it may change within the clock's grain
    monkeypatch.setattr(tree, "_GRAIN_NS", -(10**12))
    digest, memo = stamped(tmp_path)
    assert Memo.of(memo.packed()) == memo and list(memo.contents) == [str(tmp_path / "a.cu")]
    monkeypatch.setattr(tree, "_read", lambda path: pytest.fail(f"{path} is read again"))
    assert stamped(tmp_path, memo) == (digest, memo)
    monkeypatch.undo()
    status = (tmp_path / "a.cu").stat()
    (tmp_path / "a.cu").write_text("new")
    os.utime(tmp_path / "a.cu", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert stamped(tmp_path, memo)[0] != digest  # though size and time are the same
    for wrong in (None, b"", b"x", zlib.compress(b"[]"), zlib.compress(b'{"a": [1, "", 2]}')):
        assert Memo.of(wrong) == Memo()


def test_too_much_is_not_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.cu").write_text("")
    (tmp_path / "b.cu").write_text("")
    assert listed([tmp_path], [], without=tmp_path / "x") is not None
    monkeypatch.setattr(tree, "MOST_ENTRIES", 1)
    assert listed([tmp_path], [], without=tmp_path / "x") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="files of POSIX")
def test_odd_files_do_no_harm(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "loop.h").symlink_to("loop.h")
    (tmp_path / "gone.h").symlink_to("nowhere.h")
    (tmp_path / "ring").symlink_to(tmp_path)
    (tmp_path / "folder.h").mkdir()
    (tmp_path / os.fsdecode(b"odd \xff.h")).write_text("")
    (tmp_path / "new\nline.h").write_text("")
    digest, memo = stamped(tmp_path)
    assert Memo.of(memo.packed()) == memo
    assert stamped(tmp_path)[0] == digest
    (tmp_path / "gone.h").unlink()
    assert stamped(tmp_path)[0] != digest


def test_what_is_hidden_or_others_is_left_out(tmp_path: Path) -> None:
    for name in (".git/a.h", "node_modules/a.h", "env/pyvenv.cfg", "env/lib/a.h", "kept/cache.h"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "generated.h").write_text("")
    found = listed([tmp_path], [tmp_path / ".git" / "a.h"], without=tmp_path / "kept")
    assert found is not None
    names = {os.path.relpath(path, tmp_path) for path in found.files}
    assert names == {".git/a.h", "build/generated.h"}


@pytest.mark.parametrize(
    ("name", "counts"),
    [("params.in", True), ("sizes.cfg", True), ("sizes.csv", True), ("out.log", False)],
)
def test_files_that_a_run_takes_its_options_from_count(
    name: str, counts: bool, tmp_path: Path
) -> None:
    (tmp_path / "a.cu").write_text("\n")
    before = stamped(tmp_path)[0]
    (tmp_path / name).write_text("n = 7\n")
    assert (stamped(tmp_path)[0] != before) == counts
