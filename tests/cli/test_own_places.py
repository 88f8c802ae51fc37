"""Findings are told where their reader can act: in the files and folders that were given."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

Run = Callable[..., Outcome]
KERNEL = "__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n"
FUNCTION = "__device__ inline void put(float *a) { a[threadIdx.x * 32] = 1; }\n"
HALF = """__device__ inline void put(float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; k++)
        a[i] = (a[i] + k) * 0.7;
}
"""
CALL = "__global__ void k(float *a) {\n    put(a);\n}\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in the working directory."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("files", "given", "place", "where"),
    [
        ({"src/a.cu": '#include "k.cuh"\n', "src/k.cuh": KERNEL}, "src", "src/k.cuh:1:31", ""),
        ({"src/a.cu": '#include "k.cuh"\n', "src/k.cuh": KERNEL}, "src/a.cu", "src/k.cuh:1:31", ""),
        (
            {"src/a.cu": '#include "../lib/k.cuh"\n', "lib/k.cuh": KERNEL},
            "src",
            "src/a.cu:1:1",
            "lib/k.cuh:1:31",
        ),
        (
            {"src/a.cu": '#include "../lib/k.cuh"\n', "lib/k.cuh": KERNEL},
            "src lib",
            "lib/k.cuh:1:31",
            "",
        ),
        (
            {"src/a.cu": '\n  #include "../lib/k.cuh"\n', "lib/k.cuh": KERNEL},
            "src --include-headers",
            "lib/k.cuh:1:31",
            "",
        ),
        (
            {
                "src/a.cu": '#include "b.cuh"\n',
                "src/b.cuh": '// first\n#include "../lib/c.cuh"\n',
                "lib/c.cuh": '#include "deep/k.cuh"\n',
                "lib/deep/k.cuh": KERNEL,
            },
            "src",
            "src/a.cu:1:1",
            "lib/deep/k.cuh:1:31",
        ),
        (
            {"src/a.cu": '#include "../lib/f.cuh"\n' + CALL, "lib/f.cuh": FUNCTION},
            "src",
            "src/a.cu:3:5",
            "lib/f.cuh:1:40",
        ),
        (
            {"src/a.cu": '#include "../lib/f.cuh"\n' + CALL, "lib/f.cuh": HALF},
            "src --select CU701",
            "src/a.cu:3:5",
            "lib/f.cuh:4:29",
        ),
        (
            {"src/a.cu": '#include "../lib/f.cuh"\n' + CALL, "lib/f.cuh": FUNCTION},
            ".",
            "lib/f.cuh:1:40",
            "",
        ),
        (
            {
                "a.cu": "#include <site-packages/x/f.cuh>\n" + CALL,
                "site-packages/x/f.cuh": FUNCTION,
            },
            "a.cu",
            "a.cu:3:5",
            "site-packages/x/f.cuh:1:40",
        ),
    ],
)
def test_where_a_finding_is_told(
    run: Run, tree: Path, files: Mapping[str, str], given: str, place: str, where: str
) -> None:
    write(tree, files)
    outcome = run("--select", "CU101", "--output-format", "json", *given.split())
    [found] = json.loads(outcome.out)
    at = found["location"]
    assert f"{found['filename']}:{at['row']}:{at['column']}" == place
    told = [
        f"{r['filename']}:{r['location']['row']}:{r['location']['column']}"
        for r in found["related"]
        if r["message"] == "it stands here"
    ]
    assert told == [where] * bool(where)


def test_two_files_that_include_it_tell_it_once(run: Run, tree: Path) -> None:
    include = '#include "../lib/k.cuh"\n'
    write(tree, {"src/a.cu": include, "src/b.cu": include, "lib/k.cuh": KERNEL})
    out = run("--select", "CU101", "--output-format", "concise", "-q", "src").out
    assert out.startswith("src/a.cu:1:1: warning: CU101 ") and out.count("\n") == 1


@pytest.mark.parametrize("place", ["src/a.cu", "lib/k.cuh"])
def test_a_comment_silences_it_at_either_place(run: Run, tree: Path, place: str) -> None:
    files = {"src/a.cu": '#include "../lib/k.cuh"\n', "lib/k.cuh": KERNEL}
    files[place] = files[place].rstrip() + "  // perflint: ignore[CU101] -- known\n"
    write(tree, files)
    assert run("--select", "CU101,CU003", "src").status == 0


def test_nothing_outside_of_the_paths_is_fixed(run: Run, tree: Path) -> None:
    slow = "__global__ void f(float *y, const float *x) {\n    int i = threadIdx.x;\n"
    slow += "    y[i] = x[i] * 0.1;\n}\n"
    write(tree, {"src/a.cu": '#include "../lib/k.cuh"\n', "lib/k.cuh": slow})
    command = ("--fix", "--unsafe-fixes", "--select", "CU701")
    assert "nothing to fix" in run(*command, "src").err
    assert (tree / "lib/k.cuh").read_text() == slow
    run(*command, "lib", "src")
    assert "0.1f" in (tree / "lib/k.cuh").read_text()


def test_a_configuration_may_ask_for_headers(run: Run, tree: Path) -> None:
    write(tree, {"src/a.cu": '#include "../lib/k.cuh"\n', "lib/k.cuh": KERNEL})
    write(tree, {"perflint.toml": "include-headers = true\n"})
    out = run("--select", "CU101", "--output-format", "concise", "src").out
    assert out.startswith("lib/k.cuh:1:31: warning: CU101 ")


def test_one_process_checks_in_several_working_directories(
    run: Run, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where relative paths lead to is not remembered of the one before."""
    monkeypatch.setattr("perflint.work.parallel.FORKS", False)
    for name in ("one", "other"):
        write(tree / name, {"src/a.cu": '#include "../lib/k.cuh"\n', "lib/k.cuh": KERNEL})
        monkeypatch.chdir(tree / name)
        out = run("--select", "CU101", "--output-format", "concise", "-q", "src").out
        assert out.startswith("src/a.cu:1:1: warning: CU101 ")
