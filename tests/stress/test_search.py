"""The search finds inputs that are known to be the worst, and says when there is none."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from perflint.stress import algebra
from perflint.stress import generators as g
from perflint.stress.domains import Domain
from perflint.stress.findings import message, worst
from perflint.stress.formulas import Formulas
from perflint.stress.generator_text import parse as read
from perflint.stress.objectives import Figure
from perflint.stress.run import search_of
from perflint.stress.search import Best, Search
from perflint.stress.suite import cases
from perflint.stress.target import StressError
from perflint.stress.trial import Limits, of_arrays, tried
from tests.stress.conftest import request, target

Searched = Callable[[str], Search]


def best(search: Search, objective: str) -> Best:
    """The worst of all places."""
    found = [each for key, each in search.best.items() if key[0] == objective]
    return max(found, key=lambda each: each.figure.rank)


@pytest.mark.parametrize(
    ("kernel", "objective", "optimum"),
    [
        ("histogram", "atomics", 32.0),
        ("count_keys", "atomics", 32.0),
        ("insert", "atomics", 32.0),
        ("gather_shared", "conflicts", 32.0),
        ("gather_global", "sectors", 32.0),
        ("guarded", "sectors", 32.0),
    ],
)
def test_known_worst_cases(search: Searched, kernel: str, objective: str, optimum: float) -> None:
    found = best(search(kernel), objective)
    assert found.figure.mean == optimum
    if kernel != "insert":  # whose slot goes round a loop, and is no formula
        assert found.strategy == "algebra"


def test_a_pattern_is_named(search: Searched) -> None:
    [found] = [w for w in worst(search("gather_shared")) if w.objective == "conflicts"]
    assert found.best.input["index"].text == "32*i mod 1024"
    said = message(search("gather_shared"), found)
    assert "with `index[i] = 32*i mod 1024`, the load from `tile` is a 32-way conflict" in said
    assert "identity data 1" in said and found.median is not None and 2.5 < found.median < 4.5


def test_rows_are_dealt_out_badly(search: Searched) -> None:
    """512 rows in 16 warps, 4096 entries: all go through one lane at a time at worst."""
    found = best(search("multiply_rows"), "instructions")
    one_row = tried(target("multiply_rows"), {"first": read("rows(4096, at(0, 1, 0))")}, Limits())
    all_in_one = one_row.figures[next(k for k in one_row.figures if k[0] == "instructions")]
    assert found.figure.mean >= 0.9 * all_in_one.mean
    usual = search("multiply_rows").median(
        next(k for k in search("multiply_rows").best if k[0] == "instructions")
    )
    assert usual is not None and found.figure.mean > 5 * usual


def test_a_hash_is_inverted() -> None:
    """Different keys of one slot, though the slot is a product's upper bits."""
    made = target("count_keys")
    formulas = Formulas(made.facts, made.launch)
    domain = Domain(made.free[0], "number", 0, 1 << 32)
    found = [each.generator for each in algebra.proposals(formulas, [domain], ["atomics"])]
    [colliding] = [each for each in found if isinstance(each, g.Cycle)]
    keys = np.array(colliding.values, np.uint64)
    assert len(np.unique(keys)) >= 8
    assert len(np.unique((keys * 2654435761 & 0xFFFFFFFF) >> 22)) == 1


def test_keys_that_crowd_walk_further_than_random_ones(search: Searched) -> None:
    found = search("insert")
    [walk] = [w for w in worst(found) if w.objective == "instructions"]
    assert walk.best.strategy == "tabulation" and walk.factor > 10
    keys = found.target.arrays(walk.best.input)["keys"].astype(np.uint64)
    slots = np.unique(((keys + 1) * 2654435761 & 0xFFFFFFFF) >> 22)
    assert len(np.unique(keys)) == 128 and len(slots) < 64
    assert "…" in message(found, walk) and len(message(found, walk)) < 250


def test_what_z3_opens(search: Searched) -> None:
    found = search("locked")
    reached = [e for k, e in found.best.items() if k[0] == "sectors" and e.strategy == "guards"]
    assert reached and set(found.unreached.values()) == {"sat"}
    arrays = found.target.arrays(reached[0].input)
    assert (3 * arrays["a"][:32].astype(int) + 7 * arrays["b"][:32] == 100003).all()
    assert max(e.figure.mean for e in reached) == 32


def test_nothing_to_look_for(search: Searched) -> None:
    found = search("scale")
    assert found.domains == () and worst(found) == [] and found.tries == 2


def test_random_data_are_what_findings_are_held_against(search: Searched) -> None:
    found = search("gather_shared")
    for each in worst(found):
        figures = [o.figures[each.key].mean for o in found.random]
        assert len(figures) == 9 and each.median == sorted(figures)[4]
        assert each.best.figure.mean > 1.1 * each.median


def test_figures_are_those_of_the_input_that_is_kept(search: Searched) -> None:
    for kernel in ("multiply_rows", "guarded", "insert"):
        found = search(kernel)
        for case in cases(worst(found)):
            again = tried(found.target, case.input, Limits())
            for each in case.worst:
                assert again.figures[each.key] == each.best.figure


def test_the_same_seed_finds_the_same_in_any_number_of_processes() -> None:
    made = [
        search_of(target("guarded"), request(tries=60), jobs, time.monotonic() + 1e6)
        for jobs in (1, 2)
    ]
    first, second = (
        {key: (each.input, each.figure, each.attempt) for key, each in search.best.items()}
        for search in made
    )
    assert first == second and made[0].refused == made[1].refused
    other = search_of(target("guarded"), request(tries=60, seed=1), 1, time.monotonic() + 1e6)
    assert [o.figures for o in other.random] != [o.figures for o in made[0].random]


def test_tries_end_it() -> None:
    found = search_of(target("gather_global"), request(tries=30), 1, time.monotonic() + 1e6)
    assert found.tries == 30 and found.ended == "30 tries"


def test_time_ends_it_and_it_says_where() -> None:
    found = search_of(target("gather_global"), request(), 1, time.monotonic())
    assert found.ended.startswith("--seconds, after ") and "phase of algebra" in found.ended


def test_an_input_that_leaves_its_array_is_none() -> None:
    index = np.full(1024, 512, np.int32)
    arrays = {**target("gather_global").arrays({}), "index": index}
    assert "leaves its array at " in of_arrays(target("gather_global"), arrays, Limits()).wrong
    fine = of_arrays(target("gather_global"), {**arrays, "index": index - 1}, Limits())
    assert not fine.wrong


def test_an_input_that_takes_too_long_is_none() -> None:
    arrays = target("gather_global").arrays({})
    assert of_arrays(target("gather_global"), arrays, Limits(10, 10)).wrong == "the run is too long"


def test_assumptions_are_kept() -> None:
    asked = request(assume=("index < 100", "index[i] <= index[i + 1]"), tries=80)
    found = search_of(target("gather_global"), asked, 1, time.monotonic() + 1e6)
    for each in found.best.values():
        index = found.target.arrays(each.input)["index"].astype(int)
        assert index.max() < 100 and (np.diff(index) >= 0).all()


def test_a_launch_that_fits_no_array_is_told() -> None:
    small = "<<<4,256>>>(index=random:s32[10], in=ones:f32[10], out=zeros:f32[1024], n=1024)"
    with pytest.raises(StressError, match="leaves its array"):
        search_of(target("gather_global", small), request(), 1, time.monotonic() + 1e6)


def test_a_figure_ranks_by_its_mean_then_by_how_often() -> None:
    assert Figure(64, 2).rank > Figure(32, 1).rank > Figure(90, 3).rank
    assert Figure(0, 0).mean == 0
