"""BlockReuse against a count by hand, lane by lane."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim.trace import ColumnBatch, MemoryBatch, Setting
from perflint.sim.tracers.block_reuse import BlockReuse

BLOCKS, WARPS = 2, 2
Request = tuple[int, int, int, int, int, int, int]


def batch(request: Request) -> MemoryBatch:
    pc, block, warp, first, step, size, lanes = request
    mask = np.array([[bool(lanes >> lane & 1) for lane in range(32)]])
    offset = (first + step * np.arange(32, dtype=np.int64))[None, :] * 4 * (size // 4)
    region = np.full((1, 32), 1 + pc % 2, np.int32)
    return ColumnBatch(
        pc=pc,
        space="global",
        kind="load",
        size=size,
        block=np.array([block], np.int32),
        warp=np.array([warp], np.int32),
        order=0,
        mask=mask,
        region=region,
        offset=offset,
    )


def words(each: MemoryBatch) -> set[tuple[int, int]]:
    """(region, word) of what a request of one warp wants."""
    return {
        (int(each.region[0, lane]), int(each.offset[0, lane]) // 4 + part)
        for lane in np.flatnonzero(each.mask[0]).tolist()
        for part in range(each.size // 4)
    }


def some(seed: int) -> list[Request]:
    """Up to a dozen requests, many of which want the same words."""
    random = np.random.default_rng(seed)

    def one() -> Request:
        return (
            int(random.integers(4)),  # pc
            int(random.integers(BLOCKS)),
            int(random.integers(WARPS)),
            int(random.integers(6)),  # the first lane's element
            int(random.choice([0, 1, 2, 33])),  # elements from lane to lane
            int(random.choice([4, 8, 16])),
            int(random.choice([1, 0xFFFF, 0xFFFFFFFF, random.integers(1, 2**32)])),  # lanes
        )

    return [one() for _ in range(int(random.integers(13)))]


@given(st.integers(0, 2**32 - 1))
def test_distinct_and_requested(seed: int) -> None:
    requests = some(seed)
    tracer = BlockReuse()
    setting = SimpleNamespace(blocks=tuple((b, 0, 0) for b in range(BLOCKS)), warps=WARPS)
    tracer.begin(cast(Setting, setting))
    asked: dict[int, int] = {}
    seen: dict[int, set[tuple[int, int, int]]] = {1: set(), 2: set()}
    last: dict[tuple[int, int, int], tuple[int, dict[int, tuple[int, int]]]] = {}
    for request in requests:
        each = batch(request)
        pc, block, warp = request[:3]
        tracer.memory(each)
        if not each.mask.any():
            continue
        lanes = {
            lane: (int(each.region[0, lane]), int(each.offset[0, lane]))
            for lane in np.flatnonzero(each.mask[0]).tolist()
        }
        again = any(
            visit == (each.size, lanes)
            for (_, *where), visit in last.items()
            if where == [block, warp]
        )
        last[pc, block, warp] = each.size, lanes
        asked[pc] = asked.get(pc, 0) + (0 if again else 4 * len(words(each)))
        for region, word in words(each):
            seen[region].add((block, region, word))
    tracer.finish()
    assert tracer.requested == asked
    assert tracer.total == sum(asked.values())
    assert tracer.distinct == {r: 4 * len(found) for r, found in seen.items() if found}
