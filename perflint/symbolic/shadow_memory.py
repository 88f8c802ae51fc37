"""What memory holds beside a run: for each byte, whether the kernel wrote it, and which expression.

A cell is 0 where the host's value still stands, 1 where the kernel wrote a plain number, and from 2
on the number of a stored expression; with it goes the thread that stored it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perflint.symbolic.expressions import Node

INITIAL, PLAIN = 0, 1
_CELL = np.dtype([("what", np.int32), ("giver", np.int32), ("byte", np.int8), ("size", np.int8)])


@dataclass(frozen=True, eq=False)
class Found:
    """What m threads read: the cells, and who stored them. A cell that was cut counts as plain."""

    what: np.ndarray  #: (m,) int32
    giver: np.ndarray  #: (m,) int32, slots


class ShadowMemory:
    """Cells of regions, made as they are written. Shared memory is one region for all blocks."""

    def __init__(self) -> None:
        self._regions: dict[int, np.ndarray] = {}
        self.stored: list[Node] = []

    def node(self, what: int) -> Node:
        return self.stored[what - 2]

    def load(self, region: int, offset: np.ndarray, size: int) -> Found:
        """The cells of `size` bytes at offsets (m,)."""
        cells = self._regions.get(region)
        if cells is None:
            none = np.zeros(len(offset), np.int32)
            return Found(none, none)
        inside = (offset >= 0) & (offset + size <= len(cells))
        at = np.where(inside, offset, 0)
        first, last = cells[at], cells[at + (size - 1)]
        same = (first["what"] == last["what"]) & (first["giver"] == last["giver"])
        whole = same & (first["byte"] == 0) & (last["byte"] == size - 1) & (first["size"] == size)
        what = np.where(whole | (same & (first["what"] <= PLAIN)), first["what"], PLAIN)
        return Found(np.where(inside, what, INITIAL).astype(np.int32), first["giver"])

    def store(
        self, region: int, offset: np.ndarray, size: int, slots: np.ndarray, node: Node | None
    ) -> None:
        """Threads, by their slots, write `size` bytes; of equal offsets the last one's stay."""
        what = PLAIN
        if node is not None:
            self.stored.append(node)
            what = len(self.stored) + 1
        offset, slots = offset[offset >= 0], slots[offset >= 0]
        if not len(offset):
            return
        cells = self._room(region, int(offset.max()) + size)
        for byte in range(size):
            at = offset + byte
            cells["what"][at] = what
            cells["giver"][at] = slots
            cells["byte"][at] = byte
            cells["size"][at] = size

    def _room(self, region: int, end: int) -> np.ndarray:
        cells = self._regions.get(region)
        if cells is None or len(cells) < end:
            grown = np.zeros(max(end, 2 * (0 if cells is None else len(cells))), _CELL)
            if cells is not None:
                grown[: len(cells)] = cells
            cells = self._regions[region] = grown
        return cells
