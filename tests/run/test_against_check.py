"""The benchmark that holds a run's findings against check's: what is called what."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from benchmarks.programs import Program, edited
from benchmarks.run_against_check import compared
from perflint.base.span import Span
from perflint.lint.findings import Finding


def found(
    verdict: Literal["confirmed", "undecided"], code: str = "CU101", line: int = 3
) -> Finding:
    place = Span(Path("folder/a.cu"), line, 1, line, 2)
    return Finding(code, "name", "warning", verdict, "It is slow.", place, kernel="ns::copy<4>")


@pytest.mark.parametrize(
    ("checked", "ran", "outcome"),
    [
        ("confirmed", "confirmed", "agreed"),
        ("confirmed", "undecided", "doubted"),
        ("confirmed", None, "refuted"),
        ("undecided", "confirmed", "decided yes"),
        ("undecided", None, "decided no"),
        ("undecided", "undecided", "open"),
        (None, "confirmed", "new"),
    ],
)
def test_outcomes(
    checked: Literal["confirmed", "undecided"] | None,
    ran: Literal["confirmed", "undecided"] | None,
    outcome: str,
) -> None:
    before, after = ([found(v)] if v else [] for v in (checked, ran))
    assert [row.outcome for row in compared("p", before, after, {"copy"})] == [outcome]
    expected = "not launched" if checked else "new"
    assert [row.outcome for row in compared("p", before, after, {"other"})] == [expected]


def test_a_launch_has_no_line_in_a_run() -> None:
    check, run = found("confirmed", "CU404", 20), found("confirmed", "CU404", 3)
    assert [row.outcome for row in compared("p", [check], [run], {"copy"})] == ["agreed"]
    check, run = found("confirmed", "CU101", 20), found("confirmed", "CU101", 3)
    rows = compared("p", [check], [run], {"copy"})
    assert [row.outcome for row in rows] == ["refuted", "new"]


def test_sizes_are_made_smaller_in_a_copy(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("const int n = 512;\n")
    program = Program("p", tmp_path, ("a.cu",), (), (), "", "", edits=(("n = 512", "n = 8"),))
    (copy,) = edited(program, tmp_path / "copy")
    assert Path(copy).read_text() == "const int n = 8;\n"
    assert (tmp_path / "a.cu").read_text() == "const int n = 512;\n"
    program = Program("p", tmp_path, ("a.cu",), (), (), "", "", edits=(("m = 512", "m = 8"),))
    with pytest.raises(LookupError, match="is not in its sources"):
        edited(program, tmp_path / "copy")
