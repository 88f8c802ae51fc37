"""Arrivals: warps are counted once, however often they come, and not if they never come."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np

from perflint.sim.trace import ColumnBatch, MemoryBatch, Setting
from perflint.sim.tracers.arrivals import Arrivals


def request(pc: int, *places: tuple[int, int]) -> MemoryBatch:
    """A request of some warps, each by its block and its number there."""
    block, warp = np.array(places, np.int32).T
    return ColumnBatch(
        pc=pc,
        space="local",
        kind="load",
        size=4,
        block=block,
        warp=warp,
        order=0,
        mask=np.ones((len(places), 32), bool),
        region=np.full((len(places), 32), -1, np.int32),
        offset=np.zeros((len(places), 32), np.int64),
    )


def test_each_warp_counts_once() -> None:
    tracer = Arrivals()
    tracer.begin(cast(Setting, SimpleNamespace(warps=4, blocks=(0, 1))))
    for each in (request(7, (0, 0), (1, 0)), request(7, (1, 0)), request(8, (1, 0), (1, 3))):
        tracer.memory(each)
    assert [tracer.warps(pcs) for pcs in ([7], [8], [7, 8], [9], [])] == [2, 2, 3, 0, 0]
