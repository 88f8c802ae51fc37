"""Options that a constructor reads into the object it makes: its defaults, and what a run tells."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from perflint.cli.commands import cli

PROGRAM = """
#include <cstdlib>
#include <unistd.h>
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += n;
}
struct Settings {
    int wide, n, seed;
    Settings(int argc, char **argv) {
        FIRST
        int c;
        while ((c = getopt(argc, argv, "w:n:q")) LAST) {
            switch (c) {
            case 'w': wide = atoi(optarg); break;
            case 'n': n = atoi(optarg); break;
            case 'q': n = 2 * n; break;
            default: exit(1);
            }
        }
        BEHIND
    }
};
int main(int argc, char **argv) {
    const Settings s(argc, argv);
    float *a;
    cudaMalloc(&a, s.n * sizeof(float));
    k<<<10, s.wide>>>(a, s.n);
}
"""
FIRST = "wide = 96; n = 700;"
#: What comes before the loop, until when it goes, what comes behind it, how the program is run, and
#: the launch that is tried; "" where the values are not told.
CASES = {
    "nobody says how it is run": (FIRST, ">= 0", "", "", "k<<<10, 96>>>(n=700)"),
    "until minus one": (FIRST, "!= -1", "", "", "k<<<10, 96>>>(n=700)"),
    "one option told": (FIRST, ">= 0", "", "./app -w 160", "k<<<10, 160>>>(n=700)"),
    "both told": (FIRST, "!= -1", "", "./app -n 900 -w 64", "k<<<10, 64>>>(n=900)"),
    "of what was before": (FIRST, ">= 0", "", "./app -n 450 -q", "k<<<10, 96>>>(n=900)"),
    "set together": ("wide = n = 320;", ">= 0", "", "", "k<<<10, 320>>>(n=320)"),
    "halved behind the loop": (FIRST, ">= 0", "n = n / 2;", "", "k<<<10, 96>>>(n=350)"),
    "changed by a condition": (FIRST, ">= 0", "if (seed > 3) wide = 32;", "", "`seed > 3`"),
    "an option that ends it": (FIRST, ">= 0", "", "./app -z 5", ""),
}


@pytest.mark.parametrize(("first", "last", "behind", "run", "tried"), CASES.values(), ids=CASES)
def test_the_options_of_a_constructor(
    tmp_path: Path, first: str, last: str, behind: str, run: str, tried: str
) -> None:
    text = PROGRAM.replace("FIRST", first).replace("LAST", last).replace("BEHIND", behind)
    (tmp_path / "app.cu").write_text(text)
    if run:
        (tmp_path / "run.sh").write_text(f"{run}\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert found.exception is None
    if tried:
        assert tried in found.output
    else:
        assert "threads assumed" in found.output
