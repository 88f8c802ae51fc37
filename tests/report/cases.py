"""Hand-made results, each rendered in every format and held against a snapshot."""

from __future__ import annotations

from pathlib import Path

from perflint.base.evidence import Edit, Evidence, Fix, LaneBytes, WorstRequest
from perflint.base.floor import Floor
from perflint.base.span import Span
from perflint.lint.findings import Finding, LaunchNote, Related, Result, Unanalysed
from perflint.lint.rulebook import RuleInfo
from perflint.lint.worth import Worth
from perflint.report.context import Context

ROOT = Path("/project")

TRANSPOSE = """\
__global__ void naive(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;

    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];
}

int main()
{
    naive<<<dim3(64, 32), dim3(32, 8)>>>(out, in, 2048, 1024);
}
"""

ODD = "// \u4f60\u597d\n\tfor (;;) {\n\t\tx\u0301\u4f60 = a[\t7] + b\x1b[31m[i];\r\n\t}\n" + (
    "int v[] = { " + "123, " * 60 + "p[9], " + "4, " * 60 + "};\n"
)

SOURCES = {
    Path("src/transpose.cu"): TRANSPOSE,
    Path("src/odd [1].cu"): ODD,
}


def _rule(code: str, name: str, level: str = "warning", page: str = "") -> RuleInfo:
    return RuleInfo(
        code=code,
        name=name,
        summary=f"The summary of {code}.",
        since="0.1.0",
        level=level,  # type: ignore[arg-type]
        status="preview",
        tags=("performance", "cuda"),
        precision="high",
        docstring=page
        or f"## What it does\nFinds {name}\nin kernels.\n\n## Example\n```cuda\na[i];\n```\n\n"
        "## References\n- [Guide](https://docs.nvidia.com/cuda/).\n",
    )


RULES = {
    rule.code: rule
    for rule in (
        _rule("CU001", "file-not-compiled", page="## What it does\nNothing on the web."),
        _rule("CU002", "kernel-not-analysed", "note"),
        _rule("CU101", "uncoalesced-global-access"),
    )
}

STORE = Finding(
    code="CU101",
    name="uncoalesced-global-access",
    level="warning",
    verdict="confirmed",
    message="store to out touches 32 sectors per request where 4 would do",
    place=Span(Path("src/transpose.cu"), 7, 9, 7, 23),
    kernel="naive",
    arch="sm_80",
    label="neighbouring threadIdx.x are 4*h bytes apart",
    launch=LaunchNote(
        "naive<<<(64, 32), (32, 8)>>>(w=2048, h=1024)",
        assumed=False,
        place=Span(Path("src/transpose.cu"), 12, 5, 12, 62),
        blocks="4 of 2048 blocks simulated",
    ),
    evidence=(Evidence("sectors per request", 32.0, 4.0, "sectors"),),
    notes=("the load beside it is coalesced",),
    related=(Related(Span(Path("src/transpose.cu"), 3, 9, 3, 10), "x[0] is the fastest index"),),
    help="write rows",
    witness="block (0,0,0) warp 0: lane n at 4096*n",
    request=WorstRequest(
        LaneBytes("global", 4, tuple(4096 * lane for lane in range(32))),
        measured=32,
        golden=4,
        array="out",
        after=LaneBytes("global", 4, tuple(4 * lane for lane in range(32))),
        change="y as the slower index",
    ),
    identity="store global out",
    severity=7.0,
    waste=0.4375,
    waste_text="its excess is 43.8% of what the kernel moves",
    worth=Worth(Floor({"lsu": 64.0, "tags": 1152.0}), Floor({"lsu": 64.0, "tags": 256.0})),
    fix=Fix(
        "write rows",
        (Edit(Span(Path("src/transpose.cu"), 7, 9, 7, 23), "out[y * w + x]"),),
        safe=False,
    ),
)

UNDECIDED = Finding(
    code="CU101",
    name="uncoalesced-global-access",
    level="note",
    verdict="undecided",
    message="load from a[0](1) may touch 32.5 sectors per request where 4 would do",
    place=Span(Path("src/odd [1].cu"), 3, 11, 3, 16),
    kernel="odd",
    arch="sm_80",
    label="of a\x1b[0m",
    launch=LaunchNote("odd<<<(1), (256)>>>()", assumed=True),
    evidence=(Evidence("requests", 32.5, 4.0, "sectors"),),
    reason="good with the identity fill",
)

LONG_LINE = Finding(
    code="CU001",
    name="file-not-compiled",
    level="error",
    verdict="confirmed",
    message='identifier "p" is undefined\nwhile compiling',
    place=Span(Path("src/odd [1].cu"), 5, 313, 5, 317),
)

NO_SOURCE = Finding(
    code="CU001",
    name="file-not-compiled",
    level="warning",
    verdict="confirmed",
    message="gone",
    place=Span(Path("/build/gone.cu"), 4, 2, 6, 1),
)

LOST = (
    Unanalysed(Path("src/transpose.cu"), "apply", "nothing instantiates the template", 4),
    Unanalysed(Path("src/odd [1].cu"), None, "the file is empty"),
)

RESULTS = {
    "clean": Result((), (), 3, 1),
    "nothing": Result((), (), 0, 0),
    "one": Result((STORE,), (), 2, 1),
    "many": Result((NO_SOURCE, UNDECIDED, LONG_LINE, STORE), LOST, 3, 4),
}


def context(**changes: object) -> Context:
    values: dict[str, object] = {"root": ROOT, "rules": RULES, "read": SOURCES.get}
    return Context(**(values | changes))  # type: ignore[arg-type]
