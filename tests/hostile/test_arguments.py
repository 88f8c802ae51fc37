"""A path is never an option, nor a command; a tree's configuration chooses no compiler."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.base import processes
from tests.cli.conftest import Outcome, Pipeline
from tests.hostile.conftest import KERNEL, SECRET, evil

Run = Callable[..., Outcome]


@pytest.mark.parametrize(
    "name",
    ["--nvcc=./evil.cu", "--add-ignore=.cu", "-o.cu", "--write-baseline=b.cu", "--config=c.cu",
     "--fix", "-v.cu", "--nvcc", "--launches=l.cu", "--", "-I.cu"],
)  # fmt: skip
def test_a_files_name_is_no_option(name: str, run: Run, tree: Path) -> None:
    mark = tree.parent / "ran"
    evil(tree / "evil.cu", mark)
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_text(KERNEL)
    before = sorted((p, p.read_bytes()) for p in tree.rglob("*") if p.is_file())
    outcome = run("a.cu", name)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1 and f"write ./{name}" in outcome.err
    assert sorted((p, p.read_bytes()) for p in tree.rglob("*") if p.is_file()) == before
    assert not mark.exists()


def test_behind_two_dashes_a_name_is_a_path(run: Run, tree: Path, pipeline: Pipeline) -> None:
    (tree / "-o.cu").write_text(KERNEL)
    assert run("check", "--force-exclude", "--", "-o.cu").status == 0
    assert pipeline.paths == (Path("-o.cu"),)
    assert run("./-o.cu").status == 0


@pytest.mark.parametrize("name", ["run", "build", "triton", "numba"])
def test_a_files_name_is_no_command(name: str, run: Run, tree: Path) -> None:
    mark = tree.parent / "ran"
    evil(tree / "x.sh", mark)
    (tree / name).write_text("")
    outcome = run(name, "./x.sh")
    assert outcome.status == 2 and "is a command, and a file here" in outcome.err
    assert not mark.exists()


def test_a_folder_called_build_is_in_nobodys_way(run: Run, tree: Path) -> None:
    (tree / "build").mkdir()
    mark = tree.parent / "ran"
    assert run("build", str(evil(tree / "make.sh", mark))).status == 0
    assert mark.exists()  # the user asked for it


def test_the_hook_parts_options_from_names() -> None:
    yaml = pytest.importorskip("yaml")
    root = Path(__file__).parents[2]
    [hook] = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text())
    assert hook["args"][-1] == "--"


# --- consent --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["nvcc = true\n", 'frontend = "nvcc"\n'])
@pytest.mark.parametrize("allowed", ["", "option", "file"])
def test_nvcc_is_the_users_to_allow(
    text: str, allowed: str, run: Run, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tree.parent / "ran"
    evil(tree.parent / "bin" / "nvcc", mark)
    monkeypatch.setenv("PATH", f"{tree.parent / 'bin'}:/usr/bin:/bin")
    (tree / "perflint.toml").write_text(text)
    if allowed == "file":
        own = tree.parent / ".config" / "perflint" / "perflint.toml"
        own.parent.mkdir(parents=True)
        own.write_text("allow-nvcc = true\n")
    outcome = run(*["--allow-nvcc"] * (allowed == "option"), "a.cu")
    assert mark.exists() is bool(allowed)
    assert ("asks for nvcc, which is not used" in outcome.err) is (not allowed)


def test_a_tree_does_not_allow_it_to_itself(run: Run, tree: Path) -> None:
    (tree / "perflint.toml").write_text("nvcc = true\nallow-nvcc = true\n")
    outcome = run("a.cu")
    assert outcome.status == 2 and "allow-nvcc: it comes from the command line" in outcome.err


def real_nvcc() -> str:
    found = processes.program("nvcc")
    if found is None:
        wheel = sorted(Path(shutil.__file__).parents[0].glob("site-packages/nvidia/*/bin/nvcc"))
        found = wheel[0] if wheel else None
    if found is None or processes.program("g++") is None:
        pytest.skip("needs nvcc and a host compiler")
    return str(found)


@pytest.mark.parametrize(
    "text",
    [
        '#include "{0}"\n',
        '#include "../secret.h"\n',
        "#define H <{0}>\n#include H\n",
        '#include "{0}"\n#if SECRET_WORD\n#endif\n',
        '#include "{0}"\n#error x\n',
        '#include "{0}"\n#include SECRET_WORD\n',
        '#include "link.h"\n',
    ],
)
def test_what_nvcc_reads_outside_is_not_told(text: str, run: Run, tree: Path) -> None:
    nvcc = real_nvcc()
    secret = tree.parent / "secret.h"
    secret.write_text(f'#define SECRET_WORD "{SECRET}"\n{SECRET} {SECRET};\n')
    (tree / "link.h").symlink_to(secret)
    (tree / "a.cu").write_text(text.format(secret) + KERNEL)
    outcome = run("--select", "ALL,CU002", f"--nvcc={nvcc}", "--output-format", "concise", "a.cu")
    assert SECRET not in outcome.out + outcome.err
    assert "CU00" in outcome.out


def test_what_nvcc_says_of_the_project_is_told(run: Run, tree: Path) -> None:
    nvcc = real_nvcc()
    for text, said in (
        ('#include "none.h"\n', "none.h: No such file"),
        ("#error build it otherwise\n", "#error build it otherwise"),
        ("int x = y;\n", 'identifier "y" is undefined'),
    ):
        (tree / "a.cu").write_text(text + KERNEL)
        outcome = run(
            "--select", "ALL,CU002", f"--nvcc={nvcc}", "--output-format", "concise", "a.cu"
        )
        assert outcome.out.startswith("a.cu:1:") and said in outcome.out
