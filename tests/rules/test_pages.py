"""The numbers of a rule's page are its code's: the page names constants, and holds none itself."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from perflint.lint.options import DEFAULT_MIN_WASTE
from perflint.lint.rulebook import RulebookError, RuleInfo, _assigned, rules, written_out
from perflint.lint.ruleset import load
from perflint.lint.verdict import OBJECTIONS
from perflint.rules.protocol import SMALL_SHARE

KERNEL_RULES = {module.RULE.code: module for module in load(frozenset(rules())).kernel}
CLAIMS = next(each.claims for each in OBJECTIONS if each.name == SMALL_SHARE)
PLACEHOLDER = re.compile(r"\{[\w.]+(?::[^}]*)?\}")
#: A number that decides: a share, or a threshold.
THRESHOLD = re.compile(r"\d[\d.,]* ?%|(?:at least|at most|more than|fewer than) \d")


def prose(text: str) -> str:
    """A page without its code."""
    return re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)


def section(text: str, heading: str) -> str:
    return text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize("info", rules().values(), ids=lambda info: info.code)
class TestPage:
    def test_holds_no_threshold(self, info: RuleInfo) -> None:
        said = " ".join(section(info.docstring, "How it is confirmed").split())
        assert THRESHOLD.findall(said) == []

    def test_names_constants_that_are_there(self, info: RuleInfo) -> None:
        assert not PLACEHOLDER.findall(prose(info.page))

    def test_min_waste_is_said_where_it_is_asked(self, info: RuleInfo) -> None:
        assert "--min-waste" not in info.docstring
        module = KERNEL_RULES.get(info.code)
        asked = module is not None and module.RULE.claim in CLAIMS
        asked = asked and SMALL_SHARE not in dict(module.RULE.waives if module else ())
        said = " ".join(section(info.page, "Options").split())
        default = f"`--min-waste PERCENT` (`min-waste` in the configuration), {DEFAULT_MIN_WASTE:g}"
        assert (default in said) == asked
        if asked and module and module.RULE.floor:
            assert f"never less than {100 * module.RULE.floor:g} %." in said


@pytest.mark.parametrize("code", [c for c, module in KERNEL_RULES.items() if module.RULE.floor])
def test_a_floor_is_on_the_page(code: str) -> None:
    said = section(rules()[code].page, "How it is confirmed")
    assert f"{100 * KERNEL_RULES[code].RULE.floor:g} %" in said


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("LEAST = 2.0\n", 2.0),
        ("FIRST, LEAST = 0.05, 0.20  #: shares\n", 0.2),
        ("LEAST = 64 << 10  #: bytes\n", 65536),
        ('LEAST: dict[str, float] = {"shared": 1.5}\n', {"shared": 1.5}),
        ("AT_LEAST = 3\n", None),
    ],
)
def test_a_constant_is_read(line: str, expected: object) -> None:
    assert _assigned(line, "LEAST") == expected


def test_a_constant_that_is_nowhere() -> None:
    info = next(iter(rules().values()))
    wrong = replace(info, docstring="{NO_SUCH}")
    with pytest.raises(RulebookError, match="names NO_SUCH"):
        written_out(wrong)
