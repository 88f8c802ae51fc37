"""What memory holds beside a run: for each byte, whether the kernel wrote it, and which expression.

A cell is 0 where the host's value still stands, 1 where the kernel wrote a plain number, and from 2
on the number of a stored expression; with it goes the thread that stored it.
"""

from __future__ import annotations

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.unique_values import unique_values
from perflint.symbolic.expressions import Node

INITIAL, PLAIN = 0, 1
_PAGE = 128  #: bytes whose cells are made together; a cell has ten bytes, and arrays are large
_CELL = np.dtype([("what", np.int32), ("giver", np.int32), ("byte", np.int8), ("size", np.int8)])


#: The pages of a region that has none: ascending numbers, and which of all pages each is.
_NONE = np.array([np.iinfo(np.int64).min]), np.array([0])


@dataclass(frozen=True, eq=False)
class Found:
    """What m threads read: the cells, and who stored them. A cell that was cut counts as plain."""

    what: np.ndarray  #: (m,) int32
    giver: np.ndarray  #: (m,) int32, slots


class ShadowMemory:
    """Cells of regions, made as they are written. Shared memory is one region for all blocks."""

    def __init__(self) -> None:
        self._pages: dict[int, tuple[np.ndarray, np.ndarray]] = {}  #: of each region, as `_NONE`
        self._cells = np.zeros(_PAGE, _CELL)  #: of all pages; the first is what nobody wrote
        self._used = 1
        self.stored: list[Node] = []

    def node(self, what: int) -> Node:
        return self.stored[what - 2]

    def load(self, region: int, offset: np.ndarray, size: int) -> Found:
        """The cells of `size` bytes at offsets (m,)."""
        if region not in self._pages:
            none = np.zeros(len(offset), np.int32)
            return Found(none, none)
        first = self._cells[self._places(region, offset)]
        last = self._cells[self._places(region, offset + (size - 1))]
        same = (first["what"] == last["what"]) & (first["giver"] == last["giver"])
        whole = same & (first["byte"] == 0) & (last["byte"] == size - 1) & (first["size"] == size)
        what = np.where(whole | (same & (first["what"] <= PLAIN)), first["what"], PLAIN)
        return Found(what.astype(np.int32), first["giver"])

    def store(
        self, region: int, offset: np.ndarray, size: int, slots: np.ndarray, node: Node | None
    ) -> None:
        """Threads, by their slots, write `size` bytes; of equal offsets the last one's stay."""
        what = PLAIN
        if node is not None:
            self.stored.append(node)
            what = len(self.stored) + 1
        offset, slots = offset[offset >= 0], slots[offset >= 0]
        self._make(region, np.concatenate((offset, offset + (size - 1))) // _PAGE)
        for byte in range(size):
            at = self._places(region, offset + byte)
            self._cells["what"][at] = what
            self._cells["giver"][at] = slots
            self._cells["byte"][at] = byte
            self._cells["size"][at] = size

    def _places(self, region: int, offset: np.ndarray) -> np.ndarray:
        """Where the cells of offsets (m,) stand, for those without one in the first page."""
        numbers, pages = self._pages[region]
        wanted = offset // _PAGE
        at = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
        page = np.where(numbers[at] == wanted, pages[at], 0)
        return np.asarray(page * _PAGE + offset % _PAGE)

    def _make(self, region: int, wanted: np.ndarray) -> None:
        """Make the pages of some numbers that are not there yet."""
        numbers, pages = self._pages.get(region, _NONE)
        wanted = unique_values(wanted)
        fresh = wanted[~np.isin(wanted, numbers, assume_unique=True)]
        end = self._used + len(fresh)
        if end * _PAGE > len(self._cells):
            grown = np.zeros(2 * end * _PAGE, _CELL)
            grown[: len(self._cells)] = self._cells
            self._cells = grown
        numbers = np.concatenate((numbers, fresh))
        pages = np.concatenate((pages, np.arange(self._used, end)))
        order = np.argsort(numbers)
        self._pages[region] = numbers[order], pages[order]
        self._used = end
