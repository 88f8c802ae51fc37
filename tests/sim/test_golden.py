"""The original and the golden trace: the paper's worked example, and a naive version of both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.sim import replacement
from perflint.sim.cache import Cache
from perflint.sim.faults import sort_faults
from perflint.sim.golden import addressed, golden, sector_present
from perflint.sim.replay import HIT, MISS, Conditions, Original, original
from tests.sim.cache_traces import trace_of
from tests.sim.naive_cache import sextuples

EXAMPLE = json.loads(
    (Path(__file__).parents[1] / "data/grab_example.json").read_text(encoding="utf-8")
)
MSTAT = ["hit", "miss", "miss*"]


def run_in_order(accesses: list[tuple[int, int, int, bool]], cache: Cache) -> Original:
    """Replay accesses in the order in which they are given, stores counted."""
    trace = trace_of(accesses, cache.sector)
    at = addressed(trace, cache, np.zeros(2, np.int64))
    order = np.argsort(trace.pc, kind="stable")  # the pc of each is its place in the order
    return original(trace, Conditions(cache, stores=True), at, golden(trace, cache, at), order)


@pytest.mark.parametrize("case", [name for name, found in EXAMPLE.items() if "trace" in found])
def test_the_worked_example(case: str) -> None:
    """Figures 2 to 5: every triplet, root and count; and cases in which LRU and FIFO differ."""
    expected = EXAMPLE[case]
    policy = "lru" if case.endswith("LRU") else "fifo"
    rows = expected["trace"]
    sets = {row["block"]: row["set"] for row in rows}
    number = {name: 2 * i + sets[name] % 2 for i, name in enumerate(sets)}
    threads = {name: i for i, name in enumerate(dict.fromkeys(row["thread"] for row in rows))}
    run = run_in_order(
        [(threads[row["thread"]], 1, number[row["block"]], False) for row in rows],
        Cache(2, 2, policy=policy),
    )
    names = {line: name for name, line in number.items()}
    lines = sorted(number.values())
    for i, row in enumerate(rows):
        evicted = None if run.evict[i] < 0 else names[lines[run.evict[i]]]
        assert (row["orig"], row["evict"]) == (MSTAT[run.mstat[i]], evicted), i
        assert row["golden"] == ("hit" if run.golden_hit[i] else "miss"), i
        assert row["root"] == (None if run.root[i] < 0 else run.root[i] + 1), i
    faults = sort_faults(run)
    summary = expected["summary"]
    assert int((run.mstat != HIT).sum()) == summary["misses"]
    assert int(faults.mh.sum()) == summary["fault_mh"]
    assert int(faults.m_star_h.sum()) == summary["fault_msh"]
    assert int(faults.mm.sum()) == summary["fault_mm_noncold"]
    assert int((faults.mm | faults.cold).sum()) == summary["fault_mm_all"]
    by_root: dict[str, int] = {}
    for i in np.flatnonzero(faults.mh | faults.m_star_h):
        name = names[int(run.block[run.root[i]])]
        by_root[name] = by_root.get(name, 0) + 1
    assert by_root == summary["interference_by_root_block"]


def caches() -> st.SearchStrategy[Cache]:
    return st.one_of(
        st.builds(
            Cache,
            ways=st.integers(1, 6),
            sets=st.integers(1, 3),
            policy=st.sampled_from(["lru", "fifo", "plru"]),
            write=st.sampled_from(["allocate", "update", "evict"]),
        ),
        st.builds(
            Cache,
            ways=st.integers(1, 4),
            sets=st.integers(1, 2),
            sector=st.just(32),
            policy=st.sampled_from(["lru", "fifo", "plru"]),
            write=st.sampled_from(["allocate", "update"]),
        ),
    )


LANES = st.one_of(st.sampled_from([1, 3, 0xFFFFFFFF, 0x80000001]), st.integers(1, (1 << 32) - 1))
ACCESSES = st.lists(
    st.tuples(st.integers(0, 3), LANES, st.integers(0, 15), st.sampled_from([False, False, True])),
    min_size=1,
    max_size=60,
)


@settings(max_examples=300, deadline=None)
@given(ACCESSES, caches(), st.booleans())
def test_agrees_with_the_naive_version(
    accesses: list[tuple[int, int, int, bool]], cache: Cache, wide: bool
) -> None:
    """Both ways of going through sets, one after the other and all at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replacement, "_MANY", 0 if wide else 1 << 30)
        run = run_in_order(accesses, cache)
    expected = sextuples(accesses, cache)
    assert [row["mstat"] for row in expected] == run.mstat.tolist()
    assert [row["golden"] for row in expected] == run.golden_hit.tolist()
    assert [-1 if row["root"] is None else row["root"] for row in expected] == run.root.tolist()
    lines = sorted({block * cache.sector // cache.line for _, _, block, _ in accesses})
    victims = [None if v < 0 else lines[v] for v in run.evict.tolist()]
    assert [row["evict"] for row in expected] == victims


def test_a_sector_is_missing_from_a_line_that_is_there() -> None:
    run = run_in_order(
        [(0, 1, 0, False), (1, 1, 1, False), (1, 1, 0, False)], Cache(1, 1, sector=32)
    )
    assert run.mstat.tolist() == [MISS, 2, HIT]  # the only line is occupied, but by itself
    assert run.evict.tolist() == [-1, -1, -1]


def naive_rows(count: int) -> Any:
    rng = np.random.default_rng(count)
    return [
        (int(w), int(m), int(b), bool(s))
        for w, m, b, s in zip(
            rng.integers(0, 40, count),
            rng.integers(1, 1 << 32, count),
            rng.integers(0, 300, count) ** 2 // 300,
            rng.random(count) < 0.2,
            strict=True,
        )
    ]


@pytest.mark.parametrize("policy", ["lru", "fifo", "plru"])
def test_agrees_on_a_long_trace(policy: Any) -> None:
    """Long enough that sets are taken all at once where they are many."""
    accesses, cache = naive_rows(3000), Cache(2, 32, policy=policy, write="allocate")
    run, expected = run_in_order(accesses, cache), sextuples(accesses, cache)
    assert [row["mstat"] for row in expected] == run.mstat.tolist()
    assert [row["golden"] for row in expected] == run.golden_hit.tolist()
    assert [-1 if row["root"] is None else row["root"] for row in expected] == run.root.tolist()


def test_sectors_of_no_access_are_asked_for() -> None:
    none = np.zeros(0, np.int64)
    assert sector_present(none, none, none, np.zeros(0, bool)).shape == (0,)
