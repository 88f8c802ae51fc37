"""Which double literals of float code cost something: the compiler's answers, and the rules'."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from perflint.lint.findings import Finding
from tests.rules.test_rules import lint

DATA = Path(__file__).parents[1] / "data" / "double_literal_folding.json"
STATEMENTS: Mapping[str, tuple[str, int]] = {
    name: (each["statement"], each["f64"]) for name, each in json.loads(DATA.read_text()).items()
}
#: `cvt.sat` is all that is left of it; a double variable is meant.
OTHERS = {"clampmin", "dbl_strength"}


def _lines(statement: str) -> str:
    """Its statements, one a line."""
    return statement if "for" in statement else statement.replace("; ", ";\n    ")


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Finding]]:
    """What is found in a kernel of each statement: together they are one file."""
    path = tmp_path_factory.mktemp("folding") / "folding.cu"
    path.write_text(
        "#include <math.h>\n"
        + "".join(
            f"__global__ void k_{name}(float *o, const float *a, const int *m)\n{{\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    float x = a[i], z = a[i + 4096], w = a[i + 8192];\n    int n = m[i];\n"
            f"    {_lines(statement)}\n    o[i] = y + z * 0.0f + w * 0.0f + n;\n}}\n"
            for name, (statement, _) in STATEMENTS.items()
        )
    )
    out: dict[str, list[Finding]] = {name: [] for name in STATEMENTS}
    for finding in lint(path):
        if finding.code in ("CU701", "CU704") and finding.verdict == "confirmed":
            assert finding.kernel is not None
            out[finding.kernel.removeprefix("k_")].append(finding)
    return out


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_literal_is_found_where_it_costs(
    name: str, findings: Mapping[str, list[Finding]]
) -> None:
    statement, doubles = STATEMENTS[name]
    expected = int(doubles > 0 and name not in OTHERS)
    if name == "powf_2":  # no double, but the general power function
        expected = 1
    assert len(findings[name]) == expected, statement
