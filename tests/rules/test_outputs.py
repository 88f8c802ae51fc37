"""What runs leave in memory: computed for the rules that compare it, and for nobody else."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from perflint.analysis.model import KernelFacts
from perflint.lint import trials
from perflint.lint.options import CheckOptions
from perflint.rules.protocol import Trial
from perflint.rules.source_lines import largest_difference, same_bytes
from perflint.sim.launch import Run, Stop
from perflint.work.pipeline import check

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("source", "rules", "compared"),
    [
        ("CU503/stores_between.cu", ("CU503",), True),
        ("CU503/stores_between.cu", ("CU109", "CU404", "CU901"), False),
    ],
)
def test_only_what_is_compared_is_computed(
    source: str, rules: tuple[str, ...], compared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    real = trials._outputs

    def outputs(*arguments: Any) -> Any:
        found = real(*arguments)
        asked.append(found)
        return found

    monkeypatch.setattr(trials, "_outputs", outputs)
    monkeypatch.setattr("perflint.work.parallel.FORKS", False)
    result = check([HERE / source], CheckOptions(rules=frozenset(rules), jobs=1, cache=None))
    assert bool(asked) == compared
    assert all(asked)
    assert any(f.verdict == "confirmed" for f in result.findings) == compared


def test_runs_without_an_end_are_not_compared() -> None:
    def made(stop: Stop | None, again: Any) -> Trial:
        run = cast(Run, SimpleNamespace(stop=stop, launch=SimpleNamespace(arguments=())))
        return Trial("", run, cast(KernelFacts, None), again=again)

    def never() -> None:
        raise AssertionError("nobody is to run this again")

    cut_short = made(Stop("instruction budget"), never)
    too_long = made(None, lambda: None)  # what it computes besides does not fit the budget
    assert cut_short.outputs is None and too_long.outputs is None
    assert not same_bytes(cut_short, cut_short) and not same_bytes(too_long, too_long)
    assert largest_difference(too_long, too_long) is None
