"""Fixes of launches: what the edited host code launches is read again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from perflint.base.edits import apply_edits
from perflint.lint.findings import Finding
from tests.rules.test_rules import lint

FILE = Path(__file__).parent / "CU401" / "relaunched.cu"


@pytest.fixture(scope="module")
def found() -> dict[str, Finding]:
    return {f.kernel or "": f for f in lint(FILE) if f.code == "CU401"}


@pytest.mark.parametrize(
    ("kernel", "written"),
    [
        ("written_out", "written_out<<<dim3(32, 128), dim3(32, 8)>>>"),
        ("rounded_up", "rounded_up<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>"),
        ("named", "dim3 blocks(32, 8), many((w + 32 - 1) / 32, (h + 8 - 1) / 8);"),
        ("in_variables", "in_variables<<<dim3((w + 31) / 32, (h - 1) / 8 + 1), dim3(32, 8)>>>"),
        ("by_members", "own.y = 8;"),
    ],
)
def test_the_host_code_is_edited(found: dict[str, Finding], kernel: str, written: str) -> None:
    fix = found[kernel].fix
    assert fix is not None and not fix.safe
    assert written in apply_edits(FILE.read_text(), fix.edits)


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        ("unguarded", "the grid would have other threads along x"),
        ("tile_of_both", "it would change the launch of rows_of_tiles at line \\d+"),
    ],
)
def test_what_would_launch_something_else_is_no_fix(
    found: dict[str, Finding], kernel: str, why: str
) -> None:
    assert found[kernel].fix is None
    assert re.fullmatch(why, found[kernel].unfixed)
