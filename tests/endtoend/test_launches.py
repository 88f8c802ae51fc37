"""The launch a finding rests on: read, given by the user, or assumed and said to be."""

from __future__ import annotations

from pathlib import Path

from perflint.base import launch_option
from perflint.lint.findings import Result
from perflint.lint.options import CheckOptions
from perflint.work.pipeline import check

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
    assert "256×1 threads assumed" in finding.launch.whole


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


def test_a_launch_that_cannot_be_read_is_not_said_to_be_missing(tmp_path: Path) -> None:
    source = STRIDED + "void host(float *a, int n) {\n  strided<<<4, n>>>(a, a, 2);\n}\n"
    (finding,) = lint(source, tmp_path).findings
    assert finding.launch is not None and finding.launch.assumed
    text = "256 threads assumed: `n` of the launch at line 7 could not be read"
    assert text in finding.launch.whole
    assert "no launch was found" not in finding.launch.whole


HIDDEN = """#define IN(i) in[(i) * 32]
__global__ void k(float *out, const float *in, const float *w)
{
    int i = threadIdx.x;
    out[i] = IN(i) + w[i];
}
void host(float *a, float *b, float *c) { k<<<1, 64>>>(a, b, c); }
"""


def test_provenance_names_the_array_that_a_macro_hides(tmp_path: Path) -> None:
    (finding,) = lint(HIDDEN, tmp_path).findings
    assert "`in`" in finding.message and "`w`" not in f"{finding.message} {finding.help}"
    assert (finding.place.line, finding.place.column, finding.place.end_column) == (5, 14, 19)


def test_what_no_subscript_shows_is_placed_at_its_statement(tmp_path: Path) -> None:
    source = HIDDEN.replace("#define IN(i) in[(i) * 32]", "#define IN_I in[i * 32]")
    (finding,) = lint(source.replace("IN(i)", "IN_I"), tmp_path).findings
    assert "`in`" in finding.message and "`w`" not in f"{finding.message} {finding.help}"
    assert (finding.place.line, finding.place.column) == (5, 5)
