"""The benchmark that holds what check would try against what programs launch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.launch_table import TURN, Compared, differences, table
from benchmarks.launches import compared, tried
from benchmarks.programs import Program
from benchmarks.recorded_launches import Recorded

SOURCE = """
__global__ void k(float *p, int n, float f, int t) { if (threadIdx.x + t < n) p[threadIdx.x] = f; }
__global__ void never(float *p) { p[threadIdx.x] = 0; }
int size();
int main() {
  float *p;
  cudaMalloc(&p, 4096);
  for (int t = 0; t < 100; t++) k<<<4, 256, 16>>>(p, size(), 0.1, t);
}
"""
ENTRY = "_Z1kPfifi"


def fields(folder: Path, *launches: Recorded) -> list[Compared]:
    (folder / "a.cu").write_text(SOURCE)
    program = Program("a", folder, ("a.cu",), (), (), "", "")
    return list(compared(program, launches, *tried(program, folder)))


def launch(n: int, t: int, **other: object) -> Recorded:
    scalars = {1: ("u32", n), 2: ("f32", 0.10000000149011612), 3: ("u32", t)}
    given = {"kernel": ENTRY, "grid": (4, 1, 1), "block": (256, 1, 1), "shared": 16, **other}
    return Recorded(**given, scalars=scalars)  # type: ignore[arg-type]


def test_every_field_is_compared(tmp_path: Path) -> None:
    rows = fields(tmp_path, launch(1024, 99))
    assert [(r.field, r.name, r.equal, r.luck) for r in rows] == [
        ("block", "", True, False),
        ("grid", "", True, False),
        ("shared", "", True, False),
        ("scalar", "n", True, True),
        ("scalar", "f", True, False),
        ("scalar", "t", True, False),
        ("launch", "", True, False),
    ]


def test_differences_are_named(tmp_path: Path) -> None:
    other = launch(7, 30, grid=(5, 1, 1), block=(128, 1, 1), shared=0)
    rows = fields(tmp_path, other, Recorded("_Z6solverPf", (1,), (1,), 0, {}))
    assert {(r.field, r.name): r.cause for r in rows if not r.equal and r.field != "launch"} == {
        ("block", ""): "folded to another value",
        ("grid", ""): "folded to another value",
        ("shared", ""): "folded to another value",
        ("scalar", "n"): "invented, for it is not folded",
        ("scalar", "t"): TURN,
    }
    (line,) = [d for d in differences(rows) if " n " in d]
    assert line.startswith("a: k: scalar n is 7, tried 1024, 3072: invented") and "(size())" in line


def test_an_instance_that_is_not_compiled_equals_nothing(tmp_path: Path) -> None:
    rows = fields(tmp_path, launch(1024, 0, kernel="_Z1kIiEPfifi"))
    assert rows and all(r.equal for r in rows)  # the only kernel of that name
    rows = fields(tmp_path, Recorded("_Z5neverIiEvPf", (1,), (1,), 0, {}))
    assert [r.equal for r in rows if r.field == "block"] == [False]


def test_a_kernel_counts_once(tmp_path: Path) -> None:
    rows = fields(tmp_path, *(launch(1024, t) for t in (0, 30, 99)))
    rows += [replace(row, kernel="other") for row in fields(tmp_path, launch(3, 30))]
    row = next(r for r in table(rows).splitlines() if r.startswith("scalar"))
    assert row.split() == ["scalar", "9", "of", "12", "75.0%", "61.1%", "3"]
