"""A kernel of twice as many accesses is twice the work: pairs of them are not held together."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.analysis.polynomial import Polynomial
from tests.rules.answers import answers

KERNEL = """
__global__ void work(float *out, const float *in, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    {statements}
    out[i] = sum;
}}
int main()
{{
    float *a, *b;
    cudaMalloc(&a, 4 << 20);
    cudaMalloc(&b, 4 << 24);
    work<<<256, 256>>>(a, b, 64);
}}
"""
LOOP = "for (int k = 0; k < n; k += {step}) sum += in[i + k * {times}];"


def differences(path: Path, loops: int) -> int:
    """Differences of addresses that are made for a kernel of so many loops."""
    statements = "\n    ".join(
        LOOP.format(step=number % 7 + 2, times=number + 1) for number in range(loops)
    )
    path.write_text(KERNEL.format(statements=statements))
    with pytest.MonkeyPatch.context() as patch:
        return len(answers(patch, Polynomial, "__sub__", path))


def test_loads_of_one_array(tmp_path: Path) -> None:
    few, many = (differences(tmp_path / f"{loops}.cu", loops) for loops in (24, 48))
    assert many < 3 * few
