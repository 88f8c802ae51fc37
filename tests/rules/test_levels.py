"""When a confirmed finding is a note: what its change is worth decides (docs/worth.md)."""

from __future__ import annotations

from typing import Any

import pytest

from perflint.base.floor import Floor
from perflint.lint.build_finding import Judged
from perflint.lint.judgement import Judgement
from perflint.lint.ruleset import load
from perflint.lint.worth import Worth
from perflint.rules.protocol import Suspicion, Verdict

SAME, LESS = Floor({"lsu": 64.0, "tags": 80.0}), Floor({"lsu": 64.0, "tags": 8.0})
BOUND = Floor({"lsu": 640.0, "tags": 80.0})


@pytest.mark.parametrize(
    ("code", "worth", "level"),
    [
        ("CU101", None, "warning"),
        ("CU101", Worth(SAME, LESS), "warning"),
        ("CU101", Worth(BOUND, BOUND, excess=0.5), "warning"),
        ("CU101", Worth(BOUND, BOUND, excess=0.01), "note"),
        ("CU201", Worth(BOUND, BOUND), "note"),
        ("CU201", Worth(SAME, LESS), "warning"),
        # fewer loads are worth something to memory, and nobody has counted what
        ("CU503", Worth(BOUND, BOUND), "warning"),
        ("CU601", Worth(BOUND, BOUND), "warning"),
    ],
)
def test_the_level_of_a_finding(code: str, worth: Worth | None, level: str) -> None:
    [module] = load([code]).kernel
    plan: Any = None
    judgement = Judgement(verdict=Verdict.CONFIRMED, worth=worth)
    assert Judged(module.RULE, Suspicion("load from `a`"), plan, judgement).level == level
