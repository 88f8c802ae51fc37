"""Every process is started through `perflint.base.processes`, which nothing in a tree can bend."""

from __future__ import annotations

import ast
import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from perflint.base import processes
from perflint.frontend.nvrtc.library import Job
from perflint.frontend.nvrtc.pool import Pool
from tests.hostile.conftest import KERNEL, evil

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    p for f in ("perflint", "grammar", "rules", "sim") for p in (ROOT / f).rglob("*.py")
)
MODULES = {"subprocess", "pty", "multiprocessing", "runpy", "webbrowser"}
FUNCTIONS = {
    *("fork", "forkpty", "system", "popen", "startfile", "create_subprocess_exec"),
    *("create_subprocess_shell", "subprocess_exec", "subprocess_shell", "ProcessPoolExecutor"),
}  # fmt: skip


def starts(tree: ast.AST) -> Iterator[str]:
    """What in a module could start a process."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield node.module
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names if is_start(alias.name))
        elif isinstance(node, ast.Attribute) and is_start(node.attr):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner not in {"processes", "sys"}:
                yield f"{owner}.{node.attr}"


def is_start(name: str) -> bool:
    return name in FUNCTIONS or name.startswith(("execl", "execv", "spawn", "posix_spawn"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_one_door(path: Path) -> None:
    if path == ROOT / "perflint" / "base" / "processes.py":
        return
    assert not list(starts(ast.parse(path.read_text("utf-8"))))


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess", "from subprocess import run", "import os\nos.system('x')",
        "from os import execv", "import asyncio\nasyncio.create_subprocess_exec('x')",
        "import multiprocessing", "import os\nos.posix_spawn('x', [], {})", "import os\nos.fork()",
    ],
)  # fmt: skip
def test_the_walk_sees_a_start(text: str) -> None:
    assert list(starts(ast.parse(text)))


def plant(folder: Path, mark: Path) -> None:
    """What Python would import from a working directory."""
    text = f"open({str(mark)!r}, 'w').close()\n"
    for name in ("click", "json", "sitecustomize", "usercustomize", "numpy", "ctypes", "pip"):
        (folder / f"{name}.py").write_text(text)
    (folder / "perflint").mkdir(exist_ok=True)
    (folder / "perflint" / "__init__.py").write_text(text)
    (folder / "perflint" / "__main__.py").write_text(text)


@pytest.mark.parametrize("variable", ["", "PYTHONPATH"])
def test_no_module_of_the_tree_is_imported(
    variable: str, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tree.parent / "ran"
    plant(tree, mark)
    if variable:
        monkeypatch.setenv(variable, f".{os.pathsep}{os.pathsep}sub")
    monkeypatch.setenv("PYTHONSTARTUP", "click.py")
    with Pool() as pool:
        assert pool.compile(Job(KERNEL, "a.cu")).code == 0
    said = processes.output(processes.own("perflint", "--version"), seconds=60, most=1000)
    assert said.status == 0 and said.out.startswith(b"perflint ")
    assert not mark.exists()


def test_opening_a_file_in_an_editor_imports_nothing_of_its_folder(tree: Path) -> None:
    language_server = pytest.importorskip("perflint.cli.language_server")
    mark = tree.parent / "ran"
    plant(tree, mark)
    checker = language_server.Checker()
    found = asyncio.run(checker.check(tree / "a.cu", KERNEL))
    checker.end()
    assert found is not None
    assert [f["code"] for f in found["findings"]].count("CU101") == 1
    assert not mark.exists()


def test_a_program_is_not_taken_from_the_working_directory(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil(tree / "git", tree.parent / "ran")
    evil(tree / "bin" / "git", tree.parent / "ran")
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}bin{os.pathsep}{os.environ['PATH']}")
    found = processes.program("git")
    assert found is not None and found.is_absolute() and not found.is_relative_to(tree)
    monkeypatch.setenv("PATH", f".{os.pathsep}bin")
    assert processes.program("git") is None


def test_what_prints_too_much_or_never_ends_is_stopped() -> None:
    shell = processes.program("sh")
    assert shell is not None
    endless = processes.tool(shell, "-c", "while :; do echo y; done")
    assert processes.output(endless, seconds=60, most=1000) == processes.Said(None, b"")
    waits = processes.tool(shell, "-c", "sleep 1000 & wait")
    assert processes.output(waits, seconds=0.2, most=1000).status is None


# --- the action -----------------------------------------------------------------------------------


def test_the_action_runs_no_module_of_the_pull_request(tmp_path: Path) -> None:
    """Each of its scripts, in a workspace full of modules; pip and perflint are stood in for."""
    yaml = pytest.importorskip("yaml")
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    workspace, temp, mark = tmp_path / "workspace", tmp_path / "temp", tmp_path / "ran"
    workspace.mkdir(), temp.mkdir()
    plant(workspace, mark)
    for name in ("pip", "venv"):
        (workspace / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    log = tmp_path / "log"
    there = temp / "perflint" / "bin"
    called = f"echo \"$PWD: $*\" >> '{log}'\n"
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "python").write_text(
        f'#!/bin/sh\n{called}case "$*" in *venv*) exit;; esac\nexec \'{sys.executable}\' "$@"\n'
    )
    there.mkdir(parents=True)
    (there / "python").write_text(f"#!/bin/sh\n{called}")
    (there / "perflint").write_text(
        f"#!/bin/sh\n{called}touch '{temp}/perflint.md' '{temp}/perflint.sarif'\n"
    )
    for each in (bin_ / "python", there / "python", there / "perflint"):
        each.chmod(0o755)
    env = {
        "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path),
        "RUNNER_TEMP": str(temp), "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "PERFLINT_SOURCE": str(ROOT),
        "PERFLINT_PATHS": "src", "PERFLINT_ARGS": "",
    }  # fmt: skip
    for step in steps:
        if "run" not in step or step["run"] == "exit 1":
            continue
        where = {"": workspace, "${{ runner.temp }}": temp}[step.get("working-directory", "")]
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]], cwd=where, env=env, check=False
        )
        assert done.returncode == 0, step
    lines = log.read_text().splitlines()
    assert len(lines) == 4 and not mark.exists()
    for line in lines[:3]:
        assert line.startswith(f"{temp}: -I -m "), line
    assert lines[3].startswith(f"{workspace}: check ") and lines[3].endswith(" -- src")
