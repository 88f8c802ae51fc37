"""Suites: every case runs again with the same figures; what is damaged is named; programs run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perflint.cli.commands import run
from perflint.stress import suite
from perflint.stress.findings import worst
from perflint.stress.replay import replay
from perflint.stress.run import search_of
from perflint.stress.search import Search
from perflint.stress.suite_reader import read
from perflint.stress.target import StressError
from perflint.stress.trial import Limits
from tests.run.conftest import _linkable, nvcc
from tests.stress.conftest import KERNELS, request, target

Searched = Callable[[str], Search]


def written(search: Search, folder: Path, source: Path = KERNELS) -> Path:
    found = suite.cases(worst(search))
    suite.write(folder, search, found, suite.Build(source, (), ()), Limits())
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of a kernel's worst input, and the kernel beside it."""
    from tests.stress.conftest import searched

    folder = tmp_path_factory.mktemp("kept")
    shutil.copy(KERNELS, folder / "worst.cu")
    return written(searched("gather_shared"), folder / "suite", folder / "worst.cu")


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made.parent, tmp_path / "kept")
    return tmp_path / "kept" / "suite"


@pytest.mark.parametrize(
    "kernel", ["histogram", "count_keys", "insert", "gather_global", "multiply_rows", "guarded",
               "locked"],
)  # fmt: skip
def test_every_case_runs_again(search: Searched, kernel: str, tmp_path: Path) -> None:
    folder = written(search(kernel), tmp_path / "suite")
    assert list(folder.iterdir())
    assert replay(folder, (KERNELS.parent,), as_json=False) == 0


def test_as_many_blocks_run_again(tmp_path: Path) -> None:
    """Of a launch that is too long for many tries only some blocks are run."""
    launch = "<<<64,256>>>(first=random:s32[16385], value=ones:f32[65536], sum=zeros:f32[16384], "
    few = replace(target("multiply_rows", launch + "rows=16384)"), threads=3 * 256)
    asked = request(tries=30, objectives=("instructions",))
    found = search_of(few, asked, 1, time.monotonic() + 1e6)
    folder = written(found, tmp_path / "suite")
    case = json.loads((folder / "case-1" / "case.json").read_text())
    assert case["blocks"] == {"simulated": 3, "total": 64} and case["expected"] == {}
    assert replay(folder, (KERNELS.parent,), as_json=False) == 0


