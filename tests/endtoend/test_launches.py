"""The launch a finding rests on: read, given by the user, or assumed and said to be."""

from __future__ import annotations

from pathlib import Path

from perflint import launch_option
from perflint.findings import Result
from perflint.options import CheckOptions
from perflint.pipeline import check

STRIDED = """__global__ void strided(float *out, const float *in, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}
"""


def lint(source: str, folder: Path, launch: str | None = None) -> Result:
    path = folder / "strided.cu"
    path.write_text(source)
    launches = (launch_option.parse(launch),) if launch else ()
    rules = frozenset({"CU101", "CU201"})
    return check([path], CheckOptions(rules=rules, launches=launches, root=folder))


def test_a_bare_stride_without_a_launch_is_only_a_note(tmp_path: Path) -> None:
    (finding,) = lint(STRIDED, tmp_path).findings
    assert finding.verdict == "undecided"
    assert finding.launch is not None and finding.launch.assumed
    assert "256×1 threads assumed" in finding.launch.text


def test_a_given_launch_decides(tmp_path: Path) -> None:
    (finding,) = lint(STRIDED, tmp_path, "strided=<<<4, 128>>>(stride=3)").findings
    assert finding.verdict == "confirmed"
    assert [e.measured for e in finding.evidence] == [12.0]
    assert finding.launch is not None and not finding.launch.assumed
    assert finding.launch.text == "strided<<<4, 128>>>(stride=3)"
    assert not lint(STRIDED, tmp_path, "strided=<<<4, 128>>>(stride=1)").findings


def test_a_launch_site_decides_and_is_named(tmp_path: Path) -> None:
    source = STRIDED + "void host(float *a, float *b) { strided<<<4, 64>>>(a, b, 2); }\n"
    (finding,) = lint(source, tmp_path).findings
    assert finding.verdict == "confirmed"
    assert [e.measured for e in finding.evidence] == [8.0]
    assert finding.launch is not None and finding.launch.place is not None
    assert finding.launch.place.line == 6


def test_a_launch_of_no_kernel_is_noticed(tmp_path: Path) -> None:
    result = lint(STRIDED, tmp_path, "stridden=<<<4, 128>>>(stride=3)")
    assert any("`stridden`" in remark for remark in result.remarks)
