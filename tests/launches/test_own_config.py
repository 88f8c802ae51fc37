"""What methods of an object's own configuration return, and what its constructor computes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from perflint.cli.commands import cli

PROGRAM = """
#include <cstdlib>
#include <string>
struct Config {
    int rows = 50, width = 20, pad = 1;
    int wide() const { return width + pad; }
    int cells() const { return rows * wide(); }
    void widen() { pad = 8; }
};
__global__ void k(float *a, int cells, int wide) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) a[i] += wide;
}
class Solver {
  public:
    explicit Solver(const Config &config) : config_(config), cells_(config.cells()) {}
    void run(Config &other) {
        EARLIER
        float *a;
        cudaMalloc(&a, cells_ * sizeof(float));
        k<<<(cells_ + 63) / 64, 64>>>(a, config_.cells(), CONFIG.wide());
    }
  private:
    DECLARED
    int cells_;
};
int main(int argc, char **argv) {
    Config c;
    for (int i = 1; i < argc; ++i) {
        std::string word = argv[i];
        if (word == "--rows") c.rows = std::atoi(argv[++i]);
        else if (word == "--width") c.width = std::atoi(argv[++i]);
    }
    Config wider = c;
    Solver s(c);
    s.run(wider);
}
"""
#: What is declared, what stands before the launch, whose width is asked, and the launch.
CASES: dict[str, tuple[str, str, str, str]] = {
    "its own": ("Config config_;", "", "config_", "k<<<79, 64>>>(cells=5040, wide=63)"),
    "another's": ("Config config_;", "", "other", "k<<<79, 64>>>(cells=5040, wide=63)"),
    "counted by CUB": (
        "Config config_;",
        "cub::DeviceRadixSort::SortKeys(t_, bytes_, in_, out_, cells_);",
        "config_",
        "k<<<79, 64>>>(cells=5040, wide=63)",
    ),
    "its size is CUB's": (
        "Config config_;",
        "cub::DeviceRadixSort::SortKeys(t_, cells_, in_, out_, 9);",
        "config_",
        "",
    ),
    "out of sight": ("Config config_;", "shrink(cells_);", "config_", ""),
    "changed": (
        "Config config_;",
        "config_.widen();",
        "config_",
        "k<<<79, 64>>>(cells=5600, wide=70)",
    ),
    "perhaps changed": (
        "Config config_;",
        "if (rand() > 7) config_.widen();",
        "config_",
        "",
    ),
    "a reference": (
        "const Config &config_;",
        "",
        "config_",
        "k<<<79, 64>>>(cells=5040, wide=63)",
    ),
}


@pytest.mark.parametrize(("declared", "earlier", "asked", "wanted"), CASES.values(), ids=CASES)
def test_methods_of_a_members_object(
    tmp_path: Path, declared: str, earlier: str, asked: str, wanted: str
) -> None:
    text = PROGRAM.replace("DECLARED", declared).replace("EARLIER", earlier)
    (tmp_path / "app.cu").write_text(text.replace("CONFIG.", f"{asked}."))
    (tmp_path / "run.sh").write_text("./app --rows 80 --width 62\n")
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert found.exception is None
    rows = [row for row in found.output.splitlines() if "tried as" in row]
    assert rows
    if wanted:
        assert len(rows) == 1 and wanted in rows[0]
    else:
        assert "1 launch of 1 kernel: 0 read, 1 in part" in found.output
