"""Every format renders every case as its snapshot says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from perflint import report
from perflint.base.span import Span
from perflint.lint.findings import Related, Result
from perflint.report.full import facts
from perflint.report.summary import statistics, summary
from tests.report.cases import RESULTS, STORE, context

FORMATS = sorted(report.formats())


def test_formats_are_found_by_file() -> None:
    assert {"full", "concise", "json", "sarif"} <= set(FORMATS)
    assert {"json-lines", "github", "gitlab", "junit", "rdjson", "markdown"} <= set(FORMATS)
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


def test_what_a_launch_rests_on_stands_behind_its_place() -> None:
    (found,) = RESULTS["one"].findings
    assert found.launch is not None
    launch = replace(found.launch, remarks=("read supposing `n` is 4",))
    told = dict(facts(replace(found, launch=launch), context()))["launch"]
    place = "src/transpose.cu:12:5 on sm_80"
    assert told.startswith("naive<<<(64, 32), (32, 8)>>>(w=2048, h=1024)")
    assert told.endswith(f" at {place}; read supposing `n` is 4; 4 of 2048 blocks simulated")
    assert launch.whole == f"{launch.text}; read supposing `n` is 4"


def test_places_with_the_same_words_share_a_line() -> None:
    (found,) = RESULTS["one"].findings
    place = Span(Path("src/transpose.cu"), 3, 9, 3, 10)
    other = replace(place, path=Path("src/tile.cuh"))
    related = (
        Related(place, "the same"),
        Related(replace(place, line=5, column=2), "another"),
        Related(replace(place, line=7, column=4), "the same"),
        Related(other, "the same"),
    )
    told = [
        text for word, text in facts(replace(found, related=related), context()) if word == "see"
    ]
    assert told == [
        "src/transpose.cu:3:9, 7:4: the same",
        "src/transpose.cu:5:2: another",
        "src/tile.cuh:3:9: the same",
    ]


def test_quiet_has_no_summary() -> None:
    assert "No findings" in report.load("full")(RESULTS["clean"], context())
    assert report.load("full")(RESULTS["clean"], context(summary=False)) == ""
    assert "Found" not in report.load("concise")(RESULTS["one"], context(summary=False))


@pytest.mark.parametrize("case", RESULTS)
def test_json_lines_are_json(case: str) -> None:
    lines = report.load("json-lines")(RESULTS[case], context()).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(
        report.load("json")(RESULTS[case], context())
    )


HOSTILE = "a::b,c%0A|<script>[x](y)\n::error::`*_\x1b[31m\ufffe\x00&\"'>"


def hostile() -> Result:
    path = Path(f"src/{HOSTILE}.cu")
    finding = replace(STORE, message=HOSTILE, help=HOSTILE, place=replace(STORE.place, path=path))
    return Result((finding,), (), 1, 1)


def test_what_a_finding_says_stays_in_its_place() -> None:
    [command] = report.load("github")(hostile(), context()).splitlines()
    assert command.startswith("::warning file=src/a%3A%3Ab%2Cc%250A") and "\x1b" not in command
    assert command.count("::") == 2 + 3  # its own, and those of the message, which end nothing
    table = report.load("markdown")(hostile(), context())
    row = table.splitlines()[-1]
    assert len(re.findall(r"(?<!\\)\|", row)) == 6 and "<" not in row and "[x](y)" not in row
    tree = ElementTree.fromstring(report.load("junit")(hostile(), context()).encode())
    [failure] = tree.iter("failure")
    assert failure.get("message", "").startswith("a::b,c%0A|<script>[x](y) ::error::")
    [issue] = json.loads(report.load("gitlab")(hostile(), context()))
    assert len(issue["fingerprint"]) == 32


def test_junit_counts() -> None:
    for case, result in RESULTS.items():
        tree = ElementTree.fromstring(report.load("junit")(result, context()).encode())
        cases = list(tree.iter("testcase"))
        assert tree.get("tests") == str(len(cases)) == str(max(1, len(result.findings))), case


def test_fingerprints_of_gitlab_are_unique() -> None:
    twice = Result((STORE, STORE, replace(STORE, arch="sm_90")), (), 1, 1)
    issues = json.loads(report.load("gitlab")(twice, context()))
    assert len({issue["fingerprint"] for issue in issues}) == 3


def test_reviewdog_counts_bytes() -> None:
    wide = replace(STORE, place=replace(STORE.place, path=Path("w.cu"), line=1, end_line=1))
    read = {Path("w.cu"): "\u4f60\u597d = 1; /* " + "x" * 40}.get
    data = json.loads(report.load("rdjson")(Result((wide,), (), 1, 1), context(read=read)))
    [found] = data["diagnostics"]
    assert found["location"]["range"]["start"] == {"line": 1, "column": 13}


@pytest.mark.parametrize("case", RESULTS)
def test_json_fields(case: str) -> None:
    findings = json.loads(report.load("json")(RESULTS[case], context()))
    assert len(findings) == len(RESULTS[case].findings)
    for finding in findings:
        assert set(finding) == {
            *("code", "name", "message", "filename", "location", "end_location", "url", "fix"),
            *("level", "verdict", "kernel", "arch", "launch", "evidence", "notes", "help"),
            *("reason", "related", "worth", "unfixed", "launches"),
        }
        assert set(finding["location"]) == set(finding["end_location"]) == {"row", "column"}
        for measure in finding["evidence"]:
            assert set(measure) == {"metric", "measured", "golden", "unit"}


def test_summary_counts_what_was_not_analysed() -> None:
    assert summary(RESULTS["many"], context()) == [
        "Found 4 findings (1 error, 2 warnings, 1 note) in 3 kernels of 4 files.",
        "1 kernel and 1 file were not analysed; --select CU002 lists them.",
        "Worst: src/transpose.cu:7: CU101 uncoalesced-global-access; "
        "its excess is 43.8% of what the kernel moves.",
    ]
    one = Result((), RESULTS["many"].unanalysed[:1], 1, 1)
    assert summary(one, context(hidden=1)) == [
        "No findings in 1 kernel of 1 file.",
        "1 kernel was not analysed; --select CU002 lists it.",
        "1 note is hidden; --show-unconfirmed shows it.",
    ]
