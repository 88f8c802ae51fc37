"""examples/catalogue/: each file fires the rule that it names, once; its fixed twin nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rules.test_rules import lint

FOLDER = Path(__file__).parents[2] / "examples" / "catalogue"
FAULTY = sorted(path for path in FOLDER.glob("*.cu") if not path.stem.endswith("_fixed"))


@pytest.mark.parametrize("path", FAULTY, ids=lambda p: p.stem)
def test_fires_its_rule_once(path: Path) -> None:
    (code,) = re.findall(r"^// (CU\d{3})", path.read_text())
    assert [finding.code for finding in lint(path)] == [code]


@pytest.mark.parametrize("path", FAULTY, ids=lambda p: p.stem)
def test_its_twin_fires_nothing(path: Path) -> None:
    assert not lint(path.with_name(f"{path.stem}_fixed.cu"))
