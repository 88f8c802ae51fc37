"""Who includes a fragment: found in an index of `#include` lines."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from perflint.frontend.includers import includers, sources_above


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {
        "part.cuh": "__global__ void k() {}\n",
        "a.cu": '#include "part.cuh"\n',
        "between.h": '  #  include <part.cuh>\n#include "part.cuh"\n',
        "b.cu": '#include "between.h"\n',
        "comment.cu": "// include part.cuh\nint included;\n",
        "other/part.cuh": "",
        "other/c.cu": '#include "part.cuh"\n',
        "sub/d.cu": '#include "../part.cuh"\n',
        "far/e/f.cu": '#include "../../nowhere/part.cuh"\n',
    }
    write(tmp_path, files)
    (tmp_path / "link.cu").symlink_to("a.cu")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.cu")
    return tmp_path


def test_includers_are_found_nearest_first(tree: Path) -> None:
    found = [p.relative_to(tree).as_posix() for p in includers(tree, tree / "part.cuh")]
    assert found == ["a.cu", "between.h", "sub/d.cu"]
    assert includers(tree, tree / "a.cu") == ()


def test_sources_are_found_through_headers(tree: Path) -> None:
    found = [p.relative_to(tree).as_posix() for p in sources_above(tree, tree / "part.cuh")]
    assert found == ["a.cu", "sub/d.cu", "b.cu"]


def test_what_may_be_another_file_comes_last(tmp_path: Path) -> None:
    files = {
        "a/kernels.cu": "",
        "a/moves.h": '#include "kernels.cu"\n',
        "a/main.cu": '#include "moves.h"\n',
        "b/main.cu": "#include <kernels.cu>\n",
    }
    write(tmp_path, files)
    found = sources_above(tmp_path, tmp_path / "a/kernels.cu")
    assert found == [tmp_path / "a/main.cu", tmp_path / "b/main.cu"]
