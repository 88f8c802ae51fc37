"""Findings rest on a spread of a kernel's launches, and say how many of them suffer."""

from __future__ import annotations

import json
from pathlib import Path

from perflint.lint.recorded_launches import RecordedLaunch
from perflint.lint.recorded_plans import shared_out
from tests.run.conftest import compiled, perflint_run

#: A stride of 1 in the first half of the launches, of 32 in the second.
STRIDES = """
__global__ void copy(const float *in, float *out, int stride, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride % n];
}
int main() {
  int n = 1 << 20;
  float *in, *out;
  cudaMalloc(&in, 4 * n), cudaMalloc(&out, 4 * n);
  cudaMemset(in, 0, 4 * n);
  for (int turn = 1; turn <= 10; turn++)
    copy<<<16, 256>>>(in, out, turn <= 5 ? 1 : 32, n);
  return cudaDeviceSynchronize();
}
"""


def _launch(number: int, alike: int, grid: int = 1) -> RecordedLaunch:
    return RecordedLaunch("m", "k", (grid, 1, 1), (32, 1, 1), 0, number, alike, None, b"")


def test_each_launch_stands_for_those_beside_it() -> None:
    assert shared_out([_launch(1, 1)]) == [1]
    assert shared_out([_launch(1, 78), _launch(32, 78), _launch(64, 78)]) == [16, 32, 30]
    # of two processes, and of two shapes
    assert shared_out([_launch(1, 5), _launch(4, 5), _launch(1, 3)]) == [2, 3, 3]
    assert shared_out([_launch(1, 5), _launch(1, 9, grid=2), _launch(4, 5)]) == [2, 9, 3]


def test_the_count_of_launches_that_suffer(libraries: Path, tmp_path: Path) -> None:
    source = tmp_path / "strides.cu"
    source.write_text(STRIDES)
    program = compiled(source, "-lineinfo")
    report = tmp_path / "report.json"
    sarif = tmp_path / "report.sarif"
    done = perflint_run("--select", "CU101", "--output-format", f"json={report}",
                        "--output-format", f"sarif={sarif}", str(program))  # fmt: skip
    assert done.status == 1, done
    (finding,) = json.loads(report.read_text())
    # launches 1, 4 and 8 were kept; the last stands for those from 7 on
    assert finding["launches"] == {"affected": 4, "of": 10, "judged": 3}
    assert "4 of 10 launches (3 judged); shown is launch 8 of 10" in finding["notes"]
    assert "stride=32" in finding["launch"]
    (run,) = json.loads(sarif.read_text())["runs"]
    (result,) = run["results"]
    assert result["properties"]["launches"] == finding["launches"]
    assert result["properties"]["notes"] == finding["notes"]


#: A kernel of the toolkit's own, and nothing of the user's.
FILL = """
#include <thrust/device_vector.h>
#include <thrust/sort.h>
int main() {
  thrust::device_vector<int> v(5000);
  for (int i = 0; i < 5000; i++) v[i] = i * 7919 % 5003;
  thrust::sort(v.begin(), v.end());
  return v[0] > v[1];
}
"""


def test_the_toolkits_own_kernels_have_no_findings(libraries: Path, tmp_path: Path) -> None:
    source = tmp_path / "fill.cu"
    source.write_text(FILL)
    program = compiled(source, "-lineinfo", "-arch=sm_80")
    done = perflint_run("--output-format", "concise", "--", str(program))
    assert done.status == 0, done
    assert "thrust" not in done.out and "cub" not in done.out


#: A double constant among floats: only an edited source shows what it costs.
DOUBLES = """
__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int turn = 0; turn < 32; turn++)
      x[i] = x[i] * 1.0001 + 0.5;
}
int main() {
  float *x;
  cudaMalloc(&x, 4 * 4096);
  cudaMemset(x, 0, 4 * 4096);
  for (int turn = 0; turn < 3; turn++)
    scale<<<16, 256>>>(x, 4096);
  return cudaDeviceSynchronize();
}
"""


def test_rules_that_compile_edits_work_where_the_sources_are_given(
    libraries: Path, tmp_path: Path
) -> None:
    source = tmp_path / "doubles.cu"
    source.write_text(DOUBLES)
    program = str(compiled(source, "-lineinfo"))
    options = ("--select", "CU701", "--output-format", "json")
    assert json.loads(perflint_run(*options, program).out) == []
    done = perflint_run(*options, "--src", str(tmp_path), program)
    (finding,) = json.loads(done.out)
    assert (finding["code"], finding["location"]["row"]) == ("CU701", 6)
    assert finding["launches"] == {"affected": 3, "of": 3, "judged": 2}
    assert "3 launches, 1 shape" in finding["notes"]
