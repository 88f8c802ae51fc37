"""SARIF: valid by the schema, and what neither the schema nor Microsoft's validator checks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from perflint.base.span import Span
from perflint.lint.findings import Finding, Related, Result, Silenced
from perflint.lint.rulebook import rules
from perflint.report.sarif import render
from tests.report.cases import LOST, RESULTS, RULES, STORE, context

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "data" / "sarif-2.1.0.json").read_text(encoding="utf-8")
)


def logged(result: Result, **changes: object) -> dict[str, Any]:
    log = json.loads(render(result, context(**changes)))
    jsonschema.Draft202012Validator(SCHEMA).validate(log)
    assert len(log["runs"]) == 1  # GitHub refuses several runs of one tool
    run: dict[str, Any] = log["runs"][0]
    return run


def every(node: Any, key: str) -> Iterator[Any]:
    """All values of a key, at any depth."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key:
                yield value
            yield from every(value, key)
    elif isinstance(node, list):
        for item in node:
            yield from every(item, key)


@pytest.mark.parametrize("case", RESULTS)
def test_what_schemas_do_not_check(case: str) -> None:
    run = logged(RESULTS[case])
    for region in every(run, "region"):
        assert region["startLine"] == region["endLine"]
        assert region["startColumn"] < region["endColumn"]
    for artifact in every(run, "artifactLocation"):
        assert artifact["uri"].isascii()
        if "uriBaseId" in artifact:
            assert artifact["uriBaseId"] in run["originalUriBaseIds"]
            assert not re.match(r"/|\w+:", artifact["uri"])
        else:
            assert artifact["uri"].startswith("file:///")
    listed = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert listed[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        ids = [place["id"] for place in result.get("relatedLocations", [])]
        links = re.findall(r"(?<!\\)\]\((\d+)\)", result["message"]["text"])
        assert sorted(map(int, links)) == ids
        assert "perflint/v1" in result["partialFingerprints"]
        [flow] = result["codeFlows"]
        [thread] = flow["threadFlows"]
        assert 1 <= len(thread["locations"]) <= 10


def test_nothing_found_is_an_empty_list() -> None:
    assert logged(RESULTS["clean"])["results"] == []  # or GitHub keeps the old alerts open


def test_rules_carry_what_github_requires() -> None:
    listed = logged(RESULTS["clean"], rules=rules())["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in listed] == sorted(rules())
    for rule in listed:
        assert 0 < len(rule["shortDescription"]["text"]) <= 1024
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"] and rule["help"]["markdown"].startswith("## What it does")
        assert re.fullmatch(r"([A-Z0-9][a-z0-9]*)+", rule["name"])
        assert len(rule["properties"]["tags"]) <= 20
        assert "security-severity" not in rule["properties"]


def test_the_flow_goes_from_the_launch_to_the_measurement() -> None:
    [result] = logged(RESULTS["one"])["results"]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    texts = [step["location"]["message"]["text"] for step in steps]
    assert texts[0].startswith("launched as naive<<<")
    assert texts[-1] == "measured sectors per request: 32 sectors, ideal 4"
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps]
    assert lines == [12, 3, 7, 7]


def test_many_related_places_are_cut() -> None:
    places = tuple(Related(Span(STORE.place.path, n, 1, n, 2), f"at {n}") for n in range(1, 40))
    [result] = logged(Result((replace(STORE, related=places),), (), 1, 1))["results"]
    assert len(result["codeFlows"][0]["threadFlows"][0]["locations"]) == 10
    assert len(result["relatedLocations"]) == 10


def test_kernels_not_analysed_are_notifications() -> None:
    [invocation] = logged(Result((), LOST, 0, 1))["invocations"]
    assert invocation["executionSuccessful"] is True
    told = invocation["toolExecutionNotifications"]
    assert [item["message"]["text"] for item in told] == [
        "Kernel apply was not analysed: nothing instantiates the template.",
        "The file was not analysed: the file is empty.",
    ]
    assert told[0]["associatedRule"] == {"id": "CU002", "index": sorted(RULES).index("CU002")}


def own(finding: Finding) -> str:
    [result] = logged(Result((finding,), (), 1, 1))["results"]
    return str(result["partialFingerprints"]["perflint/v1"])


def test_own_fingerprint() -> None:
    changed = replace(STORE, message="store to out touches 16 sectors", label="", launch=None)
    assert own(changed) == own(STORE)
    assert own(replace(STORE, kernel="other")) != own(STORE)
    assert own(replace(STORE, place=replace(STORE.place, column=26, end_column=39))) != own(STORE)
    twice = logged(Result((STORE, STORE), (), 1, 1))["results"]
    assert [r["partialFingerprints"]["perflint/v1"].split(":")[1] for r in twice] == ["1", "2"]


def test_each_gpu_has_a_fingerprint_of_its_own() -> None:
    assert own(replace(STORE, arch="sm_90")) != own(STORE)


def test_a_fix_is_told() -> None:
    [result] = logged(Result((STORE,), (), 1, 1))["results"]
    [fix] = result["fixes"]
    [change] = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "src/transpose.cu"
    [replacement] = change["replacements"]
    assert replacement["insertedContent"] == {"text": "out[y * w + x]"}
    assert replacement["deletedRegion"]["startColumn"] == 9


def test_what_is_silenced_is_there_when_asked_for() -> None:
    silenced = (Silenced(STORE, "by hand"), Silenced(STORE, "in the baseline", baseline=True))
    result = Result((STORE,), (), 1, 1, silenced=silenced)
    assert len(logged(result)["results"]) == 1
    _, first, second = logged(result, suppressed=True)["results"]
    assert first["suppressions"] == [
        {"kind": "inSource", "status": "accepted", "justification": "by hand"}
    ]
    assert second["suppressions"][0]["kind"] == "external"


@pytest.mark.parametrize("count", [5_000, 5_001, 25_010])
def test_the_worst_come_first_where_not_all_are_shown(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perflint.report.sarif.Log.finding", lambda _, f: {"rank": f.waste})
    findings = tuple(replace(STORE, waste=float(n)) for n in range(count))
    run = json.loads(render(Result(findings, (), 1, 1), context()))["runs"][0]
    ranks = [result["rank"] for result in run["results"]]
    worst = range(count - 1, -1, -1) if count > 5_000 else range(count)
    assert ranks == list(worst)[:25_000]
    said = [
        n["message"]["text"] for n in run["invocations"][0].get("toolExecutionNotifications", ())
    ]
    assert len(said) == (count > 5_000)
    assert not said or said[0].startswith(
        f"There are {count:,} findings, the worst first, of which"
    )
    assert not said or ("; 10 are left out" in said[0]) is (count > 25_000)


def test_paths_are_relative_to_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    below = tmp_path / "sub dir"
    below.mkdir()
    (below / "k.cu").write_text("x\n")
    (tmp_path / "link.cu").symlink_to(below / "k.cu")
    for path, uri in [
        (Path("k.cu"), "sub%20dir/k.cu"),
        (below / "k.cu", "sub%20dir/k.cu"),
        (Path("../link.cu"), "sub%20dir/k.cu"),
        (Path("../gone.cu"), "gone.cu"),
    ]:
        finding = replace(STORE, place=replace(STORE.place, path=path), launch=None, related=())
        [result] = logged(Result((finding,), (), 1, 1), root=below)["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {
            "uri": uri,
            "uriBaseId": "%SRCROOT%",
        }
