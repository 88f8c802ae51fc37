"""What help does not say: it is chosen by what is at hand, and asks for nothing besides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.test_rules import lint

SOURCES = Path(__file__).parent


@pytest.mark.parametrize(
    ("source", "code", "unsaid"),
    [
        ("CU102/pairs.cu", "CU102", "a multiple of"),
        ("CU102/pairs.cu", "CU102", "a library's"),
        ("CU302/capacity.cu", "CU302", "shared memory"),
        ("CU701/templates.cu", "CU701", "Index("),
    ],
)
def test_unsaid(source: str, code: str, unsaid: str) -> None:
    found = [each.help or "" for each in lint(SOURCES / source) if each.code == code]
    assert found and not any(unsaid in each for each in found)
