"""Every format renders every case as its snapshot says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from perflint import report
from perflint.findings import Result
from perflint.report.summary import statistics, summary
from tests.report.cases import RESULTS, STORE, context

FORMATS = sorted(report.formats())


def test_formats_are_found_by_file() -> None:
    assert {"full", "concise", "json", "sarif"} <= set(FORMATS)
    assert not {"context", "fingerprint", "snippet", "summary"} & set(FORMATS)
    assert all(report.formats().values())


@pytest.mark.parametrize("case", RESULTS)
@pytest.mark.parametrize("name", FORMATS)
def test_snapshot(name: str, case: str, snapshot: Callable[[str, str], None]) -> None:
    text = report.load(name)(RESULTS[case], context(hidden=2 if case == "one" else 0))
    assert text == report.load(name)(RESULTS[case], context(hidden=2 if case == "one" else 0))
    assert "\x1b" not in text
    snapshot(f"{case}.{name}.txt" if name in ("full", "concise") else f"{case}.{name}", text)


def test_statistics(snapshot: Callable[[str, str], None]) -> None:
    result = Result((*RESULTS["many"].findings, *([STORE] * 9)), (), 3, 4)
    snapshot("statistics.txt", statistics(result, context()))


@pytest.mark.parametrize("name", ["full", "concise"])
def test_color_changes_nothing_but_colour(name: str) -> None:
    render = report.load(name)
    plain = render(RESULTS["many"], context())
    colored = render(RESULTS["many"], context(color=True))
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain


def test_quiet_has_no_summary() -> None:
    assert "No findings" in report.load("full")(RESULTS["clean"], context())
    assert report.load("full")(RESULTS["clean"], context(summary=False)) == ""
    assert "Found" not in report.load("concise")(RESULTS["one"], context(summary=False))


@pytest.mark.parametrize("case", RESULTS)
def test_json_fields(case: str) -> None:
    findings = json.loads(report.load("json")(RESULTS[case], context()))
    assert len(findings) == len(RESULTS[case].findings)
    for finding in findings:
        assert set(finding) == {
            *("code", "name", "message", "filename", "location", "end_location", "url", "fix"),
            *("level", "verdict", "kernel", "arch", "launch", "evidence"),
        }
        assert set(finding["location"]) == set(finding["end_location"]) == {"row", "column"}
        for measure in finding["evidence"]:
            assert set(measure) == {"metric", "measured", "golden", "unit"}


def test_summary_counts_what_was_not_analysed() -> None:
    assert summary(RESULTS["many"], context()) == [
        "Found 4 findings (1 error, 2 warnings, 1 note) in 3 kernels of 4 files.",
        "1 kernel and 1 file were not analysed; --select CU002 lists them.",
    ]
    one = Result((), RESULTS["many"].unanalysed[:1], 1, 1)
    assert summary(one, context(hidden=1)) == [
        "No findings in 1 kernel of 1 file.",
        "1 kernel was not analysed; --select CU002 lists it.",
        "1 note is hidden; --show-unconfirmed shows it.",
    ]
