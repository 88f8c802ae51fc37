"""The Exchange tracer against a search over all pairs of accesses."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim.launch import Launch
from perflint.sim.trace import BarrierBatch, ColumnBatch
from perflint.sim.tracers.exchange import Exchange

THREADS = 64
#: (thread, word, writes) between barriers; the barrier behind each phase is one of two.
access = st.tuples(st.integers(0, THREADS - 1), st.integers(0, 3), st.booleans())
phases = st.lists(
    st.tuples(st.lists(access, max_size=4), st.sampled_from((101, 102))), min_size=1, max_size=5
)


def traced(run: list[tuple[list[tuple[int, int, bool]], int]]) -> Any:
    tracer: Any = Exchange()
    launch = Launch((1, 1, 1), (64, 1, 1), ())
    tracer.begin(SimpleNamespace(blocks=((0, 0, 0),), warps=2, instructions=(), launch=launch))
    warps = np.arange(2, dtype=np.int32)
    zeros = np.zeros(1, np.int32)
    for accesses, barrier in run:
        for pc, (thread, word, writes) in enumerate(accesses):
            mask = np.arange(32)[None] == thread % 32
            offset = np.where(mask, 4 * word, 0)
            region = np.zeros((1, 32), np.int32)
            kind = "store" if writes else "load"
            warp = np.array([thread // 32], np.int32)
            tracer.memory(ColumnBatch(pc, "shared", kind, 4, zeros, warp, 0, mask, region, offset))
        everyone = np.ones((2, 32), bool)
        tracer.barrier(BarrierBatch(barrier, np.zeros(2, np.int32), warps, 0, everyone))
    tracer.finish()
    return tracer


@given(phases, st.sets(st.sampled_from((101, 102)), min_size=1), st.sampled_from((1, 32)))
def test_orders_what_meets(
    run: list[tuple[list[tuple[int, int, bool]], int]], left_out: set[int], apart: int
) -> None:
    merged, number = [], 0
    for accesses, barrier in run:
        merged += [(number, at, *each) for at, (each) in enumerate(accesses)]
        number += barrier not in left_out
    original = [n for n, (accesses, _) in enumerate(run) for _ in accesses]
    # accesses of one place that no barrier is left between, though there was one
    places: dict[tuple[int, int], list[tuple[int, int, bool]]] = {}
    for (group, _, thread, word, writes), phase in zip(merged, original, strict=True):
        places.setdefault((group, word), []).append((phase, thread // apart, writes))
    expected = any(
        any(writes for *_, writes in some)
        and any(a[1] != b[1] for a, b in combinations(some, 2))
        and len({phase for phase, *_ in some}) > 1
        for some in places.values()
    )
    assert traced(run).orders(left_out, apart) == expected
    # nothing that meets across a boundary is missed
    meets = any(
        a[0] != b[0] and a[1] != b[1] and (a[2] or b[2])
        for some in places.values()
        for a, b in combinations(some, 2)
    )
    assert expected or not meets


@given(phases)
def test_own(run: list[tuple[list[tuple[int, int, bool]], int]]) -> None:
    tracer = traced(run)
    everything = [(pc, *each) for accesses, _ in run for pc, each in enumerate(accesses)]
    for pcs in ([0], [0, 1, 2, 3]):
        mine = [(thread, word) for pc, thread, word, _ in everything if pc in pcs]
        found = tracer.own(pcs)
        if not mine:
            assert found is None
            continue
        words = {word for _, word in mine}
        users = {word: {t for _, t, w, _ in everything if w == word} for word in words}
        assert found.own == all(len(some) == 1 for some in users.values())
        assert found.threads == len({thread for thread, _ in mine})
        each = [len({w for t, w in mine if t == thread}) for thread, _ in mine]
        assert found.bytes == 4 * max(each)
