"""examples/matmul.cu: what its three versions show at a small L1, and at an A100's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.lint.options import CheckOptions
from perflint.work.pipeline import check

MATMUL = Path(__file__).parents[2] / "examples" / "matmul.cu"
RULES = frozenset(("CU106", "CU301", "CU302", "CU303"))


@pytest.mark.parametrize(
    ("cache_size", "expected"),
    [
        (None, {("matmul", "CU106")}),
        (1024, {("matmul", "CU106"), ("matmul", "CU302"), ("matmul_register", "CU302")}),
    ],
)
def test_findings(cache_size: int | None, expected: set[tuple[str, str]]) -> None:
    options = CheckOptions(rules=RULES, root=MATMUL.parent, cache_size=cache_size)
    assert {(f.kernel, f.code) for f in check([MATMUL], options).findings} == expected
