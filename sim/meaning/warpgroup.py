"""Products of a warpgroup's matrices (PTX ISA 9.7.15): a plain product in the manual's layouts.

Each of the four warps computes 16 of the 64 rows. What lies in shared memory is found by a matrix
descriptor: pieces of 16 bytes, whose places follow from its two offsets and its swizzling mode
(PTX ISA, "Strides", "Matrix descriptor format"; the canonical layouts, with T elements in 16 bytes,
are those of CUTLASS's mma_sm90_desc.hpp).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.lanes import Lanes
from perflint.sim.meaning.fragments import (
    BITS,
    Fragment,
    fragment,
    gathered,
    multiplicand_a,
    numbers,
    scattered,
)
from perflint.sim.meaning.matrix import Memory
from perflint.sim.site import Site
from perflint.sim.values import Value

ROWS = 16  #: of each warp
PIECE = 16  #: bytes that lie together whatever the swizzle
#: By the descriptor's mode: pieces in a row of the pattern (none: the piece itself; 128, 64, 32 B).
_ROW_PIECES = np.array([1, 8, 4, 2])
_SWIZZLED_BITS = np.array([0, 7, 3, 1])  #: of the pieces' number, changed by the row's


@cache
def accumulator(n: int, element: str) -> Fragment:
    """A warp's 16 rows of D: as `mma`'s of eight columns, one after the other."""
    lane, number = np.arange(32)[:, None], np.arange(ROWS * n // 32)[None]
    row = lane // 4 + 8 * (number // 2 % 2)
    column = 8 * (number // 4) + lane % 4 * 2 + number % 2
    return fragment(ROWS, n, element, row * n + column)


@dataclass(frozen=True, eq=False)
class SharedMatrix:
    """A matrix in shared memory, by its descriptor: `outer` elements along m or n, `k` along k."""

    outer: int
    k: int
    element: str
    transposed: bool  #: neighbours along m or n lie together
    of_rows: bool  #: it is A: each warp reads its own rows

    def load(self, memory: Memory, lanes: Lanes, site: Site, descriptor: Value) -> np.ndarray:
        """The matrices of all warps, (warps, outer, k)."""
        word = lanes.array(descriptor).astype(np.int64)
        per_piece = PIECE * 8 // BITS[self.element]
        along = self.outer // per_piece if self.transposed else self.k // per_piece
        count = along * (self.k if self.transposed else self.outer)
        found = []
        for first in range(0, count, 32):
            number = (first + lanes.lane) % count
            major, minor = number // along, number % along
            where = self._address(lanes, word, major, minor, per_piece)
            values = memory.load(lanes, site, where.astype(np.uint32))
            found.append(np.stack([lanes.dense(v) for v in values], axis=2))
        held = np.concatenate(found, axis=1)[:, :count].astype(np.uint32)
        elements = numbers(self.element, np.ascontiguousarray(held))
        if self.transposed:
            return elements.reshape(-1, self.k, self.outer).transpose(0, 2, 1)
        return elements.reshape(-1, self.outer, self.k)

    def _address(
        self, lanes: Lanes, word: np.ndarray, major: np.ndarray, minor: np.ndarray, per_piece: int
    ) -> np.ndarray:
        """Where piece `minor` of line `major` lies: a line is a row, or a k if transposed."""
        if self.of_rows:
            warp = (lanes.slots >> 5) % lanes.warps_per_block % 4
            if self.transposed:
                minor = minor + warp * (ROWS // per_piece)
            else:
                major = major + warp * ROWS
        return piece_address(word, major, minor, self.transposed)


def piece_address(
    word: np.ndarray, major: np.ndarray, minor: np.ndarray, transposed: bool
) -> np.ndarray:
    """Where a matrix descriptor says that piece `minor` of line `major` lies."""
    start = (word & 0x3FFF) << 4
    leading, stride = (word >> 16 & 0x3FFF) << 4, (word >> 32 & 0x3FFF) << 4
    mode = word >> 62 & 3
    pieces = _ROW_PIECES[mode]
    line = major % 8 * pieces * PIECE
    if transposed:
        plain = minor * stride + line + major // 8 * leading
        rows = minor % pieces * PIECE + minor // pieces * leading + line + major // 8 * stride
    else:
        plain = minor * leading + line + major // 8 * stride
        rows = minor * PIECE + line + major // 8 * stride
    address = start + np.where(mode == 0, plain, rows)
    return np.asarray(address ^ ((address >> 7 & _SWIZZLED_BITS[mode]) << 4))


@dataclass(frozen=True, eq=False)
class WarpgroupProduct:
    """`wgmma.mma_async`: d = a b + d, or a b where `scale-d` is false."""

    n: int
    k: int
    d: str
    a: str
    b: str
    a_held: bool  #: A is in registers
    transposed: tuple[bool, bool]  #: of A, of B
    sign: int  #: the product of imm-scale-a and imm-scale-b

    def __call__(
        self,
        memory: Memory,
        lanes: Lanes,
        site: Site,
        a: tuple[Value, ...],
        b: Value,
        keep: Value,
        d: tuple[Value, ...],
    ) -> tuple[Value, ...]:
        """The registers of d. Sums are exact to float64 and rounded once, as of `mma`."""
        held = accumulator(self.n, self.d)
        left = (
            gathered(lanes, multiplicand_a(ROWS, self.k, self.a), a)
            if self.a_held
            else SharedMatrix(ROWS, self.k, self.a, self.transposed[0], True).load(
                memory, lanes, site, a[0]
            )
        )
        right = SharedMatrix(self.n, self.k, self.b, self.transposed[1], False).load(
            memory, lanes, site, b
        )
        before = gathered(lanes, held, d)
        kept = np.asarray(lanes.dense(keep), bool)[:, :1, None]  # the same in all lanes
        product = self.sign * (left @ right.transpose(0, 2, 1))
        return scattered(lanes, held, product + np.where(kept, before, 0))
