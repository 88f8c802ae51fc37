"""Comments that silence findings: which lines, which rules, and what is wrong with one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from perflint.findings import Finding
from perflint.rulebook import rules
from perflint.suppression import apply, scan
from tests.cli.conftest import finding

PATH = Path("a.cu")


def at(line: int, code: str = "CU101") -> Finding:
    base = finding(code)
    return replace(base, place=replace(base.place, path=PATH, line=line, end_line=line))


def silenced(text: str, code: str = "CU101") -> list[int]:
    """The lines on which a finding of a rule is silenced."""
    everywhere = [at(line, code) for line in range(1, text.count("\n") + 2)]
    outcome = apply(everywhere, {PATH: text}, rules())
    assert sorted((*outcome.kept, *outcome.dropped), key=lambda f: f.place.line) == everywhere
    return [f.place.line for f in outcome.dropped]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a;\nb; // perflint: ignore[CU101]\nc;\n", [2]),
        ("a;\nb; // perflint: ignore[CU101] -- meant, see above\nc;\n", [2]),
        ("b; /* perflint: ignore[CU101] */\nc;\n", [1]),
        ("b; //perflint:ignore[ CU201 , uncoalesced-global-access ]\n", [1]),
        ("// perflint: ignore[CU101]\nb;\nc;\n", [2]),
        ("// perflint: ignore[CU101]\n\n// why\nb;\nc;\n", [4]),
        ("/* perflint: ignore[CU101] --\n   long */\nb;\nc;\n", [3]),
        ("// perflint: ignore[CU101]\nout[x * h\n    + y] =\n    in[y];\nc;\n", [2, 3, 4]),
        ("// perflint: ignore[CU101]\nif (x)\n{\n    c;\n", [2, 3]),
        ("  // perflint: ignore[CU101]\r\nb;\r\nc;\r\n", [2]),
        ("// perflint: ignore[CU101]", [1]),
        ("b; // perflint: ignore[CU201]\n", []),
        ('s = "// perflint: ignore[CU101]";\n', []),
        ('s = "\\"// perflint: ignore[CU101]";\n', []),
        ('s = R"(\n// perflint: ignore[CU101]\n)"; b;\n', []),
        ("n = 1'000; // perflint: ignore[CU101]\n", [1]),
        ("c = '\"'; // perflint: ignore[CU101]\n", [1]),
        ("b; // see perflint: ignore[CU101]\n", []),
        ("b; // NOLINT\n", []),
        ("a;\n// perflint: disable[CU101]\nb;\nc;\n// perflint: enable[CU101]\nd;\n", [2, 3, 4, 5]),
        (
            "a;\n/* perflint: disable[CU101,CU201] */\nb;\n// perflint: enable[CU201]\nc;",
            [2, 3, 4, 5],
        ),
        ("a;\nb;\n// perflint: ignore-file[CU101]\n", [1, 2, 3, 4]),
        ("/*\n * perflint: ignore-file[CU101] -- generated\n */\na;\n", [1, 2, 3, 4, 5]),
        (".visible .entry k() { // perflint: ignore[CU101]\nret;\n}\n", [1]),
    ],
)
def test_lines(text: str, lines: list[int]) -> None:
    assert silenced(text) == lines


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("ignore", "needs the rules in brackets"),
        ("ignore[]", "needs the rules in brackets"),
        ("ignore[CU1]", "names no rule: CU1"),
        ("ignore[CU101, nonsense]", "names no rule: nonsense"),
        ("ignor[CU101]", "unknown comment `perflint: ignor`"),
        ("enable[CU101]", "without a disable[CU101] before it"),
    ],
)
def test_a_wrong_comment_is_told_and_does_nothing(comment: str, message: str) -> None:
    text = f"a;\nb; // perflint: {comment}\n"
    outcome = apply([at(2)], {PATH: text}, rules())
    assert outcome.dropped == ()
    [(path, problem)] = outcome.problems
    assert (path, problem.line) == (PATH, 2)
    assert message in problem.message


def test_a_comment_speaks_of_its_own_file_only() -> None:
    text = "// perflint: ignore-file[CU101]\n"
    assert apply([at(1)], {Path("b.cu"): text}, rules()).kept == (at(1),)


def test_the_reason_is_kept() -> None:
    suppressions, _ = scan("/* perflint: ignore[CU101] -- a table, 64 bytes */ b;\n", rules())
    assert [s.reason for s in suppressions] == ["a table, 64 bytes"]


def test_a_hostile_file_is_read_in_one_pass() -> None:
    text = "/* perflint: ignore[" * 2000 + "\n" + '"' * 20000 + "'" * 20001 + 'R"(' * 5000
    assert scan(text, rules())[0] == ()
