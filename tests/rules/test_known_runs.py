"""What was simulated for the rules is not simulated again for what a finding is worth."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.lint import launch_costs
from perflint.lint.variants import Laboratory
from tests.rules.answers import answers
from tests.rules.test_rules import SOURCES, run

EVERY = 12

#: Rows that lie apart are read by columns, and each value takes so many products.
KERNEL = """
__global__ void {name}(float *out, const float *in, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += {value};
    out[i] = sum;
}}
"""
MAIN = """
int main()
{{
    float *out, *in;
    cudaMalloc(&out, 4 << 18);
    cudaMalloc(&in, 4 << 24);
    {calls}
}}
"""


def program(folder: Path, **values: str) -> Path:
    """A program of kernels, by what each of them adds up."""
    kernels = "".join(KERNEL.format(name=name, value=value) for name, value in values.items())
    calls = "\n    ".join(f"{name}<<<64, 256>>>(out, in, 64);" for name in values)
    path = folder / "a.cu"
    path.write_text(kernels + MAIN.format(calls=calls))
    return path


@pytest.mark.parametrize("path", SOURCES[7::EVERY], ids=str)
def test_it_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perflint.work.parallel.FORKS", False)
    known = run(path)
    monkeypatch.setattr(Laboratory, "_known", lambda *_: {})
    assert run(path) == known


def test_a_run_with_all_tracers_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program(tmp_path, rows="in[i * 64 + k]")
    path.write_text(path.read_text().replace("<<<64, 256>>>", "<<<220, 1024>>>"))  # CU406 asks
    seen = answers(monkeypatch, Laboratory, "_known", path)
    assert any(seen)


def test_one_that_was_cut_short_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program(tmp_path, rows="in[i * 64 + k % 64]")
    text = path.read_text().replace("<<<64, 256>>>", "<<<220, 1024>>>")
    path.write_text(text.replace("in, 64)", "in, 1 << 28)"))
    seen = answers(monkeypatch, Laboratory, "_known", path)
    assert not any(seen)


def test_only_kernels_beside_others_are_costed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = program(tmp_path, rows="in[i * 64 + k]")
    assert not answers(monkeypatch, launch_costs, "_work", alone)
    both = program(tmp_path, rows="in[i * 64 + k]", columns="in[k * 16384 + i]")
    assert answers(monkeypatch, launch_costs, "_work", both)
