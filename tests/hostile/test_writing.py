"""What writes does not leave the tree through its links."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome
from tests.hostile.conftest import KERNEL

Run = Callable[..., Outcome]
PROFILE = ("profile", "a.cu", "--launch", "k<<<1,32>>>(a=zeros:f32[1024])")


@pytest.fixture
def outside(tree: Path) -> Path:
    """A file beside the tree, and links to it, to its folder, and to what is not there."""
    there = tree.parent / "outside"
    there.mkdir()
    (there / "file").write_text("mine")
    (tree / "file").symlink_to(there / "file")
    (tree / "folder").symlink_to(there)
    (tree / "new").symlink_to("../outside/new")
    (tree / "chain").symlink_to("link/file")
    (tree / "link").symlink_to(there)
    return there


@pytest.mark.parametrize("name", ["file", "folder/file", "folder/x", "new", "chain", "folder/../y"])
@pytest.mark.parametrize(
    "options",
    [
        ("-o", "{}", "a.cu"),
        ("--output-format", "sarif={}", "a.cu"),
        ("--write-baseline", "{}", "a.cu"),
        (*PROFILE, "-o", "{}"),
        (*PROFILE, "--save", "a={}"),
    ],
)
def test_no_link_is_followed_out(
    name: str, options: tuple[str, ...], run: Run, tree: Path, outside: Path
) -> None:
    outcome = run(*(option.replace("{}", name) for option in options))
    assert outcome.status == 2 and "leads out of the project" in outcome.err
    assert [(p.name, p.read_text()) for p in outside.iterdir()] == [("file", "mine")]
    assert not (tree.parent / "y").exists()


def test_links_within_the_tree_and_places_outside_are_fine(
    run: Run, tree: Path, outside: Path
) -> None:
    (tree / "out").mkdir()
    (tree / "inside").symlink_to("out")
    for place in ("inside/a", "../outside/b", str(outside / "c"), "/dev/stdout"):
        assert run("-o", place, "a.cu").status == 1
    assert (tree / "out" / "a").exists() and (outside / "b").exists()


def test_a_link_of_a_checked_folder_beside_the_working_directory(
    run: Run, tree: Path, outside: Path
) -> None:
    os.chdir(tree.parent)
    assert run("--write-baseline", "tree/file", "tree/a.cu").status == 2
    assert (outside / "file").read_text() == "mine"


def test_comments_and_fixes_change_no_file_outside(run: Run, tree: Path, outside: Path) -> None:
    (outside / "s.cu").write_text(KERNEL)
    (tree / "b.cu").symlink_to(outside / "s.cu")
    run("--add-ignore", "b.cu", "a.cu")
    run("--fix", "--unsafe-fixes", "b.cu")
    assert (outside / "s.cu").read_text() == KERNEL
