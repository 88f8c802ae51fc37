"""Formulas of the analysis in a launch, what is proposed of them, and what z3 says."""

from __future__ import annotations

import numpy as np
import pytest

from perflint.stress import algebra, guards
from perflint.stress import generators as g
from perflint.stress.domains import Domain
from perflint.stress.formulas import Formulas
from perflint.stress.tabulation import FirstRequests
from perflint.stress.trial import Limits, traced
from tests.stress.conftest import target


def of(kernel: str) -> tuple[Formulas, list[Domain]]:
    made = target(kernel)
    formulas = Formulas(made.facts, made.launch)
    return formulas, [Domain(slot, "number", 0, 1 << 20) for slot in made.free]


def test_which_load_a_value_is_of() -> None:
    formulas, _ = of("gather_global")
    gather = formulas.facts.sites[1]
    assert gather.address is not None
    [(leaf, load)] = (formulas.leaves(gather.address) or {}).items()
    assert load.pointer == (0, 0) and formulas.stride(load) == 1
    assert formulas.value(gather.address, {leaf: 7}) == 28
    lanes = np.arange(32)
    assert load.address is not None
    assert formulas.value(load.address, {}, lanes).tolist() == (4 * lanes).tolist()
    assert formulas.value(load.address, {}, lanes, (3, 0, 0))[0] == 4 * 3 * 256


def test_what_values_are_compared_with() -> None:
    formulas, _ = of("guarded")
    assert formulas.constants((0, 0)) == (123456789,) and formulas.constants((1, 0)) == ()
    assert formulas.indexes((1, 0)) and not formulas.indexes((0, 0))


@pytest.mark.parametrize(
    ("kernel", "objective", "badness", "worst"),
    [
        ("gather_shared", "conflicts", algebra.ways, 32),
        ("gather_global", "sectors", algebra.sectors, 32),
        ("histogram", "atomics", algebra.meeting, 32),
        ("count_keys", "atomics", algebra.meeting, 32),
    ],
)
def test_proposals_are_as_bad_as_they_say(
    kernel: str, objective: str, badness: algebra.Badness, worst: int
) -> None:
    formulas, domains = of(kernel)
    found = list(algebra.proposals(formulas, domains, [objective]))
    assert found and not list(algebra.proposals(formulas, domains, ["instructions"]))
    for each in found:
        address = each.site.address
        assert address is not None
        values = g.array(each.generator, np.dtype(np.int64), 32)
        leaves = dict.fromkeys(formulas.leaves(address) or {}, values)
        assert badness(np.broadcast_to(formulas.value(address, leaves), 32)) == worst


def test_badness() -> None:
    lanes = np.arange(32)
    assert [algebra.sectors(k * lanes) for k in (0, 4, 32, 128)] == [1, 4, 32, 32]
    assert [algebra.ways(k * lanes) for k in (0, 4, 8, 128)] == [1, 1, 2, 32]
    assert [algebra.meeting(k * lanes // 4 * 4) for k in (0, 1, 4)] == [32, 4, 1]


def test_a_condition_is_opened() -> None:
    formulas, domains = of("guarded")
    inside = next(s for s in formulas.facts.sites if len(s.guards) == 2)
    domains = [Domain(d.slot, "number", 0, 1 << 31) for d in domains]
    assert guards.opening(formulas, inside, domains) == {"tag": g.Constant(123456789)}


def test_z3_says_what_no_input_meets() -> None:
    formulas, domains = of("locked")
    inside = next(s for s in formulas.facts.sites if len(s.guards) == 2)
    found, answer = guards.solved(formulas, inside, domains)
    assert answer == "sat" and found is not None and found.keys() == {"a", "b"}
    small = [Domain(d.slot, "number", 0, 100) for d in domains]
    assert guards.solved(formulas, inside, small) == (None, "unsat")
    assert guards.solved(formulas, inside, domains[:1])[1] == "no array that is free decides it"


def test_first_requests_are_those_of_each_warp() -> None:
    made = target("insert")
    atomic = min((s for s in made.facts.sites if s.kind == "atomic"), key=lambda s: s.pcs)
    first = FirstRequests(atomic.pcs)
    keys = np.arange(128, dtype=np.uint32) * 3
    arrays = {**made.arrays({}), "keys": keys}
    assert traced(made, arrays, Limits(), (first,)) > 0
    slots = ((keys.astype(np.uint64) + 1) * 2654435761 & 0xFFFFFFFF) >> 22
    columns = zip(*first.found[atomic.pcs[0]], strict=True)
    block, warp, mask, address = (np.concatenate(each) for each in columns)
    seen = {int(w) for w in warp}
    assert set(block.tolist()) == {0} and seen == {0, 1, 2, 3} and len(warp) == 4
    threads = (32 * warp[:, None] + np.arange(32))[mask]
    distance = address[mask] - 4 * slots.astype(np.int64)[threads]
    assert len(set(distance.tolist())) == 1  # where the table's region begins
