"""The Branch tracer's cuts against a walk along the lanes."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim.lanes import Lanes
from perflint.sim.trace import BranchBatch, Setting
from perflint.sim.tracers.branch import Branch

#: what each lane does: takes no part, goes on, or jumps
lanes = st.lists(st.sampled_from((None, 0, 1)), min_size=32, max_size=32)


def cuts(row: list[int | None]) -> int:
    active = [way for way in row if way is not None]
    return sum(a != b for a, b in pairwise(active))


@given(st.lists(lanes, min_size=1, max_size=6))
def test_cut_once(rows: list[list[int | None]]) -> None:
    tracer = Branch()
    launch = SimpleNamespace(grid=(1, 1, 1))
    setting = SimpleNamespace(
        warp_sizes=np.full(1, 32), position={7: 3}, blocks=((0, 0, 0),), launch=launch
    )
    tracer.begin(cast(Setting, setting))
    mask = np.array([[lane is not None for lane in row] for row in rows])
    target = np.array([[lane or 0 for lane in row] for row in rows], np.int32)
    came = Lanes(np.flatnonzero(mask), warps_per_block=1)
    tracer.branch(BranchBatch(0, came, 3, target.reshape(-1)[came.slots]))
    split = [found for row in rows if (found := cuts(row))]
    assert tracer.cut_once(7) == (split.count(1) / len(split) if split else 1.0)