def test_in_another_process(made: Path) -> None:
    command = [sys.executable, "-m", "perflint", "stress", "--replay", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1 cases run again: 1 of 1 figures are the same\n")


def test_what_a_case_holds(made: Path) -> None:
    case = json.loads((made / "case-1" / "case.json").read_text())
    assert case["generators"] == {"index": "32*i mod 1024"}
    assert case["schedule"] == "emulator" and case["filename"] == "../../worst.cu"
    [figure] = case["figures"]
    assert (figure["code"], figure["value"], figure["amount"], figure["over"]) == (
        "CU201", 32, 512, 16,
    )  # fmt: skip
    index = np.load(made / "case-1" / "index.npy")
    assert index.tolist() == (32 * np.arange(512) % 1024).tolist()
    left = np.load(made / "case-1" / "expected_out.npy")
    assert left.tolist() == index.tolist()  # tile[k] is k


def test_the_launch_of_a_case_is_profile_s(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`perflint profile` counts the same for the line that a case prints."""
    case = json.loads((made / "case-1" / "case.json").read_text())
    capsys.readouterr()
    launch = case["launch"]["text"]
    status = run(["profile", str(made.parent / "worst.cu"), "--launch", launch, "--tracer",
                  "Memory", "--output-format", "json"])  # fmt: skip
    assert status == 0
    lines = json.loads(capsys.readouterr().out)["lines"]
    [row] = [line for line in lines if line["row"] == case["figures"][0]["row"]]
    assert row["wavefronts"] == case["figures"][0]["amount"]


def test_a_kernel_that_has_changed(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = copied.parent / "worst.cu"
    text = source.read_text()
    source.write_text(text.replace("tile[index[i]]", "tile[index[i] + index[i] / 32 & 1023]"))
    assert replay(copied, as_json=False) == 1
    said = capsys.readouterr().out
    assert "case-1: load shared tile: wavefronts per request 32 (512 in 16), now " in said
    assert "0 of 1 figures are the same" in said
    source.write_text(text.replace("out[i] = tile[index[i]]", "out[i] = index[i]"))
    assert replay(copied, as_json=True) == 1
    [difference] = json.loads(capsys.readouterr().out)["differences"]
    assert difference["found"] is None and "no such place" in difference["message"]


def changed(copied: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file = copied / "case-1" / "case.json"
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))


DAMAGE: dict[str, Callable[[dict[str, Any]], object]] = {
    "schema": lambda d: d.update(schema="perflint/stress/99"),
    "schedule": lambda d: d.update(schedule="none"),
    "launch": lambda d: d.pop("launch"),
    "launch.grid": lambda d: d["launch"].update(grid=[1, 0]),
    "launch.block[1]": lambda d: d["launch"].update(block=[32, -1, 1]),
    "launch.shared": lambda d: d["launch"].update(shared="much"),
    "launch.arguments": lambda d: d["launch"].update(arguments=5),
    "launch.arguments[0].kind": lambda d: d["launch"]["arguments"][0].update(kind="thing"),
    "launch.arguments[0].file": lambda d: d["launch"]["arguments"][0].update(file="../index.npy"),
    "launch.arguments[0].element": lambda d: d["launch"]["arguments"][0].update(element="f99"),
    "launch.arguments[2].value": lambda d: d["launch"]["arguments"][2].update(value=None),
    "launch.symbols[0].data": lambda d: d["launch"].update(
        symbols=[{"variable": "v", "offset": 0, "data": "0g", "told": True}]
    ),
    "figures[0].amount": lambda d: d["figures"][0].update(amount=-1),
    "figures[0].objective": lambda d: d["figures"][0].update(objective="speed"),
    "figures[0].place.kind": lambda d: d["figures"][0]["place"].update(kind="line"),
    "entry": lambda d: d.update(entry=7),
    "filename": lambda d: d.update(filename="../../../notes.txt"),
    "arch": lambda d: d.update(arch="sm_1"),
    "blocks.simulated": lambda d: d["blocks"].update(simulated=0),
    "define": lambda d: d.update(define=[3]),
}


@pytest.mark.parametrize("field", DAMAGE)
def test_a_damaged_case_is_named(copied: Path, field: str) -> None:
    changed(copied, DAMAGE[field])
    with pytest.raises(StressError) as error:
        replay(copied, as_json=False)
    said = str(error.value)
    assert f"case-1/case.json: field {field}" in said and len(said) < 300


def test_what_is_no_json(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("{", "[" * 100_000, "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")):
        (copied / "case-1" / "case.json").write_text(text, encoding="utf-8")
        with pytest.raises(StressError, match=r"case\.json: is no JSON"):
            read(copied / "case-1")
    (copied / "case-1" / "case.json").write_text("[]")
    with pytest.raises(StressError, match=r"case\.json: field of all: is no object"):
        read(copied / "case-1")


HUGE = b"(99999999999,), }"


def saved(array: np.ndarray, file: Path, **options: Any) -> None:
    with file.open("wb") as stream:
        np.lib.format.write_array(stream, array, **options)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda f: f.write_bytes(b"nothing"), "is no .npy file"),
        (lambda f: f.write_bytes(f.read_bytes()[:-4]), "says it has 2,048 bytes, and has 2,044"),
        (lambda f: f.write_bytes(f.read_bytes() + b"more"), "says it has 2,048 bytes, and has"),
        (lambda f: f.unlink(), "No such file"),
        (lambda f: saved(np.array([{}], object), f, allow_pickle=True), "holds no plain numbers"),
        (lambda f: saved(np.zeros(3, "U4"), f), "holds no plain numbers"),
        (lambda f: saved(np.zeros(3), f, version=(2, 0)), "format of another version"),
        (
            lambda f: f.write_bytes(f.read_bytes().replace(b"(512,), ", b"(1<<9,),")),
            "is no .npy file",
        ),
        (
            lambda f: f.write_bytes(f.read_bytes().replace(b"(512,), }   ", b"(10**9,10)}}")),
            "is no .npy file",
        ),
        (
            lambda f: f.write_bytes(f.read_bytes().replace(b"(512,), }        ", HUGE)),
            "says it has 399,999,999,996 bytes",
        ),
    ],
)  # fmt: skip
def test_a_damaged_array_is_named(
    copied: Path, damage: Callable[[Path], object], told: str
) -> None:
    damage(copied / "case-1" / "index.npy")
    with pytest.raises(StressError) as error:
        read(copied / "case-1")
    assert "case.json: field launch.arguments[0].file: " in str(error.value)
    assert told in str(error.value)


def test_what_is_no_suite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stress", "--replay", str(tmp_path / "none")]) == 2
    assert run(["stress", "--replay", str(tmp_path)]) == 2
    (tmp_path / "case-1").mkdir()
    assert run(["stress", "--replay", str(tmp_path)]) == 2
    told = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[2].rpartition(": ")[2] for line in told] == [
        "there is no such folder", "holds no case", "No such file or directory",
    ]  # fmt: skip


def test_a_kernel_that_is_gone(copied: Path) -> None:
    source = copied.parent / "worst.cu"
    source.write_text(source.read_text().replace("gather_shared", "gather_otherwise"))
    with pytest.raises(StressError, match="has no kernel _Z13gather_shared"):
        replay(copied, as_json=False)
    source.unlink()
    with pytest.raises(StressError):
        replay(copied, as_json=False)


def test_a_folder_with_other_things_is_left_alone(search: Searched, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(StressError, match=r"holds notes\.txt, which is no case"):
        written(search("gather_shared"), tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


def test_a_suite_takes_the_place_of_the_last_one(search: Searched, tmp_path: Path) -> None:
    folder = written(search("multiply_rows"), tmp_path / "suite")
    before = {p.name for p in folder.iterdir()}
    written(search("gather_shared"), folder)
    assert {p.name for p in folder.iterdir()} == {"case-1"} != before


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
@pytest.mark.parametrize("kernel", ["gather_shared", "histogram", "multiply_rows"])
def test_its_program_compiles_and_passes(search: Searched, kernel: str, tmp_path: Path) -> None:
    folder = written(search(kernel), tmp_path / "suite") / "case-1"
    assert ran(folder) == (0, "ok\n")
    name = next(folder.glob("expected_*.npy"))
    wrong = np.load(name)
    wrong.reshape(-1)[0] += 1
    np.save(name, wrong)
    status, said = ran(folder)
    assert status == 1 and "1 elements differ" in said and said.endswith("FAILED\n")


ODD = """
#include <cstdio>
namespace lib {
__constant__ int offsets[4];
__constant__ float unknown[2];
__device__ float scale = 2.0f;
template <typename T, int N>
__global__ void gather(T *out, const int *index, double factor, char flag, int n)
{
    extern __shared__ T tile[];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        tile[k] = k;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flag)
        out[i] = tile[(index[i] + offsets[1]) & 1023] * (T)factor * scale + unknown[i & 1];
}
}
void read(const char *) {}
#define check(x) x
int main()
{
    float *out;
    int *index, host[4] = {1, 2, 3, 4};
    cudaMalloc(&out, 512 * sizeof(float));
    cudaMalloc(&index, 512 * sizeof(int));
    cudaMemcpyToSymbol(lib::offsets, host, sizeof host);
    lib::gather<float, 3><<<2, 256, 4096>>>(out, index, 1.5, 1, 512);
    return 0;
}
"""


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
def test_a_program_knows_templates_and_the_module_s_variables(tmp_path: Path) -> None:
    (tmp_path / "odd.cu").write_text(ODD)
    assert run(["stress", str(tmp_path / "odd.cu"), "--tries", "30", "-o", f"{tmp_path}/kept",
                "--objective", "conflicts"]) == 0  # fmt: skip
    folder = tmp_path / "kept" / "case-1"
    names = {each.name for each in folder.glob("symbol_*")}
    assert names == {"symbol__ZN3lib7offsetsE.npy", "symbol__ZN3lib7unknownE.npy"}
    assert replay(tmp_path / "kept", as_json=False) == 0
    assert ran(folder) == (0, "ok\n")


def ran(folder: Path) -> tuple[int, str]:
    """A case's program, compiled and run on the simulator."""
    compiler = str(nvcc())
    command = [compiler, "-cudart", "shared", "-lineinfo", "-Werror", "all-warnings",
               "-o", "replay", "replay.cu", f"-L{_linkable(compiler)}",
               "-gencode", "arch=compute_80,code=compute_80"]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    words = [sys.executable, "-m", "perflint", "run", "--no-findings", "--", "./replay"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout
