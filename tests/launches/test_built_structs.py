"""What a struct's member is worth that a function computes, and returns in the struct."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from perflint.cli.commands import cli

PROGRAM = """
#include <cstdlib>
#include <cstring>
#include <vector>
struct Options { int scale = 6, per = 4; };
struct Graph { int n = 0; std::vector<int> rows; };
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += n;
}
Graph built(const Options &o) {
    Graph g;
    BODY
    return g;
}
void analyse(const Graph &g) {
    float *a;
    cudaMalloc(&a, g.n * sizeof(float));
    k<<<(g.n + 63) / 64, 64>>>(a, g.n);
}
int main(int argc, char **argv) {
    Options o;
    for (int i = 1; i < argc; ++i)
        if (!strcmp(argv[i], "--scale")) o.scale = atoi(argv[++i]);
    Graph g = built(o);
    analyse(g);
}
"""
#: How the member is computed, and its value; 0: it is not told.
BODIES = {
    "shifted": ("g.n = 1 << o.scale;", 512),
    "of two members": ("g.n = 10 * o.scale + o.per;", 94),
    "negated": ("g.n = 600 + -o.scale;", 591),
    "its rows filled": (
        "g.n = 1 << o.scale; g.rows.assign(g.n + 1, 0);"
        "for (int v = 0; v < g.n; ++v) g.rows[v + 1] += g.rows[v];",
        512,
    ),
    "counted on by data": ("g.n = 1 << o.scale; g.n += g.rows[2];", 0),
    "by a function out of sight": ("g.n = 1 << o.scale; grow(&g);", 0),
}


@pytest.mark.parametrize(("body", "n"), BODIES.values(), ids=BODIES)
def test_a_member_that_a_builder_computes(tmp_path: Path, body: str, n: int) -> None:
    (tmp_path / "app.cu").write_text(PROGRAM.replace("BODY", body))
    (tmp_path / "run.sh").write_text("./app --scale 9\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert found.exception is None
    rows = [row for row in found.output.splitlines() if "tried as" in row]
    told = [f"k<<<{(n + 63) // 64}, 64>>>(n={n})" in row for row in rows]
    assert told == [True] if n else "(n=512)" not in found.output, found.output
