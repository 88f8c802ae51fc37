"""The tensor memory of blocks (PTX ISA 9.7.16.1): 128 lanes of 512 columns of 32 bits each.

An address is `lane << 16 | column`. Columns are allocated over all lanes at once. A warp reaches
the 32 lanes that its number modulo four tells (9.7.16.8.1).
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.lanes import Lanes
from perflint.sim.memory import Accounting
from perflint.sim.values import Value

LANES, COLUMNS = 128, 512
REACHED = 32  #: lanes that a warp reaches
_LEAST = 32  #: columns of an allocation, which are a power of two
_GROWTH = 32  #: columns that the image grows by


class TensorMemoryError(Exception):
    """An allocation that never comes about."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Which cells `tcgen05.ld` and `tcgen05.st` move to and from each lane's registers."""

    lane: np.ndarray  #: (32, registers): of the tensor memory, from the address on
    column: np.ndarray

    @property
    def registers(self) -> int:
        return int(self.lane.shape[1])


#: By shape: registers that each `.xN` has, and the largest N (PTX ISA 9.7.16.8.3, table of shapes).
_SHAPES = {"32x32b": (1, 128), "16x64b": (1, 128), "16x128b": (2, 64), "16x256b": (4, 32),
           "16x32bx2": (1, 128)}  # fmt: skip


@cache
def cells(shape: str, times: int, split: int = 0) -> Cells | None:
    """The matrix fragments of PTX ISA 9.7.16.2.3.1; None of what there is not.

    `split` is where the second half of the lanes finds its columns in `.16x32bx2`.
    """
    each, most = _SHAPES.get(shape, (0, 0))
    if not 1 <= times <= most or times & (times - 1):
        return None
    thread, r = np.arange(32)[:, None], np.arange(each * times)[None]
    if shape == "32x32b":
        lane, column = thread, r
    elif shape == "16x64b":
        lane, column = thread // 4 + thread % 2 * 8, 2 * r + thread // 2 % 2
    elif shape == "16x128b":
        lane, column = thread // 4 + r % 2 * 8, r // 2 * 4 + thread % 4
    elif shape == "16x256b":
        lane, column = thread // 4 + r // 2 % 2 * 8, r // 4 * 8 + thread % 4 * 2 + r % 2
    else:
        lane, column = thread % 16, r + thread // 16 * split
    lane, column = np.broadcast_arrays(lane, column)
    return Cells(lane, column)


class TensorMemory:
    """The tensor memory of the blocks that run together."""

    def __init__(self, accounting: Accounting, faults: Counter[tuple[str, int]]) -> None:
        self._accounting, self._faults = accounting, faults
        self.begin_wave(0)

    def begin_wave(self, blocks: int) -> None:
        """Nothing is allocated; what is not written is zero."""
        self._owned = np.zeros((blocks, COLUMNS), bool)
        self._image = np.zeros((blocks, LANES, 0), np.uint32)

    def allocate(self, block: int, columns: int) -> int:
        """The address of so many columns of a block. Raises TensorMemoryError."""
        if not _LEAST <= columns <= COLUMNS or columns & (columns - 1):
            raise TensorMemoryError(f"{columns} columns of tensor memory are no power of two "
                                    f"from {_LEAST} to {COLUMNS}")  # fmt: skip
        owned = self._owned[block]
        for first in range(0, COLUMNS - columns + 1, _LEAST):
            if not owned[first : first + columns].any():
                owned[first : first + columns] = True
                self._grow(first + columns)
                return first
        free = COLUMNS - int(owned.sum())
        raise TensorMemoryError(
            f"{columns} columns of tensor memory are waited for, {free} of {COLUMNS} are free"
        )

    def free(self, block: int, address: int, columns: int, pc: int) -> None:
        """Give columns back."""
        first = address & 0xFFFF
        owned = self._owned[block, first : first + columns]
        if len(owned) < columns or not owned.all():
            self._faults["out-of-region", pc] += 1
        owned[:] = False

    def load(self, lanes: Lanes, pc: int, where: Cells, address: Value) -> tuple[Value, ...]:
        """`tcgen05.ld`: each lane's registers. What the warp may not reach is read as zero."""
        block, lane, column, inside = self._places(lanes, pc, where, address)
        found = np.where(inside, self._image[block, lane, column], np.uint32(0))
        return tuple(np.ascontiguousarray(found.T))

    def store(
        self, lanes: Lanes, pc: int, where: Cells, address: Value, values: tuple[Value, ...]
    ) -> None:
        """`tcgen05.st`: what the warp may not reach stays as it is."""
        block, lane, column, inside = self._places(lanes, pc, where, address)
        block = np.broadcast_to(block, inside.shape)
        held = np.stack([lanes.array(value) for value in values], axis=1)
        self._image[block[inside], lane[inside], column[inside]] = held[inside]

    def rows(self, block: int, lane: np.ndarray, first: int, columns: int, pc: int) -> np.ndarray:
        """The columns from `first` on of some lanes: a copy."""
        if not self._has(block, first, columns, pc):
            return np.zeros((len(lane), columns), np.uint32)
        return np.asarray(self._image[block, lane, first : first + columns])

    def set_rows(
        self, block: int, lane: np.ndarray, first: int, values: np.ndarray, pc: int
    ) -> None:
        """Write the columns from `first` on of some lanes."""
        if self._has(block, first, values.shape[1], pc):
            self._image[block, lane, first : first + values.shape[1]] = values

    def _has(self, block: int, first: int, columns: int, pc: int) -> bool:
        owned = self._owned[block, first : first + columns]
        if len(owned) == columns and owned.all():
            return True
        self._faults["out-of-region", pc] += 1
        return False

    def _places(
        self, lanes: Lanes, pc: int, where: Cells, address: Value
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Block (lanes, 1), lane, column of each register, and whether the warp may reach it."""
        start = lanes.array(address).astype(np.int64)[:, None]
        block = (lanes.block - lanes.first_block)[:, None]
        lane = (start >> 16) + where.lane[lanes.lane]
        column = (start & 0xFFFF) + where.column[lanes.lane]
        reached = ((lanes.slots >> 5) % lanes.warps_per_block % 4)[:, None]
        inside = (lane // REACHED == reached) & (column < COLUMNS)
        column = np.where(inside, column, 0)
        inside &= self._owned[block, column]
        if not inside.all():
            self._faults["out-of-region", pc] += int(np.count_nonzero(~inside.all(axis=1)))
            self._grow(_GROWTH)
            lane, column = np.where(inside, lane, 0), np.where(inside, column, 0)
        return block, lane, column, inside

    def _grow(self, columns: int) -> None:
        """Make room for the first columns of all blocks."""
        blocks, _, before = self._image.shape
        if columns > before:
            self._accounting.take(blocks * LANES * (columns - before) * 4)
            more = np.zeros((blocks, LANES, columns - before), np.uint32)
            self._image = np.concatenate((self._image, more), axis=2)
