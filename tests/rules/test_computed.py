"""What a formula says that an access costs, against the runs of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.analysis.model import AccessSite
from perflint.lint.options import CheckOptions
from perflint.rules import access_case, measure
from perflint.rules.measure import Cost, Measurement
from perflint.rules.protocol import Trial
from perflint.work.pipeline import check

HERE = Path(__file__).parent
CODES = ("CU101", "CU102", "CU201")
SOURCES = sorted(path for code in CODES for path in (HERE / code).glob("*.cu"))


def test_formulas_cost_what_runs_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all requests of a run are full, and but for where in a sector an array begins."""
    compared = []
    real = measure.measure

    def measured(
        site: AccessSite, trial: Trial, space: str, cost: Cost = measure.sectors
    ) -> Measurement | None:
        found = real(site, trial, space, cost)
        formula = measure.computed(site, trial, space)
        if found and found.lanes == 32 * found.requests and formula:
            compared.append((site, found, formula))
        return found

    monkeypatch.setattr(access_case, "measure", measured)
    monkeypatch.setattr("perflint.work.parallel.FORKS", False)
    check(SOURCES, CheckOptions(rules=frozenset(CODES), jobs=1))
    assert len(compared) > 50
    for site, found, formula in compared:
        assert abs(found.per_request - formula.per_request) <= 1, (site, found, formula)
        assert found.golden_per_request == formula.golden_per_request
