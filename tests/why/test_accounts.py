"""What the accounts of kernels hold, against the comments of the case files.

`// why: CU101 undecided "loaded address" "a[i] = i"`  a suspicion on this line: rule, verdict, the
name of the objection that decided, and words of the reason
`// passes: CU106 "in no loop"`                        why a rule suspects nothing of an access here
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from perflint.lint.findings import Result
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import rules
from perflint.lint.verdict import OBJECTIONS
from perflint.why import words
from perflint.work.pipeline import check

CASES = Path(__file__).parent / "cases"
_WHY = re.compile(r'// why: (CU\d{3}) (\w+) "([^"]*)" "([^"]*)"')
_PASSES = re.compile(r'// passes: (CU\d{3}) "([^"]*)"')


@cache
def explained(name: str) -> Result:
    """What a check of a case says."""
    stable = frozenset(code for code, info in rules().items() if info.status == "stable")
    return check([CASES / name], CheckOptions(rules=stable, root=CASES, jobs=1, explain=True))


def marks(name: str, pattern: re.Pattern[str]) -> list[tuple[int, tuple[str, ...]]]:
    lines = (CASES / name).read_text().splitlines()
    return [(n, m.groups()) for n, line in enumerate(lines, 1) for m in pattern.finditer(line)]


@pytest.mark.parametrize(("line", "wanted"), marks("objections.cu", _WHY))
def test_an_objection_is_told_by_name_and_reason(line: int, wanted: tuple[str, ...]) -> None:
    code, verdict, objection, text = wanted
    here = CASES / "objections.cu"
    found = [
        (each.verdict, words.objection(each), words.reason(each))
        for account in explained("objections.cu").accounts
        for each in account.weighed
        if each.code == code and (here.resolve(), line) in each.lines
    ]
    assert any(v == verdict and o == objection and text in r for v, o, r in found), found


def test_the_cases_meet_most_objections() -> None:
    met = {wanted[2] for _, wanted in marks("objections.cu", _WHY)} - {""}
    assert met <= {each.name for each in OBJECTIONS}
    assert len(met) >= 13


@pytest.mark.parametrize(("line", "wanted"), marks("passed_over.cu", _PASSES))
def test_what_keeps_a_rule_from_suspecting_is_told(line: int, wanted: tuple[str, ...]) -> None:
    code, text = wanted
    here = CASES / "passed_over.cu"
    found = [
        why
        for account in explained("passed_over.cu").accounts
        for seen in account.seen
        for rule, why in seen.passed
        if rule == code and (here.resolve(), line) in seen.lines
    ]
    assert any(text in why for why in found), found


def test_what_is_told_beside_a_note_is_no_more_certain_than_the_note() -> None:
    """The launch's finding is a note for its kernel's share: its accesses are told with a note."""
    path = CASES.parents[1] / "rules" / "objections" / "little_of_program.cu"
    both = frozenset({"CU101", "CU401"})
    options = CheckOptions(rules=both, root=path.parent, jobs=1, explain=True)
    beside = [
        (each.verdict, words.objection(each))
        for account in check([path], options).accounts
        for each in account.weighed
        if account.kernel == "bytes" and each.fate == "related"
    ]
    assert set(beside) == {("undecided", "little of its program")}


def test_what_is_confirmed_is_what_is_found() -> None:
    """An account decides nothing again: its warnings are the findings, its notes the notes."""
    result = explained("objections.cu")
    told = {
        (each.code, each.place.line, each.verdict)
        for account in result.accounts
        for each in account.weighed
        if each.fate in ("warning", "note")
    }
    assert told == {(f.code, f.place.line, f.verdict) for f in result.findings if f.kernel}


def test_each_answer_ends_with_what_decided() -> None:
    for account in explained("objections.cu").accounts:
        for answer in (a for each in account.weighed for a in each.answers):
            name, said = answer.asked[-1]
            held = answer.verdict != "confirmed"
            assert (name == answer.objection and said == answer.reason) if held else not said


def test_the_page_lists_every_objection_with_what_follows() -> None:
    page = (Path(__file__).parents[2] / "docs" / "why.md").read_text()
    rows = re.findall(r"^\| `([^`]+)` \| (refuted|undecided) \|", page, re.MULTILINE)
    assert rows == [(o.name, "refuted" if o.refutes else "undecided") for o in OBJECTIONS]


def test_nothing_is_accounted_for_unless_asked() -> None:
    options = CheckOptions(rules=frozenset({"CU101"}), root=CASES, jobs=1)
    result = check([CASES / "lines.cu"], options)
    assert (result.accounts, result.outlines) == ((), ())
