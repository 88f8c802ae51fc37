"""Products of a warp's matrices, and their way to memory (PTX ISA 9.7.14.4 and 9.7.14.5)."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, Protocol

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.lanes import Lanes
from perflint.sim.meaning.fragments import BITS, Fragment, gathered, scattered
from perflint.sim.site import Site
from perflint.sim.values import UNSIGNED, Value


class Memory(Protocol):
    """What loads and stores of matrices need of the machine."""

    def load(self, lanes: Lanes, site: Site, address: Value) -> tuple[Value, ...]: ...

    def store(
        self, lanes: Lanes, site: Site, address: Value, values: tuple[Value, ...]
    ) -> None: ...

    def touch(self, lanes: Lanes, site: Site, address: Value) -> None: ...

    def touch_around(self, lanes: Lanes, site: Site, start: Value, span: range) -> bool: ...


@dataclass(frozen=True, eq=False)
class Product:
    """d = a b + c of one warp-wide instruction."""

    a: Fragment
    b: Fragment
    c: Fragment
    d: Fragment
    bitwise: Literal["", "xor", "and"] = ""  #: of single bits: popc(a op b) in place of a product
    saturated: bool = False

    def __call__(self, lanes: Lanes, *registers: Value) -> tuple[Value, ...]:
        """The registers of d from those of a, b and c.

        Sums of floats are taken exactly to float64 precision and rounded once: PTX leaves their
        order and rounding open.
        """
        first, second = self.a.registers, self.a.registers + self.b.registers
        a = gathered(lanes, self.a, registers[:first])
        b = gathered(lanes, self.b, registers[first:second])
        c = gathered(lanes, self.c, registers[second:])
        if self.bitwise == "xor":  # x ^ y = x + y - 2 x y of bits
            d = a.sum(axis=2)[:, :, None] + b.sum(axis=1)[:, None, :] - 2 * (a @ b) + c
        else:
            d = a @ b + c
        if self.saturated:
            limits = np.iinfo(np.int32)
            d = np.clip(d, limits.min, limits.max)
        return scattered(lanes, self.d, d)


@dataclass(frozen=True)
class Tile:
    """A `wmma` matrix in memory: `by_columns` says which neighbours lie side by side."""

    fragment: Fragment
    by_columns: bool

    @property
    def piece(self) -> int:
        """Elements that one access moves: of those under a byte as many as a word holds."""
        bits = BITS[self.fragment.element]
        return 32 // bits if bits < 8 else 1

    def offsets(self, stride: np.ndarray, lane: slice | np.ndarray, numbers: range) -> np.ndarray:
        """Bytes from the matrix's begin to each lane's elements `numbers`, (lanes, elements)."""
        place = self.fragment.position[lane, numbers.start : numbers.stop : numbers.step]
        row, column = place // self.fragment.columns, place % self.fragment.columns
        major, minor = (column, row) if self.by_columns else (row, column)
        element = major * stride.astype(np.int64).reshape(-1, 1) + minor
        return np.asarray(element * BITS[self.fragment.element] // 8)

    def places(
        self, lanes: Lanes, start: Value, stride: Value, numbers: range
    ) -> tuple[Lanes, np.ndarray]:
        """The addresses of each lane's elements `numbers` in a matrix that begins at `start`.

        `stride` counts elements between rows (columns, if `by_columns`). Lane by lane, and each
        lane as often as it has elements: all are moved at once.
        """
        if np.ndim(stride):
            offset = self.offsets(stride, lanes.lane, numbers)
        else:
            offset = self.offsets(np.asarray(stride), slice(None), numbers)[lanes.lane]
        address = lanes.array(start)[:, None] + offset.astype(start.dtype)
        return lanes.repeated(len(numbers)), address.reshape(-1)

    @property
    def distinct(self) -> range:
        """The elements of a lane, those that it holds twice once."""
        fragment = self.fragment
        count = min(fragment.position.shape[1], fragment.rows * fragment.columns // 32)
        return range(0, count, self.piece)

    def load(
        self, memory: Memory, lanes: Lanes, site: Site, address: Value, stride: Value
    ) -> tuple[Value, ...]:
        """The registers of each lane."""
        fragment, numbers = self.fragment, self.distinct
        each, where = self.places(lanes, address, stride, numbers)
        pieces = each.array(memory.load(each, site, where)[0]).reshape(lanes.count, len(numbers))
        held = np.tile(pieces, (1, fragment.position.shape[1] // numbers.stop))
        if site.dtype.itemsize < 4:
            held = held.view(np.uint32)
        return tuple(np.ascontiguousarray(held[:, at]) for at in range(held.shape[1]))

    def touch(
        self, memory: Memory, lanes: Lanes, site: Site, address: Value, stride: Value
    ) -> None:
        """Check the places of a load or store of which no byte is wanted."""
        held = self.fragment.position.shape[1]
        numbers = self.distinct if site.kind == "load" else range(held)
        if np.ndim(stride) == 0:
            span = _span(self, int(stride), numbers, site.size)
            if span is not None and memory.touch_around(lanes, site, address, span):
                return
        each, where = self.places(lanes, address, stride, numbers)
        memory.touch(each, site, where)

    def store(
        self,
        memory: Memory,
        lanes: Lanes,
        site: Site,
        address: Value,
        stride: Value,
        *registers: Value,
    ) -> None:
        """Write the registers of each lane."""
        held = np.stack([lanes.array(value) for value in registers], axis=1)
        size = site.dtype.itemsize
        elements = held.view(UNSIGNED[size]).view(site.dtype)
        each, where = self.places(lanes, address, stride, range(elements.shape[1]))
        memory.store(each, site, where, (elements.reshape(-1),))


@lru_cache(maxsize=256)
def _span(tile: Tile, stride: int, numbers: range, size: int) -> range | None:
    """The bytes from a matrix's begin that all its elements lie in, at multiples of their size.

    None where they do not lie at multiples.
    """
    offset = tile.offsets(np.array(stride), slice(None), numbers)
    if (offset & (size - 1)).any():
        return None
    return range(int(offset.min()), int(offset.max()) + size)
