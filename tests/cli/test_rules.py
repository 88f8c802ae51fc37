"""`perflint rule`, the rulebook, and how rules are selected."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from perflint.cli.selection import Layer, UnknownSelectorError, named, resolve
from perflint.lint import rule_packages, rulebook
from perflint.lint.rulebook import RulebookError, RuleInfo, rules
from tests.cli.conftest import Outcome

Run = Callable[..., Outcome]

NAMES = ("code", "name", "summary", "since", "level", "status", "tags", "precision")
DEFAULTS = {"level": "warning", "status": "preview", "tags": (), "precision": "high"}


def info(code: str, name: str) -> RuleInfo:
    return RuleInfo(code, name, "", "0.1.0", "warning", "stable", (), "high", "")


BOOK = {
    r.code: r
    for r in (
        info("CU001", "bad"),
        info("CU101", "wide"),
        info("CU102", "thin"),
        info("CU201", "b"),
    )
}


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ([], "CU001 CU101 CU102 CU201"),
        ([Layer(select=("CU1",))], "CU101 CU102"),
        ([Layer(select=("wide", "CU2"))], "CU101 CU201"),
        ([Layer(select=("ALL",), ignore=("CU1",))], "CU001 CU201"),
        ([Layer(select=("CU101",), ignore=("CU1",))], "CU101"),
        ([Layer(select=("CU1",), ignore=("CU101",))], "CU102"),
        ([Layer(select=("CU101",), ignore=("wide",))], ""),
        ([Layer(ignore=("CU1",))], "CU001 CU201"),
        ([Layer(ignore=("CU1",), extend_select=("CU101",))], "CU001 CU101 CU201"),
        ([Layer(select=("CU2",)), Layer(extend_select=("CU001",))], "CU001 CU201"),
        ([Layer(ignore=("CU2",)), Layer(select=("CU2",))], "CU201"),
        ([Layer(ignore=("CU2",)), Layer(ignore=("CU1",))], "CU001"),
    ],
)
def test_resolve(layers: list[Layer], expected: str) -> None:
    assert sorted(resolve(layers, BOOK)) == expected.split()


def test_named_is_neither_prefix_nor_all() -> None:
    assert named([Layer(select=("ALL", "CU1", "b"), extend_select=("CU001",))], BOOK) == {
        "CU201",
        "CU001",
    }


@pytest.mark.parametrize("selector", ["", "CU9", "cu101", "Wide", "CU1*", "CU1011"])
def test_an_unknown_selector(selector: str) -> None:
    with pytest.raises(UnknownSelectorError, match="no rule is called"):
        resolve([Layer(select=(selector,))], BOOK)


def test_a_rule_file_is_read_without_running_it() -> None:
    source = '"""Page."""\nimport nowhere\nRULE = Rule("CU9", name="n", summary="s", since="1")\n'
    read = rulebook.read(source, "a.py", NAMES, DEFAULTS)
    assert read == RuleInfo("CU9", "n", "s", "1", "warning", "preview", (), "high", "Page.")
    assert rulebook.read("X = 1\n", "a.py", NAMES, DEFAULTS) is None


@pytest.mark.parametrize("call", ["code=CODE", 'code="C"'])
def test_a_rule_file_that_cannot_be_read(call: str) -> None:
    with pytest.raises(RulebookError, match=r"a\.py"):
        rulebook.read(f"RULE = Rule({call})\n", "a.py", NAMES, DEFAULTS)


def test_what_ast_reads_is_what_python_sees() -> None:
    from importlib import import_module

    paths = sorted(rule_packages.packages()[0].path.glob("*/cu*.py"))
    assert len(paths) == len(rules())
    for path in paths:
        module = import_module(f"perflint.rules.{path.parent.name}.{path.stem}")
        read = rules()[module.RULE.code]
        for name in NAMES:
            assert getattr(read, name) == getattr(module.RULE, name), (path.name, name)


HEADINGS = (
    *("What it does", "Why it is slow", "Example", "Use instead", "How it is confirmed"),
    *("When to ignore it", "Options", "References"),
)


@pytest.mark.parametrize("code", rules())
def test_every_page(code: str, run: Run) -> None:
    rule = rules()[code]
    assert [h for h in HEADINGS if f"## {h}\n" in rule.page + "\n"] == list(HEADINGS)
    by_code, by_name = run("rule", code), run("rule", rule.name)
    assert by_code == by_name
    assert by_code.out.startswith(f"{code} {rule.name}\n{rule.summary}\n")
    assert "```" not in by_code.out and "\nWHAT IT DOES\n" in by_code.out
    markdown = run("rule", code, "--output-format", "md").out
    assert markdown.startswith(f"# {rule.name} ({code})\n") and rule.page in markdown


def test_rule_lists_and_dumps(run: Run) -> None:
    assert [line[:5] for line in run("rule").out.splitlines() if line.startswith("CU")] == [
        *rules()
    ]
    data = json.loads(run("rule", "--all", "--output-format", "json").out)
    assert [item["code"] for item in data] == [*rules()]
    assert run("rule", "CU999").status == 2
    assert len(json.loads(run("rule", "CU0", "--output-format", "json").out)) >= 2


@pytest.mark.parametrize(
    ("layers", "preview", "expected"),
    [
        ([], False, "CU101"),
        ([], True, "CU101 CU102"),
        ([Layer(select=("CU1",))], False, "CU101 CU103"),
        ([Layer(select=("CU102",))], False, ""),
        ([Layer(select=("CU102",))], True, "CU102"),
        ([Layer(extend_select=("CU103",))], False, "CU101 CU103"),
    ],
)
def test_a_rule_in_preview_is_opt_in(layers: list[Layer], preview: bool, expected: str) -> None:
    book = {
        code: replace(info(code, code.lower()), status=status)
        for code, status in (("CU101", "stable"), ("CU102", "preview"), ("CU103", "deprecated"))
    }
    assert sorted(resolve(layers, book, preview=preview)) == expected.split()
