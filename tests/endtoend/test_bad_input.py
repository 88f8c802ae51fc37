"""Broken and hostile input through the real command: a clear line, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROW_WISE = """
__global__ void row_wise(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        out[i] += in[i * n + j];
}
"""
MISSPELT = """__global__ void misspelt(float *out)
{
    out[threadIdx.x] = 1.0f * idx;
}
"""


def perflint(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    run = subprocess.run(
        [sys.executable, "-m", "perflint", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert "Traceback" not in run.stderr + run.stdout
    assert "internal error" not in run.stderr + run.stdout
    return run


def test_an_error_in_a_kernel_costs_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "bad.cu").write_text(MISSPELT)
    (tmp_path / "good.cu").write_text(ROW_WISE)
    run = perflint("--output-format", "concise", ".", cwd=tmp_path)
    assert run.returncode == 1
    lines = run.stdout.splitlines()
    assert any(line.startswith("bad.cu:3:") and "CU001" in line and "idx" in line for line in lines)
    assert any(line.startswith("good.cu:6:") and "CU101" in line for line in lines)


def test_a_ptx_syntax_error_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "bad.ptx").write_text(
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n  mov.u32 %r1 1;\n}\n"
    )
    (tmp_path / "good.cu").write_text(ROW_WISE)
    run = perflint("--output-format", "concise", ".", cwd=tmp_path)
    assert run.returncode == 1
    assert "bad.ptx:6:15: warning: CU001" in run.stdout
    assert "good.cu:6:" in run.stdout


def test_a_missing_path_is_a_usage_error(tmp_path: Path) -> None:
    run = perflint("nowhere.cu", cwd=tmp_path)
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1
    assert "nowhere.cu" in run.stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.cu", b""),
        ("host.cu", b"int twice(int x) { return 2 * x; }\n"),
        ("binary.cu", bytes(range(256)) * 20),
        ("nul.cu", b"__global__ void k(float *a) { a[0] = 1; }\0\0"),
        ("empty.ptx", b""),
        ("binary.ptx", b"\x7fELF\x02\x01\x01" + bytes(200)),
        ("prose.ptx", b"This is not PTX at all; it is prose.\n"),
        ("cplusplus.ptx", ROW_WISE.encode()),
        ("braces.cu", b"__global__ void k(float *a) {" + b"{" * 5000),
        ("parentheses.ptx", b".version 8.0 .target sm_80 .global .u32 a = " + b"(" * 50000),
        ("spliced.cu", b"__global__ void k(float *a) {\\\n    for (int i = 0; i < 9; i++\\\n}\\\n"),
        ("latin.cu", b"// caf\xe9\n" + ROW_WISE.encode()),
    ],
)
def test_odd_files_cost_no_other_file(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "good.cu").write_text(ROW_WISE)
    run = perflint("--output-format", "concise", ".", cwd=tmp_path)
    assert run.returncode == 1
    assert "good.cu:6:" in run.stdout
    alone = perflint(name, cwd=tmp_path)
    assert alone.returncode in (0, 1, 2)  # 2: there was nothing that could be looked at
    assert alone.stdout.strip()


def test_a_directory_without_cuda(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing here")
    run = perflint(".", cwd=tmp_path)
    assert run.returncode == 0
    assert "no CUDA" in run.stderr


def test_a_kernel_that_never_ends(tmp_path: Path) -> None:
    (tmp_path / "spin.cu").write_text(
        "__global__ void spin(volatile int *flag, float *out, int n)\n"
        "{\n    while (*flag * *flag != -1)\n        ;\n    out[threadIdx.x * n] = 1.0f;\n}\n"
    )
    run = perflint("--select", "ALL", "--show-unconfirmed", "spin.cu", cwd=tmp_path)
    assert run.returncode == 0
    assert "spin" in run.stdout
    assert "the simulation stopped (nothing new for long)" in run.stdout


def test_includes_that_reach_outside(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text('#include "/dev/zero"\n#include "a.cu"\n' + ROW_WISE)
    run = perflint("--output-format", "concise", "a.cu", cwd=tmp_path)
    assert run.returncode in (0, 1)
    assert "a.cu" in run.stdout


def test_a_launch_with_more_shared_memory_than_a_warp_can_have(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        "__global__ void k(float *p) { extern __shared__ float s[]; s[threadIdx.x] = p[0]; }\n"
        "void run(float *p) { k<<<100000, 32, 200000>>>(p); }\n"
    )
    words = ("--isolated", "--no-cache", "--select", "ALL", "--show-unconfirmed")
    run = perflint(*words, "--output-format", "concise", "a.cu", cwd=tmp_path)
    assert "no launch could be simulated: " in run.stdout and "shared memory" in run.stdout
    assert "internal error" not in run.stdout + run.stderr
