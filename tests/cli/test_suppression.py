"""Comments that silence findings: which lines, which rules, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from perflint.base.span import Span
from perflint.lint.findings import SAME, Finding, Related
from perflint.lint.rulebook import rules
from perflint.lint.suppression import apply, scan
from tests.cli.conftest import Outcome, finding

Run = Callable[..., Outcome]

PATH = Path("a.cu")


def at(line: int, code: str = "CU101") -> Finding:
    base = finding(code)
    return replace(base, place=replace(base.place, path=PATH, line=line, end_line=line))


def silenced(text: str, code: str = "CU101", *, python: bool = False) -> list[int]:
    """The lines on which a finding of a rule is silenced."""
    everywhere = [at(line, code) for line in range(1, text.count("\n") + 2)]
    outcome = apply(everywhere, {PATH: scan(text, rules(), python=python)})
    dropped = [finding for finding, _ in outcome.dropped]
    assert sorted((*outcome.kept, *dropped), key=lambda f: f.place.line) == everywhere
    return [f.place.line for f in dropped]


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
        ("b; // NOLINT(CU101, perflint-*, bugprone-x)\n", []),
        ("a;\nb; // NOLINT(perflint-CU101)\n", [2]),
        ("b; // why NOLINT(bugprone-x, perflint-uncoalesced-global-access) so\n", [1]),
        ("// NOLINTNEXTLINE(perflint-CU101)\nb;\nc;\n", [2]),
        ("a;\n// NOLINTBEGIN(perflint-CU101)\nb;\n// NOLINTEND(perflint-CU101)\nc;\n", [2, 3, 4]),
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
    outcome = apply([at(2)], {PATH: scan(text, rules())})
    assert outcome.dropped == ()
    [(path, problem)] = outcome.problems
    assert (path, problem.line) == (PATH, 2)
    assert message in problem.message


def test_a_comment_speaks_of_its_own_file_only() -> None:
    text = "// perflint: ignore-file[CU101]\n"
    assert apply([at(1)], {Path("b.cu"): scan(text, rules())}).kept == (at(1),)


def test_the_reason_is_kept() -> None:
    comments = scan("/* perflint: ignore[CU101] -- a table, 64 bytes */ b;\n", rules())
    assert [s.reason for s in comments.suppressions] == ["a table, 64 bytes"]


def test_a_hostile_file_is_read_in_one_pass() -> None:
    text = "/* perflint: ignore[" * 2000 + "\n" + '"' * 20000 + "'" * 20001 + 'R"(' * 5000
    assert scan(text, rules()).suppressions == ()
    many = "// perflint: ignore[CU101]\n" * 20_000
    comments = scan(many, rules())
    assert len(comments.suppressions) == 10_000
    assert comments.problems[0].message == "only the first 10000 comments are heeded"


def test_a_comment_at_another_place_of_a_fault_takes_that_out() -> None:
    places = (Related(Span(PATH, line, 1, line, 2), f"{SAME}: a store") for line in (2, 3))
    explains = Related(Span(PATH, 4, 1, 4, 2), "declared here")
    finding = replace(at(1), related=(*places, explains))
    text = "a;\nb; // perflint: ignore[CU101]\nc;\nd; // perflint: ignore[CU101]\n"
    outcome = apply([finding], {PATH: scan(text, rules())})
    [kept] = outcome.kept
    assert [each.place.line for each in kept.related] == [3, 4]
    assert [each.line for _, each in outcome.unused] == [4]  # it stands where nothing is found


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a = b  # perflint: ignore[CU101]\nc\n", [1]),
        ("# perflint: ignore[CU101] -- why\na = f(\n    b,\n    c)\nd\n", [2, 3, 4]),
        ("# perflint: ignore-file[CU101]\na\n", [1, 2, 3]),
        ("a  # NOLINT(perflint-CU101)\n", [1]),
        ('a = "# perflint: ignore[CU101]"\n', []),
        ('"""\n# perflint: ignore[CU101]\n"""\na\n', []),
        ("a // perflint: ignore[CU101]\n", []),
    ],
)
def test_python(text: str, lines: list[int]) -> None:
    assert silenced(text, python=True) == lines


def test_what_silences_nothing_is_told() -> None:
    text = "a; // perflint: ignore[CU101]\n// perflint: ignore[CU101,CU201]\nb;\n"
    outcome = apply([at(3)], {PATH: scan(text, rules())})
    assert [(s.line, s.code, s.only, s.alone) for _, s in outcome.unused] == [
        (1, "CU101", True, False),
        (2, "CU201", False, False),
    ]


KERNEL = "__global__ void k(float *a, int n) {{ a[threadIdx.x * {0}] = n; {1}}}\n"


@pytest.mark.parametrize(
    ("text", "options", "places"),
    [
        (KERNEL.format(1, "// perflint: ignore[CU101]\n"), (), ["1:62"]),
        (KERNEL.format(32, "// perflint: ignore[CU101]\n"), (), []),
        (KERNEL.format(32, "// perflint: ignore[CU201]\n"), (), ["1:38", "1:63"]),
        (KERNEL.format(1, "// perflint: ignore[CU201]\n"), ("--ignore", "CU2"), []),
        (
            KERNEL.format(1, "// perflint: ignore[CU101]\n") + "__global__ void q() { what; }",
            (),
            [],
        ),
        (KERNEL.format(1, "// perflint: ignore[CU101,CU003]\n"), (), []),
        (
            "// perflint: ignore-file[CU003]\n" + KERNEL.format(1, "// NOLINT(perflint-CU101)\n"),
            (),
            [],
        ),
    ],
)
def test_unused_ones_are_findings(
    text: str, options: tuple[str, ...], places: list[str], run: Run, project: Path
) -> None:
    (project / "a.cu").write_text(text)
    outcome = run("--ignore", "CU001", *options, "--output-format", "concise", "-q", "a.cu")
    found = [line.split(":", 3)[1:3] for line in outcome.out.splitlines()]
    assert [":".join(place) for place in found] == places, outcome.out


def test_a_comment_in_a_header_that_was_not_given_is_not_judged(run: Run, project: Path) -> None:
    (project / "h.cuh").write_text("// perflint: ignore-file[CU101]\n")
    (project / "a.cu").write_text('#include "h.cuh"\n' + KERNEL.format(1, ""))
    assert run("a.cu").status == 0
    assert "CU003" in run("a.cu", "h.cuh").out
