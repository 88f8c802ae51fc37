"""--min-waste: how much of the kernel's work must be wasted for a finding to be confirmed."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.lint.options import CheckOptions
from perflint.work.pipeline import check

#: one load of 32 sectors, 28 of them too many, among 12 packed requests of 4 sectors each: a third
SOURCE = """
__global__ void mixed(float *out, const float *in, const float *rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = rows[i * 8];
    for (int k = 0; k < 11; k++)
        sum += in[k * 65536 + i];
    out[i] = sum;
}

void launch(float *out, const float *in, const float *rows)
{
    mixed<<<256, 256>>>(out, in, rows);
}
"""


@pytest.mark.parametrize(("share", "verdict"), [(0.05, "confirmed"), (0.5, "undecided")])
def test_verdict(share: float, verdict: str, tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(SOURCE)
    options = CheckOptions(rules=frozenset(("CU101",)), root=tmp_path, min_waste=share)
    assert [f.verdict for f in check([path], options).findings] == [verdict]
