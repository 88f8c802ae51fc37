"""The benchmark that tells which wasteful accesses no rule reported."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import recall

SOURCE = """
__global__ void columns(float *out, const float *in, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * n];
  out[i] += in[at[i]];
}
int main() {
  float *a, *b;
  int *c;
  cudaMalloc(&a, 4096 * 4);
  cudaMalloc(&b, 4096 * 64 * 4);
  cudaMalloc(&c, 4096 * 4);
  columns<<<16, 256>>>(a, b, c, 64);
}
"""


def test_wasteful_accesses_are_counted_by_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    monkeypatch.setattr(sys, "argv", ["recall.py", str(tmp_path)])
    assert recall.main() == 0
    out = capsys.readouterr().out
    assert "a.cu:5: columns: load" in out and "loaded address" in out
    assert "2 wasteful sites in 1 kernels" in out and " 50.0%  reported" in out
