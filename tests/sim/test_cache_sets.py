"""What each set of a cache was asked for and lost, held against the naive Algorithm 1."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings

from perflint.sim.cache import Cache
from perflint.sim.cache_sets import uses
from perflint.sim.faults import KINDS, report, sort_faults
from tests.sim.naive_cache import sextuples
from tests.sim.test_golden import ACCESSES, caches, run_in_order


@settings(max_examples=150, deadline=None)
@given(ACCESSES, caches())
def test_counts_are_those_of_the_naive_version(
    accesses: list[tuple[int, int, int, bool]], cache: Cache
) -> None:
    run = run_in_order(accesses, cache)
    region = np.ones(len(run.line), np.int64)
    found = uses(run, sort_faults(run), region, cache.sets)
    line_of = [block * cache.sector // cache.line for _, _, block, _ in accesses]
    expected: Counter[tuple[int, str]] = Counter()
    fetched: set[int] = set()
    for line, row, (_, _, block, store) in zip(
        line_of, sextuples(accesses, cache), accesses, strict=True
    ):
        kind = "mm" if not row["golden"] else "mh" if row["mstat"] == 1 else "m*h"
        if row["mstat"] == 0:
            kind = "hits"
        elif kind == "mm" and block not in fetched:
            kind = "cold"
        if not store or cache.write == "allocate":
            fetched.add(block)
        expected[line % cache.sets, kind] += 1
    for number, use in enumerate(found):
        told = {"hits": use.hits, "cold": use.cold, **use.faults}
        assert {k: n for k, n in told.items() if n} == {
            k: n for (of_set, k), n in expected.items() if of_set == number
        }
        assert use.accesses == sum(told.values())
        lines = {line for line in line_of if line % cache.sets == number}
        assert use.lines == ({1: len(lines)} if lines else {})


@settings(max_examples=150, deadline=None)
@given(ACCESSES, caches())
def test_a_root_cause_lies_in_the_set_of_what_misses(
    accesses: list[tuple[int, int, int, bool]], cache: Cache
) -> None:
    run = run_in_order(accesses, cache)
    faults = sort_faults(run)
    some = np.flatnonzero(run.root >= 0)
    assert (run.of_set[run.root[some]] == run.of_set[some]).all()
    found = uses(run, faults, np.ones(len(run.line), np.int64), cache.sets)
    for each in report(run, faults, np.ones(len(run.line), np.int64)):
        by_set: Counter[int] = Counter()
        for cause in each.causes:
            for effect in cause.effects.values():
                assert sum(effect.sets.values()) == effect.faults
                by_set.update(effect.sets)
        assert [by_set[n] for n in range(cache.sets)] == [use.faults[each.kind] for use in found]
    assert set(KINDS) == set(found[0].faults)
