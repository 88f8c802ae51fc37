"""What may mend a finding is tried for the finding, not for every launch that bears it out."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.lint.judgement import Judgement
from perflint.lint.variants import Laboratory
from perflint.rules.protocol import SourceEdit
from tests.rules.answers import answers

COLUMNS = """
__global__ void columns(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        tile[y][threadIdx.x] = in[y * n + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        out[y * n + threadIdx.x] = tile[threadIdx.x][y];
}
void launch(float *out, float *in)
{
    columns<<<1, dim3(32, 8)>>>(out, in, 64);
    columns<<<1, dim3(32, 16)>>>(out, in, 96);
    columns<<<1, dim3(32, 32)>>>(out, in, 128);
}
"""


def test_only_the_launch_that_is_told_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.cu"
    path.write_text(COLUMNS)
    ran = answers(monkeypatch, Laboratory, "run", path)
    edited = [r for r in ran if isinstance(r.variant, SourceEdit)]
    assert len({id(r) for r in edited}) == 1


def test_it_is_told_what_the_edit_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.cu"
    path.write_text(COLUMNS)
    (told,) = (j for j in answers(monkeypatch, Judgement, "with_cures", path) if j.fix is not None)
    assert any("wavefronts fall from" in note for note in told.notes)
