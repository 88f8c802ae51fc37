"""What tracers make of requests that differ by their beginning: what they make of each alone."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import UNBOUNDED, Budget
from perflint.sim.tracers.addresses import Addresses
from perflint.sim.tracers.block_reuse import BlockReuse
from perflint.sim.tracers.lines import Lines
from perflint.sim.tracers.unit_work import UnitWork
from tests.sim.traces import experiments

ROOT = Path(__file__).parents[2]
#: Kernels on which the rules that use them are tried, and others with loops.
SOURCES = sorted(ROOT.glob("rules/CU1*/*.cu")) + sorted(ROOT.glob("rules/CU50*/*.cu"))
BUDGET = Budget(issued_instructions=5_000, requests_per_site=UNBOUNDED, seconds=60)


def figures(facts: Any, condition: Any, plain: bool) -> tuple[Any, ...]:
    """What the tracers say of a run; a plain one has no series."""
    addresses, reuse, lines, work = Addresses(), BlockReuse(), Lines(), UnitWork()
    run = simulate(
        facts.module,
        facts.kernel,
        condition.launch,
        SimulationOptions(fill=condition.fill, budget=BUDGET, reference=plain),
        tracers=(addresses, reuse, lines, work),
    )
    if run.stop is not None:  # at another place each
        return ()
    counts = {pc: asdict(count) for pc, count in addresses.counts.items()}
    for count in counts.values():  # of several that are as bad, any
        for name in ("witness", "scattered"):
            count[name] = count[name] and count[name]["measured"]
    reused = reuse.requested, reuse.distinct, reuse.total, reuse.regions, reuse.far
    touched = lines.requests, lines.sectors, lines.lines, lines.footprint
    ideal = work.at_best(addresses.counts).tolist()
    return counts, reused, touched, work.counts.tolist(), ideal, work.excess(addresses.counts)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_series_are_counted_as_their_requests(source: Path) -> None:
    for name, facts, condition in experiments(source):
        found, plain = (figures(facts, condition, each) for each in (False, True))
        if () not in (found, plain):  # of two budgets one may be over a little earlier
            assert found == plain, name
