"""Where CU404 says which loop the few threads of a launch go through."""

from pathlib import Path

import pytest

from perflint.rules.launch.cu404_too_few_threads import LOOP
from tests.rules.test_rules import lint

SOURCE = Path(__file__).parent / "CU404" / "loops.cu"


@pytest.mark.parametrize(
    ("kernel", "named"),
    [("in_a_loop", ["i < n;"]), ("before_a_loop", [])],
    ids=lambda each: str(each),
)
def test_the_loop_with_most_of_the_work_is_named(kernel: str, named: list[str]) -> None:
    [finding] = [f for f in lint(SOURCE) if f.code == "CU404" and f.kernel == kernel]
    lines = SOURCE.read_text().splitlines()
    places = [each.place for each in finding.related if each.message == LOOP]
    assert [lines[at.line - 1][at.column - 1 : at.end_column] for at in places] == named
    assert all(lines[at.line - 1].endswith("// the loop") for at in places)
