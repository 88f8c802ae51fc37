"""Cells beside memory, held against a dictionary of bytes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from perflint.symbolic.expressions import Node
from perflint.symbolic.shadow_memory import INITIAL, PLAIN, ShadowMemory

OFFSETS = st.integers(0, 300).map(lambda n: 4 * n) | st.integers(0, 1 << 33)
STORES = st.lists(
    st.tuples(st.integers(0, 1), st.lists(OFFSETS, min_size=1, max_size=4),
              st.sampled_from((1, 2, 4, 8)), st.booleans()),
    max_size=8,
)  # fmt: skip


@given(STORES, st.lists(OFFSETS | st.integers(-8, -1), min_size=1, max_size=6),
       st.sampled_from((1, 4, 8)))  # fmt: skip
def test_what_was_stored_is_loaded(
    stores: list[tuple[int, list[int], int, bool]], loads: list[int], size: int
) -> None:
    memory = ShadowMemory()
    byte: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    number = PLAIN
    for region, offsets, width, symbolic in stores:
        number = number + 1 if symbolic else number
        what = number if symbolic else PLAIN
        slots = np.arange(len(offsets), dtype=np.int32)
        node = Node(0, "scalar", "b32") if symbolic else None
        memory.store(region, np.array(offsets), width, slots, node)
        # byte by byte, as the threads' bytes are written together
        for k in range(width):
            for slot, offset in enumerate(offsets):
                byte[region, offset + k] = what, slot, k, width
    for region in (0, 1):
        found = memory.load(region, np.array(loads), size)
        for offset, what, giver in zip(loads, found.what, found.giver, strict=True):
            cells = [byte.get((region, offset + k), (INITIAL, 0, 0, 0)) for k in (0, size - 1)]
            (first, by, begin, width), (last, other, end, _) = cells
            whole = (begin, end, width) == (0, size - 1, size) or first <= PLAIN
            one = (first, by) == (last, other) and whole
            assert what == (first if one else PLAIN)
            assert giver == by or not one


def test_far_offsets_take_no_room() -> None:
    """Ten bytes a cell: an array of 16 MB whose end is written took 160 MB, six took a limit."""
    memory = ShadowMemory()
    memory.store(0, np.array([1 << 40]), 4, np.array([0], np.int32), None)
    assert memory.load(0, np.array([1 << 40, 0]), 4).what.tolist() == [PLAIN, INITIAL]
