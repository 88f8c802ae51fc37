"""Static addresses are the simulated ones, in all lanes of all requests, of compiled kernels.

The same comparison as `benchmarks/agreement.py` makes over whole repositories.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.analysis import analyse
from perflint.grammar import parse
from perflint.lint.experiment import plans
from perflint.sim.launch import Budget
from tests.analysis.probes import compare

CASES = parse((Path(__file__).parent / "data" / "cases.ptx").read_text(), "cases.ptx")
BUDGET = Budget(issued_instructions=20_000, requests_per_site=64)


@pytest.mark.parametrize("name", [k.name for k in CASES.kernels])
def test_every_access_of_the_cases(name: str) -> None:
    facts = analyse(CASES, CASES.functions[name])
    names = tuple(f"param{i}" for i in range(len(facts.kernel.parameters)))
    condition = plans(facts, names)[0][0].conditions[0]
    compared = compare(facts, condition.launch, fill=condition.fill, budget=BUDGET)
    assert compared
    for pc, found in compared.items():
        assert found.unknown or found.equal == found.requests, f"{pc}: {found.difference}"
        assert not found.outside, f"{pc}: {found.nest}"
