"""Products of a warp's matrices, and their way to memory (PTX ISA 9.7.14.4 and 9.7.14.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

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


@dataclass(frozen=True, eq=False)
class Tile:
    """A `wmma` matrix in memory: `by_columns` says which neighbours lie side by side."""

    fragment: Fragment
    by_columns: bool

    @property
    def piece(self) -> int:
        """Elements that one access moves: of those under a byte as many as a word holds."""
        bits = BITS[self.fragment.element]
        return 32 // bits if bits < 8 else 1

    def places(self, lanes: Lanes, start: Value, stride: Value, number: int) -> Value:
        """The address of each lane's element `number` in a matrix that begins at `start`.

        `stride` counts elements between rows (columns, if `by_columns`).
        """
        place = self.fragment.position[:, number][lanes.lane]
        row, column = place // self.fragment.columns, place % self.fragment.columns
        major, minor = (column, row) if self.by_columns else (row, column)
        element = major * lanes.array(stride).astype(np.int64) + minor
        offset = element * BITS[self.fragment.element] // 8
        return lanes.array(start) + offset.astype(start.dtype)

    def load(
        self, memory: Memory, lanes: Lanes, site: Site, address: Value, stride: Value
    ) -> tuple[Value, ...]:
        """The registers of each lane."""
        fragment = self.fragment
        count = fragment.position.shape[1]
        distinct = min(count, fragment.rows * fragment.columns // 32)
        pieces = [
            memory.load(lanes, site, self.places(lanes, address, stride, number))[0]
            for number in range(0, distinct, self.piece)
        ]
        pieces *= count // distinct
        if site.dtype.itemsize >= 4:
            return tuple(pieces)
        held = np.ascontiguousarray(np.stack(pieces, axis=1)).view(np.uint32)
        return tuple(np.ascontiguousarray(held[:, each]) for each in range(fragment.registers))

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
        for number in range(elements.shape[1]):
            where = self.places(lanes, address, stride, number)
            memory.store(lanes, site, where, (np.ascontiguousarray(elements[:, number]),))
