"""All calls that a fault in an inlined function stands behind are places of its finding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perflint.cli.commands import run

SOURCE = """__device__ float element(const float *a, int n, int x, int y) { return a[x * n + y]; }

__global__ void gradient(float *out, const float *a, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    float v = element(a, n, x + 1, y) - element(a, n, x - 1, y);
    float w = element(a, n, x, y + 1) - element(a, n, x, y - 1);
    float u = element(a, n, y, x);
    out[y * n + x] = v * v + w * w + u;
}

void launch(float *out, const float *a) { gradient<<<dim3(8, 2048), 256>>>(out, a, 2048); }
"""


def test_every_call_of_an_inlined_function_is_a_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    run(["--isolated", "--no-cache", "--exit-zero", "--select", "CU101", "--output-format", "json",
         str(tmp_path / "a.cu")])  # fmt: skip
    [found] = json.loads(capsys.readouterr().out)
    assert found["location"]["row"] == 1
    # not the packed access of line 10, by the same function
    assert {each["location"]["row"] for each in found["related"]} == {8, 9}
