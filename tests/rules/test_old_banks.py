"""Definitions for 16 banks are places of the findings whose kernels are made with them."""

from __future__ import annotations

from pathlib import Path

from tests.rules.test_rules import lint

FILE = Path(__file__).parent / "CU201" / "old_banks.cu"


def test_the_definition_is_a_place_of_the_finding() -> None:
    (found,) = (f for f in lint(FILE) if f.code == "CU201")
    (place,) = (r for r in found.related if "16 banks" in r.message)
    assert FILE.read_text().splitlines()[place.place.line - 1] == "#define LOG_NUM_BANKS 4"
    # NUM_BANKS and HALF_WARP are in none of the kernel's code
    assert "`LOG_NUM_BANKS` is 4" in place.message
