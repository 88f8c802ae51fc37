"""A set of lanes that run together, and how their values stand as warps of 32."""

from __future__ import annotations

import numpy as np

from perflint.sim.affine_lanes import plain
from perflint.sim.lazy import lazy
from perflint.sim.patterns import Axes
from perflint.sim.values import Value


class Lanes:
    """Threads in ascending order. `slots` (n,) number all simulated threads, 32 a warp: a block's
    last warp may be partial. `positions` are the lanes' places in the machine's population, None
    where the set is the whole population. Blocks before `first_block` are not of this wave. A whole
    population has `axes`: the indices that affine values are affine in."""

    def __init__(
        self,
        slots: np.ndarray,
        warps_per_block: int,
        positions: np.ndarray | None = None,
        first_block: int = 0,
        axes: Axes | None = None,
    ) -> None:
        self.slots = slots
        self.warps_per_block = warps_per_block
        self.positions = positions
        self.first_block = first_block
        self.axes = axes
        self.count = len(slots)
        self._windows: dict[int, np.ndarray] = {}

    @lazy
    def _warps(self) -> tuple[np.ndarray, np.ndarray]:
        """The distinct warps, and the row each lane's warp has among them."""
        warp = self.slots >> 5
        new = np.empty(len(warp), bool)
        new[:1] = True
        np.not_equal(warp[1:], warp[:-1], out=new[1:])
        return warp[new], np.cumsum(new) - 1

    @lazy
    def rows(self) -> int:
        """How many warps have a lane here."""
        warp = self.slots >> 5
        return int(np.count_nonzero(warp[1:] != warp[:-1])) + 1 if len(warp) else 0

    @lazy
    def full(self) -> bool:
        """Whether every warp here has all its 32 lanes."""
        return self.count == 32 * self.rows

    @property
    def warp(self) -> np.ndarray:
        """The warps here, (rows,), numbered over all simulated blocks."""
        return self.slots[::32] >> 5 if self.full else self._warps[0]

    @property
    def row(self) -> np.ndarray:
        """The row of each lane, (n,)."""
        return np.arange(self.count) >> 5 if self.full else self._warps[1]

    @lazy
    def active(self) -> np.ndarray:
        """How many lanes each warp has here, (rows,) int64."""
        return np.full(self.rows, 32) if self.full else np.bincount(self._warps[1])

    @lazy
    def lane(self) -> np.ndarray:
        """Each lane's number in its warp, (n,) int64."""
        return self.slots & 31

    @lazy
    def block(self) -> np.ndarray:
        """Each lane's block among the simulated ones, (n,) int64."""
        return self.slots // (32 * self.warps_per_block)

    def window(self, size: int) -> np.ndarray:
        """Where each lane's block begins in an image of `size` bytes a block, (n,) int64."""
        if size not in self._windows:
            self._windows[size] = (self.block - self.first_block) * size
        return self._windows[size]

    @lazy
    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Block of each warp here and the warp's number in it, (rows,) int32."""
        warp = self.warp
        per_block = self.warps_per_block
        return (warp // per_block).astype(np.int32), (warp % per_block).astype(np.int32)

    @lazy
    def mask(self) -> np.ndarray:
        """Which lanes of each warp are here, (rows, 32) bool."""
        if self.full:
            return np.ones((self.rows, 32), bool)
        mask = np.zeros((self.rows, 32), bool)
        mask[self.row, self.lane] = True
        return mask

    @lazy
    def bits(self) -> np.ndarray:
        """The mask of each warp as a number, (rows,) uint32."""
        return packed(self.mask)

    def dense(self, value: Value) -> np.ndarray:
        """A value as (rows, 32); lanes that are not here have 0."""
        value = plain(value)
        if value.ndim == 0:
            return np.full((self.rows, 32), value)
        if self.full:
            return np.asarray(value.reshape(-1, 32))
        out = np.zeros((self.rows, 32), value.dtype)
        out[self.row, self.lane] = value
        return out

    def sparse(self, rows: np.ndarray) -> np.ndarray:
        """The lanes' entries of a (rows, 32) array, (n,)."""
        if self.full:
            return np.ascontiguousarray(rows).reshape(-1)
        return np.asarray(rows[self.row, self.lane])

    def spread(self, per_row: np.ndarray) -> np.ndarray:
        """One value per warp, (rows,), given to each of its lanes."""
        return np.repeat(per_row, 32) if self.full else np.asarray(per_row[self.row])

    def repeated(self, times: int) -> Lanes:
        """Each lane several times, for accesses that are not traced."""
        slots = np.repeat(self.slots, times)
        return Lanes(slots, self.warps_per_block, first_block=self.first_block)

    def subset(self, chosen: np.ndarray) -> Lanes:
        """The lanes at some indices of this set."""
        return Lanes(self.slots[chosen], self.warps_per_block, first_block=self.first_block)

    def array(self, value: Value) -> np.ndarray:
        """A value as (n,), whether or not it was one for all lanes."""
        value = plain(value)
        return value if value.ndim else np.broadcast_to(value, (self.count,))


def packed(mask: np.ndarray) -> np.ndarray:
    """Rows of 32 booleans as uint32, lane 0 in bit 0."""
    return np.packbits(mask, axis=1, bitorder="little").view(np.uint32).reshape(-1)


def unpacked(bits: np.ndarray) -> np.ndarray:
    """The inverse of `packed`: (rows,) uint32 as (rows, 32) bool."""
    lanes = np.arange(32, dtype=np.uint32)
    return np.asarray((bits[:, None] >> lanes) & np.uint32(1), dtype=bool)
