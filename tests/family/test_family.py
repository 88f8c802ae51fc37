"""Every figure that perflint reports on the family, against the formula of the source."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from perflint.lint.findings import Finding
from perflint.lint.options import CheckOptions
from perflint.work.pipeline import check
from tests.family.cases import Case, global_cases, shared_cases

#: The least ratio of measured to golden that each rule reports.
WORST_RATIO = {"CU101": 2.0, "CU201": 1.5}


def lint(cases: Iterable[Case], folder: Path) -> tuple[list[Case], dict[str, list[Finding]], int]:
    """The cases, the findings by the kernel they are in, and the number of kernels analysed."""
    cases = list({case.name: case for case in cases}.values())
    path = folder / "family.cu"
    path.write_text("".join(case.source for case in cases))
    result = check([path], CheckOptions(rules=frozenset(WORST_RATIO), root=folder))
    assert not result.unanalysed
    lines = path.read_text().splitlines()
    found: dict[str, list[Finding]] = {case.name: [] for case in cases}
    for finding in result.findings:
        marker = lines[finding.place.line - 1].partition("// ACCESS ")[2]
        assert marker == finding.kernel, finding
        found[marker].append(finding)
    return cases, found, result.kernels


@pytest.mark.parametrize("family", [global_cases, shared_cases], ids=["global", "shared"])
def test_figures(family: object, tmp_path: Path) -> None:
    cases, found, kernels = lint(family(), tmp_path)  # type: ignore[operator]
    assert kernels == len(cases)
    wrong = [problem for case in cases if (problem := disagreement(case, found[case.name]))]
    assert not wrong, "\n".join(wrong)
    fired = sum(bool(f) for f in found.values())
    assert 0.2 * len(cases) < fired < 0.8 * len(cases), "the family must hold both kinds"


def disagreement(case: Case, findings: list[Finding]) -> str:
    """What is wrong with the findings of one case; "" if nothing is."""
    cost = case.cost
    expected = min(cost.measured, cost.aligned) >= WORST_RATIO[case.code] * cost.golden
    if not expected:
        return f"{case.name}: false alarm: {findings[0].message}" if findings else ""
    if len(findings) != 1:
        return f"{case.name}: {len(findings)} findings, expected one ({cost})"
    finding = findings[0]
    (evidence,) = finding.evidence
    if finding.verdict != "confirmed":
        return f"{case.name}: {finding.verdict}: {finding.reason}"
    if (evidence.measured, evidence.golden) != (cost.measured, cost.golden):
        return f"{case.name}: {evidence} against {cost}"
    if case.code == "CU201" and f"{cost.ways}-way" not in finding.message:
        return f"{case.name}: {finding.message!r} against {cost.ways}-way"
    return ""
