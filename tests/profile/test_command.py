"""`perflint profile`: what it prints, and the status it leaves."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perflint.cli.commands import run

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="NVRTC has no wheels for macOS")

ROOT = Path(__file__).parents[2]
REDUCE = ROOT / "examples/reduce.cu"
OOB = ROOT / "tests/data/oob.cu"
ERRORS = Path(__file__).parent / "kernels" / "errors.cu"
LAUNCH = "<<<64,256>>>(in=random:f32[16384], out=zeros:f32[64], n=16384)"


def line_of(path: Path, text: str) -> int:
    """The number of the first line that has a text."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_the_figures_of_a_reduction(capsys: Any) -> None:
    """64 blocks of 256 threads; the tree's step of `half` threads runs ceil(half / 32) warps."""
    arguments = ["profile", str(REDUCE), "--kernel", "reduce", "--launch", LAUNCH]
    assert run([*arguments, "--output-format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["blocks"] == {"simulated": 64, "total": 64}
    assert data["errors"] == [] and data["stopped"] is None
    metrics = data["metrics"]
    assert metrics["KernelDimension"]["threads"] == 16384
    assert metrics["Parallelism"]["MIMD parallelism"] == 64  # equal blocks
    assert metrics["MemoryRaceDetector"] == {"shared memory races": 0}
    memory = metrics["Memory"]
    assert memory["global requests"] == 64 * 8 + 64  # a load a warp, a store a block
    assert memory["sectors"] == 64 * 8 * 4 + 64
    assert memory["working set, bytes"] == 4 * 16384 + 4 * 64
    # 64 blocks: all 8 warps store, and 4 + 2 + 1 + 5 more warps load twice and store once
    assert memory["shared requests"] == 64 * (8 + 3 * (4 + 2 + 1 + 5) + 1)
    rows = {row["row"]: row for row in data["lines"]}
    store = rows[line_of(REDUCE, "out[blockIdx.x] = sums[0]")]
    assert store["global_requests"] == store["sectors"] == 64
    branch = rows[line_of(REDUCE, "if (threadIdx.x < half)")]
    # of the steps 128 … 1, those below 32 threads split one warp of each block
    assert branch["divergent_branches"] == 64 * 5
    assert store["active_threads"] == 1


def test_text(capsys: Any) -> None:
    assert run(["profile", str(REDUCE), "--launch", f"reduce={LAUNCH}"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"reduce{LAUNCH} on sm_80\n64 of 64 blocks simulated; ")
    for heading in ("Branch", "Instruction", "Memory", "SharedComputation", "WarpSynchronous"):
        assert f"\n{heading} " in text
    assert "out[blockIdx.x] = sums[0];" in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_an_access_outside_every_allocation(capsys: Any) -> None:
    """100 elements, 2 blocks of 64: thread 36 of the second block is the first behind the end."""
    launch = "<<<2,64>>>(out=zeros:f32[100], n=100)"
    assert run(["profile", str(OOB), "--kernel", "unguarded", "--launch", launch]) == 2
    captured = capsys.readouterr()
    line = line_of(OOB, "void unguarded") + 3
    assert f"error: {OOB}:{line}: store of 4 bytes at 0x" in captured.err
    assert "byte 400 of `out`, which has 400 bytes" in captured.err
    assert "thread (36, 0, 0) of block (1, 0, 0), and 27 more threads" in captured.err
    assert "an error ended the run" in captured.out
    assert run(["profile", str(OOB), "--kernel", "guarded", "--launch", launch]) == 0


def test_an_error_in_json(capsys: Any) -> None:
    launch = "<<<1,64>>>(out=zeros:f32[4], n=4)"
    arguments = ["--kernel", "unguarded", "--launch", launch, "--output-format", "json"]
    assert run(["profile", str(OOB), *arguments]) == 2
    [error] = json.loads(capsys.readouterr().out)["errors"]
    assert error["kind"] == "out-of-bounds"
    assert error["row"] == line_of(OOB, "void unguarded") + 3
    assert (error["block"], error["thread"], error["threads"]) == ([0, 0, 0], [4, 0, 0], 60)


def test_arrays_from_and_to_files(tmp_path: Path, capsys: Any) -> None:
    given, kept = tmp_path / "in.npy", tmp_path / "out.npy"
    np.save(given, np.arange(512, dtype=np.float32))
    launch = f"<<<2,256>>>(in={given}, out=zeros:f32[2], n=512)"
    arguments = ["--launch", launch, "--save", f"out={kept}", "-o", str(tmp_path / "report.txt")]
    assert run(["profile", str(REDUCE), *arguments]) == 0
    assert np.load(kept).tolist() == [sum(range(256)), sum(range(256, 512))]
    assert (tmp_path / "report.txt").read_text(encoding="utf-8").startswith("reduce<<<2,256>>>")
    assert capsys.readouterr().out == ""


def test_watching(capsys: Any) -> None:
    launch = "<<<2,256>>>(in=ones:f32[512], out=zeros:f32[2], n=512)"
    assert run(["profile", str(REDUCE), "--launch", launch, "--watch", "out[4:8]"]) == 0
    line = line_of(REDUCE, "out[blockIdx.x] = sums[0]")
    # 256.0f is 0x43800000
    told = f"store of 4 bytes at byte 4 = 00008043, {REDUCE}:{line}, thread (0, 0, 0) of block (1"
    assert told in capsys.readouterr().out


def test_the_line_that_launches_prints_is_enough(tmp_path: Path, capsys: Any) -> None:
    """Arrays, and structures by value, that are not given are made as `check` makes them."""
    source = tmp_path / "shift.cu"
    source.write_text(
        "struct Span { int first, last; };\n"
        "__global__ void shift(float *out, const float *in, Span s, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n && i >= s.first) out[i] = in[i + 1];\n"
        "}\n"
        "void run(float *out, float *in, int n) {\n"
        "    shift<<<n / 256, 256>>>(out, in, Span{0, 9}, n);\n"
        "}\n"
    )
    assert run(["launches", str(source)]) == 0
    line = next(r for r in capsys.readouterr().out.splitlines() if "tried as" in r)
    launch = line.partition("'")[2].rstrip("'")
    assert run(["profile", str(source), "--launch", launch, "--tracer", "Memory"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith(launch)
    assert told.err == ""
    # what is given stays: an array too small for the launch
    given = launch.replace("(n=", "(out=zeros:f32[4], n=")
    assert run(["profile", str(source), "--launch", given]) == 2
    assert "which has 16 bytes" in capsys.readouterr().err


def test_a_budget_that_is_reached(capsys: Any) -> None:
    arguments = ["--kernel", "spins", "--launch", "<<<1,32>>>(out=zeros:i32[2])", "--budget", "0.2"]
    assert run(["profile", str(ERRORS), *arguments]) == 0
    out = capsys.readouterr().out
    assert "the time budget (0 of 1 blocks done" in out
    assert f"ended the run at {ERRORS}:" in out
    assert "the figures are of what ran until then" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["x.cu", "--launch", "<<<1,32>>>"], "x.cu: there is no such file"),
        ([str(REDUCE)], "Missing option '--launch'"),
        ([str(REDUCE), "--launch", "nonsense"], "is no launch"),
        ([str(REDUCE), "--launch", "<<<1,32>>>"], "--launch gives no n"),
        ([str(REDUCE), "--launch", "<<<1,32>>>(m=1)"], "has no parameter 'm'"),
        ([str(REDUCE), "--launch", LAUNCH, "--kernel", "no"], "there is no kernel no"),
        (
            [str(REDUCE), "--launch", LAUNCH, "--arch", "sm_1"],
            "unknown architecture 'sm_1'; known are",
        ),
        ([str(REDUCE), "--launch", LAUNCH, "--save", "n=x.npy"], "--save n: no array"),
        ([str(REDUCE), "--launch", LAUNCH, "--watch", "x"], "there is no 'x' to watch"),
        ([str(REDUCE), "--launch", LAUNCH, "--watch", "x[8:4]"], "is not NAME"),
        ([str(OOB), "--launch", LAUNCH], "has several kernels"),
    ],
)
def test_wrong_use(arguments: list[str], told: str, capsys: Any) -> None:
    assert run(["profile", *arguments]) == 2
    captured = capsys.readouterr()
    assert told in captured.err and captured.out == ""
    assert captured.err.count("\n") == 1
