"""A launch in a branch that the program does not take by its defaults is read under another run."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from perflint.cli.commands import cli

PROGRAM = """
#include <cstdlib>
#include <cstring>
#define ROWS 1
#define EVENTS 2
struct Input { int mode, n, each, other; };
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += n;
}
Input told(int argc, char **argv) {
    Input in;
    in.mode = ROWS;
    in.n = 40;
    in.each = 50;
    for (int i = 1; i < argc; ++i) {
        char *word = argv[i];
        if (!strcmp(word, "-n")) in.n = atoi(argv[++i]);
        else if (!strcmp(word, "-m")) {
            char *mode = argv[++i];
            if (!strcmp(mode, "rows")) in.mode = ROWS;
            else if (!strcmp(mode, "events")) { in.mode = EVENTS; in.n = in.n * in.each; }
            else exit(1);
        }
        else exit(1);
    }
    return in;
}
void all(const Input &in) {
    float *a;
    cudaMalloc(&a, in.n * sizeof(float));
    k<<<in.n, 64>>>(a, in.n);
}
int main(int argc, char **argv) {
    Input in = told(argc, argv);
    if (CONDITION) all(in);
}
"""
#: What the launch stands in, how files say that the program is run, the launch, and the run.
CASES = {
    "as it starts": ("in.mode == ROWS", [], "k<<<40, 64>>>(n=40)", ""),
    "by an option": ("in.mode == EVENTS", [], "k<<<2000, 64>>>(n=2000)", "`app -m events`"),
    "unless": ("in.mode != ROWS", [], "k<<<2000, 64>>>(n=2000)", "`app -m events`"),
    "besides what it is told": (
        "in.mode == EVENTS",
        ["./app -n 6"],
        "k<<<300, 64>>>(n=300)",
        "`./app -n 6 -m events`",
    ),
    "the next run": (
        "in.mode == EVENTS",
        ["./app -n 6", "./app -n 7 -m rows", "./app -n 8 -m events"],
        "k<<<400, 64>>>(n=400)",
        "`./app -n 8 -m events` (line 3 of run.sh)",
    ),
    "by a number": ("in.n == 90", [], "k<<<90, 64>>>(n=90)", "`app -n 90`"),
    "in a chain": (
        "in.n == 1) exit(1); else if (in.n == 90",
        [],
        "k<<<90, 64>>>(n=90)",
        "`app -n 90`",
    ),
    "by no option": ("in.each == 3", [], "k<<<40, 64>>>(n=40)", ""),
    "of what is not read": ("in.other == 3", [], "k<<<40, 64>>>(n=40)", ""),
}


@pytest.mark.parametrize(("condition", "runs", "tried", "told"), CASES.values(), ids=CASES)
def test_the_run_that_a_launch_stands_in(
    tmp_path: Path, condition: str, runs: list[str], tried: str, told: str
) -> None:
    (tmp_path / "app.cu").write_text(PROGRAM.replace("CONDITION", condition))
    if runs:
        (tmp_path / "run.sh").write_text("".join(f"{run}\n" for run in runs))
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert found.exception is None
    assert tried in found.output
    assert told in found.output if told else "it is run as" not in found.output
