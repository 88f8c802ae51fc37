"""Programs of several files whose `main` is run on paper, and what a run does beside its answers.

What is told of the launches of one file is data: `runs`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from perflint.cli.commands import cli
from perflint.frontend.source.host.execution.run import Run

HEAD = """
#include <cstdlib>
#include <memory>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
"""
LAUNCH = "    float *a;\n    cudaMalloc(&a, 4096);\n    k<<<(@N + 63) / 64, 64>>>(a, @N, @M);\n"
SETTERS = (Path(__file__).parent / "runs" / "setter_chain.cu").read_text()


@pytest.mark.parametrize(("taken", "known"), [("int", True), ("int &", False)])
def test_a_prototype_stands_in_what_the_file_of_main_includes(
    taken: str, known: bool, tmp_path: Path
) -> None:
    main = """
#include "made.h"
void go(float *a, int m);
int main(int argc, char **argv) {
    int m = argc > 1 ? 9 : 1;
    float *a;
    if (create(&a, m) != 0) return 1;
    go(a, m);
}
"""
    kernels = HEAD + "void go(float *a, int m) { k<<<4, 64>>>(a, 256, m); }\n"
    (tmp_path / "made.h").write_text(f"int create(float **to, {taken} size);\n")
    (tmp_path / "main.cu").write_text(main)
    (tmp_path / "kernels.cu").write_text(kernels)
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./main x\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert (re.search(r"m +9 +read", found.output) is not None) == known, found.output


def test_two_objects_of_one_class_are_not_taken_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "app.cu").write_text(
        HEAD
        + """
class Stage {
    int n_, m_;
  public:
    Stage(int n, int m) : n_(n), m_(m) {}
    void run() { float *a = nullptr; k<<<(n_ + 63) / 64, 64>>>(a, n_, m_); }
};
int main(int argc, char **argv) {
    Stage one(atoi(argv[1]), 1), other(64, 2);
    one.run();
    other.run();
}
"""
    )
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app 640\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert "n=640, m=2" not in found.output
    assert "n=64, m=1" not in found.output


@pytest.mark.parametrize(
    "rule",
    ["app: $(UNITS:%=%.o)\n\tnvcc $^ -o $@\n%.o: src/%.cu\n\tnvcc -c $< -o $@\n",
     "app: $(OBJ)\n\tnvcc $^ -o $@\n%.o: %.cu\n\tnvcc -c $< -o $@\n"],
)  # fmt: skip
def test_a_makefile_may_name_objects_by_substitution(rule: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.cu").write_text(SETTERS)
    head = "UNITS := main\nSRC := $(wildcard src/*.cu)\nOBJ := $(SRC:.cu=.o)\n"
    (tmp_path / "Makefile").write_text(head + rule)
    (tmp_path / "README.md").write_text("# app\n\n    make\n    ./app 640\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert "k<<<10, 64>>>(n=640, m=7)" in found.output


def test_a_fault_of_the_run_loses_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(Run, "go", fails)
    monkeypatch.delenv("PERFLINT_TRACEBACK", raising=False)
    (tmp_path / "app.cu").write_text(SETTERS)
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app 640\n")
    found = CliRunner().invoke(cli, ["launches", "-j1", str(tmp_path)], standalone_mode=False)
    assert "1 launch of 1 kernel" in found.output and "n=640, m=7" not in found.output


def test_of_a_loop_that_takes_too_long_no_turn_is_told_as_all(tmp_path: Path) -> None:
    program = (
        """
int chain(int n) {
    int s = 0;
    for (int i = 0; i < 90; ++i) { s += n * i; if (s > 9) s %= 9; }
    return s;
}
int main(int argc, char **argv) {
    int got = 0;
    for (int n = 64; n <= 1 << 20; n *= 2) {
        int m = 1;
        for (int i = 0; i < 90; ++i) got += chain(got + i);
"""
        + LAUNCH.replace("@N", "n").replace("@M", "m")
        + "    }\n}"
    )
    (tmp_path / "app.cu").write_text(HEAD + program)
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app 1\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    rows = [row for row in found.output.splitlines() if "tried as" in row]
    assert len(rows) > 1, found.output


def test_a_default_is_not_read_where_the_run_saw_more_than_it_keeps(tmp_path: Path) -> None:
    program = (
        """
struct Config { int n = 640, m = 2; };
struct Parts {
    Config held;
    void step() {
"""
        + LAUNCH.replace("@N", "held.n").replace("@M", "held.m")
        + """    }
};
struct Engine {
    std::unique_ptr<Parts> parts;
    Engine(const Config &c) : parts(new Parts) { parts->held = c; parts->step(); }
};
void other(Engine &e);
int main(int argc, char **argv) {
    Config c;
    c.n = atoi(argv[1]);
    Engine e(c);
    for (int i = 0; i < rand(); ++i) { e.parts->step(); other(e); }
}
"""
    )
    (tmp_path / "app.cu").write_text(HEAD + program)
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app 64\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert re.search(r"m +2 +read", found.output) is None, found.output
    assert re.search(r"m +2 +assumed, which the program may change", found.output), found.output


@pytest.mark.parametrize(("turns", "last"), [(4, True), (40, False)])
def test_all_turns_of_a_loop_that_has_few_are_seen(
    turns: int, last: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[Run] = []
    go = Run.go

    def noted(run: Run, *given: Any) -> None:
        runs.append(run)
        go(run, *given)

    monkeypatch.setattr(Run, "go", noted)
    loop = f'for (int at = 0; at < {turns}; at += 1) {{ puts("part"); fabs(at); }}'
    launch = LAUNCH.replace("@N", "64").replace("@M", "1")
    (tmp_path / "app.cu").write_text(f"{HEAD}int main(int argc, char **argv) {{ {loop} {launch} }}")
    (tmp_path / "run.sh").write_text("#!/bin/sh\n./app 640\n")
    CliRunner().invoke(cli, ["launches", "-j1", str(tmp_path)], standalone_mode=False)

    seen = [
        each for (_, text), kept in runs[0].read.items() if text == "at" for each in kept.values()
    ]
    assert any(isinstance(each, frozenset) and turns - 1 in each for each in seen) == last, seen
