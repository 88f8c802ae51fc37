"""Requests that count as alike cost the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.sim import banks, coalescing
from perflint.sim.requests import distinct

rows = st.tuples(
    st.sampled_from([0, 4, 32, 36, 128, 160, 256, 1 << 20]),  # where a request begins
    st.sampled_from([0, 4, 8, 12, 32, 132, -4]),  # its stride
    st.sampled_from([0xFFFFFFFF, 1, 0x80000000, 0x0F0F0F0F, 0xFFFF0000, 0]),  # its lanes
)


def requests(chosen: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray]:
    lane = np.arange(32)
    mask = np.array([[(bits >> k) & 1 for k in lane] for _, _, bits in chosen], bool)
    offset = np.array([4096 + start + stride * lane for start, stride, _ in chosen], np.int64)
    return mask, np.where(mask, offset, 0)


@settings(max_examples=200, deadline=None)
@given(st.lists(rows, min_size=1, max_size=6), st.integers(1, 20), st.sampled_from([4, 8, 16]))
def test_like_requests_cost_the_same(
    chosen: list[tuple[int, int, int]], times: int, size: int
) -> None:
    mask, offset = requests(chosen * times)
    some, which = distinct(mask, offset, 32)
    sectors = coalescing.sectors(mask, offset, size)
    assert np.array_equal(coalescing.sectors(mask[some], offset[some], size)[which], sectors)
    some, which = distinct(mask, offset, 256)
    for rule in ("cc2", "cc3", "cc5"):
        wanted = banks.wavefronts(mask, offset, size, rule)
        found = banks.wavefronts(mask[some], offset[some], size, rule)
        assert np.array_equal(found.measured[which], wanted.measured)
        assert np.array_equal(found.ways[which], wanted.ways)


@pytest.mark.parametrize(("period", "kinds"), [(32, 2), (256, 3)])
def test_how_many_are_told_apart(period: int, kinds: int) -> None:
    full = 0xFFFFFFFF
    mask, offset = requests([(0, 4, full), (256, 4, full), (32, 4, full), (4, 4, full)] * 10)
    some, which = distinct(mask, offset, period)
    assert len(some) == kinds
    assert which.shape == (40,)
