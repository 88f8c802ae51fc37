"""What is read, and what of it is told: ways around the bound that were found later."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.base.plain_text import clean
from perflint.frontend.known_headers import is_cuda
from tests.cli.conftest import Outcome
from tests.hostile.conftest import KERNEL, SECRET, evil

Run = Callable[..., Outcome]
UP = "../" * 40


@pytest.mark.parametrize("folder", ["cuda/std/", "cuda/", "nv/", "crt/", "cub/block/"])
@pytest.mark.parametrize("quotes", ["<>", '""'])
def test_the_toolkits_folders_lead_nowhere(folder: str, quotes: str, run: Run, tree: Path) -> None:
    secret = tree.parent / "secret.h"
    name = f"{folder}{UP}{str(secret)[1:]}"
    (tree / "a.cu").write_text(f"#include {quotes[0]}{name}{quotes[1]}\n{KERNEL}")
    outcome = run("--select", "ALL,CU002", "--output-format", "concise", "a.cu")
    assert SECRET not in outcome.out + outcome.err
    assert "is outside the project" in outcome.out


@pytest.mark.parametrize(
    "name",
    ["cuda/../x", "cuda/std/..", "cuda/./x", "cuda//etc/x", "nv/\\..\\x", "cuda/std/\n", "crt/.."],
)
def test_a_name_that_climbs_is_none_of_cudas(name: str) -> None:
    assert not is_cuda(name)
    assert is_cuda("cuda/std/type_traits") and is_cuda("cub/block/block_scan.cuh")


@pytest.mark.parametrize("name", ["perflint.toml", ".perflint.toml", "pyproject.toml"])
def test_a_configuration_that_is_a_link_is_not_the_users(name: str, run: Run, tree: Path) -> None:
    """The user's own file names a program beside itself; the tree has one of that name."""
    own = tree.parent / ".config" / "perflint" / "perflint.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[tool.perflint]\nnvcc = "./nvcc"\n' if "py" in name else 'nvcc = "./nvcc"\n')
    mark = tree.parent / "ran"
    evil(tree / "nvcc", mark)
    (tree / name).symlink_to(own)
    outcome = run("a.cu")
    assert outcome.status == 2 and not mark.exists()


def test_a_linked_configuration_tells_nothing(run: Run, tree: Path) -> None:
    secret = tree.parent / "token"
    secret.write_text(f'{SECRET} = "x"\n')
    (tree / "perflint.toml").symlink_to(secret)
    outcome = run("a.cu")
    assert outcome.status == 2 and SECRET not in outcome.err
    assert "is a link that leads out of the project" in outcome.err


@pytest.mark.parametrize("there", [True, False])
def test_a_baseline_does_not_tell_what_is_on_the_machine(there: bool, run: Run, tree: Path) -> None:
    asked = tree.parent / ("secret.h" if there else "none.h")
    entry = dict.fromkeys(("code", "kernel", "message", "id"), "x") | {"path": str(asked)}
    (tree / "b.json").write_text(json.dumps({"perflint-baseline": 1, "findings": [entry]}))
    assert "stale" not in run("--baseline", "b.json", "a.cu").err


@pytest.mark.parametrize("character", ["\u061c", "\u180e", "\u2028", "\ufff9", "\U000e0041"])
def test_no_character_hides_text(character: str) -> None:
    assert clean(f"a{character}b") == "a\ufffdb"
