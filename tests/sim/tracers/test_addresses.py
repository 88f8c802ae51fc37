"""The Addresses tracer against a count over lanes in plain Python."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim.trace import ColumnBatch
from perflint.sim.tracers.addresses import Addresses

lanes = st.lists(
    st.one_of(st.none(), st.tuples(st.integers(1, 2), st.integers(0, 12))), min_size=32, max_size=32
)


@given(st.lists(lanes, min_size=1, max_size=40))
def test_counts(requests: list[list[tuple[int, int] | None]]) -> None:
    tracer: Any = Addresses()
    tracer.begin(SimpleNamespace(blocks=((0, 0, 0),)))
    count = len(requests)
    zeros = np.zeros(count, np.int32)
    tracer.memory(
        ColumnBatch(
            pc=3,
            space="global",
            kind="atomic",
            size=4,
            block=zeros,
            warp=zeros,
            order=0,
            mask=np.array([[lane is not None for lane in r] for r in requests]),
            region=np.array([[lane[0] if lane else 0 for lane in r] for r in requests], np.int32),
            offset=np.array([[4 * lane[1] if lane else 0 for lane in r] for r in requests]),
        )
    )
    tracer.finish()
    found = tracer.counts[3]
    active = [Counter(lane for lane in r if lane is not None) for r in requests]
    assert found.requests == count
    assert found.lanes == sum(c.total() for c in active)
    assert found.addresses == sum(len(c) for c in active)
    assert found.meeting == sum(max(c.values(), default=0) for c in active)
    assert found.together == sum(len(c) == 1 and c.total() > 1 for c in active)
    assert found.alone == sum(c.total() == 1 for c in active)
    if any(active):
        assert found.witness.measured == max(max(c.values(), default=0) for c in active)
        assert found.scattered.measured == max(len(c) for c in active)
        assert found.last == max(4 * at + 4 for c in active for _, at in c)
