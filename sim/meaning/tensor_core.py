"""Products of matrices in shared and tensor memory (PTX ISA 9.7.16.10): `tcgen05.mma`.

One thread has a whole product made. Matrix D lies in tensor memory, one 32-bit element in each
column, its rows as "Data path layout organization" has them: of 128 rows each in the lane of its
number (layout D), of 64 rows 16 in each warp's 32 lanes (layout F). A lies in shared memory or, in
the same lanes as D, in tensor memory, its elements packed along the columns; B in shared memory.
What lies in shared memory is found by a descriptor, of `wgmma`'s form but for bits 46 to 61.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.lanes import Lanes
from perflint.sim.launch import UnsupportedInstructionError
from perflint.sim.meaning.fragments import BITS, numbers
from perflint.sim.meaning.matrix import Memory
from perflint.sim.meaning.warpgroup import PIECE, piece_address
from perflint.sim.site import Site
from perflint.sim.tensor_memory import TensorMemory
from perflint.sim.values import Value

#: Types of A and B by their numbers in the instruction descriptor (9.7.16.4.2, first table).
KINDS = {
    "kind::f16": ("f16", "bf16"),
    "kind::tf32": (None, None, "tf32"),
    "kind::f8f6f4": ("e4m3", "e5m2"),
}
_K_BYTES = 32  #: of each row (9.7.16.2.1)
_F32 = 1  #: the number of D's type
#: Of the instruction descriptor: sparsity, saturation, shifts and what is reserved.
_PLAIN = 1 << 2 | 1 << 3 | 1 << 6 | 1 << 23 | 1 << 29 | 3 << 30
#: Of a matrix descriptor (9.7.16.4.1): what is fixed, absolute addresses among it; the base offset,
#: which says nothing without a swizzle; swizzles of 32-byte atoms; the swizzling mode.
_VERSION, _FIXED = 1 << 46, 7 << 46 | 0x1FF << 52
_BASE_OFFSET, _ATOMS, _SWIZZLE = 7 << 49, 1 << 61, 7 << 61


class Storage(Memory, Protocol):
    """Shared and tensor memory."""

    tensor: TensorMemory


@dataclass(frozen=True)
class _Shape:
    """What an instruction descriptor says."""

    m: int
    n: int
    a: str
    b: str
    transposed: tuple[bool, bool]  #: of A, of B: neighbours along m or n lie together
    sign: int


@dataclass(frozen=True, eq=False)
class TensorProduct:
    """`tcgen05.mma`: d = a b + d, or a b where `enable-input-d` is false."""

    name: str  #: of the instruction
    line: int
    kind: str
    a_held: bool  #: A is in tensor memory
    site: Site

    def __call__(
        self, memory: Storage, lanes: Lanes, d: Value, a: Value, b: Value, shape: Value, keep: Value
    ) -> None:
        """Make each lane's product, one after the other: of a block one lane asks for it.

        Sums are exact to float64 and rounded once, as of `mma`.
        """
        words = [lanes.array(each).tolist() for each in (d, a, b, shape, keep)]
        blocks = (lanes.block - lanes.first_block).tolist()
        for at, (block, to, left, right, described, kept) in enumerate(
            zip(blocks, *words, strict=True)
        ):
            one = lanes.subset(np.array([at]))
            found = self._shape(described)
            rows, column = self._rows(to, found.m), to & 0xFFFF
            if self.a_held:
                if left >> 16 != to >> 16:
                    raise self._unsupported("its matrices A and D begin in different lanes")
                at_a, columns = left & 0xFFFF, _K_BYTES // 4
                held = memory.tensor.rows(block, rows, at_a, columns, self.site.pc)
                first = numbers(found.a, np.ascontiguousarray(held))
            else:
                first = self._matrix(memory, one, left, found.m, found.a, found.transposed[0])
            second = self._matrix(memory, one, right, found.n, found.b, found.transposed[1])
            total = found.sign * (first @ second.T)
            if kept:
                before = memory.tensor.rows(block, rows, column, found.n, self.site.pc)
                total = total + before.view(np.float32)
            sums = total.astype(np.float32).view(np.uint32)
            memory.tensor.set_rows(block, rows, column, sums, self.site.pc)

    def _shape(self, word: int) -> _Shape:
        types = KINDS[self.kind]
        a, b = word >> 7 & 7, word >> 10 & 7
        m, n = (word >> 24 & 31) << 4, (word >> 17 & 63) << 3
        named = [types[each] if each < len(types) else None for each in (a, b)]
        if word & _PLAIN or (word >> 4 & 3) != _F32 or named[0] is None or named[1] is None:
            raise self._unsupported(
                "its instruction descriptor names other types or a sparse matrix"
            )
        if m not in (64, 128) or not 8 <= n <= 256 or n % (m // 8):
            raise self._unsupported(f"its instruction descriptor has the shape {m}x{n}")
        if BITS[named[0]] != BITS[named[1]] or (self.kind == "kind::f16" and a != b):
            raise self._unsupported("its instruction descriptor mixes types")
        turned = bool(word >> 15 & 1), bool(word >> 16 & 1)
        if (turned[0] and self.a_held) or (any(turned) and BITS[named[0]] == 32):
            raise self._unsupported("its instruction descriptor transposes")
        sign = -1 if (word >> 13 ^ word >> 14) & 1 else 1
        return _Shape(m, n, named[0], named[1], turned, sign)

    def _rows(self, address: int, m: int) -> np.ndarray:
        """The lanes of D's rows."""
        lane, number = address >> 16, np.arange(m)
        if lane not in ((0,) if m == 128 else (0, 16)):
            raise self._unsupported(f"its matrix D begins in lane {lane}")
        return number if m == 128 else lane + number // 16 * 32 + number % 16

    def _matrix(
        self, memory: Memory, one: Lanes, word: int, outer: int, element: str, transposed: bool
    ) -> np.ndarray:
        """A matrix in shared memory, (outer, k)."""
        moved = word & _BASE_OFFSET and word & _SWIZZLE
        if word & _FIXED != _VERSION or word & _ATOMS or moved:
            raise self._unsupported("its matrix descriptor is of another form")
        per_piece = PIECE * 8 // BITS[element]
        k = _K_BYTES * 8 // BITS[element]
        if transposed and outer % per_piece:
            raise self._unsupported(f"its transposed matrix has {outer} rows")
        along, lines = (outer // per_piece, k) if transposed else (k // per_piece, outer)
        number = np.arange(along * lines)
        major, minor = number // along, number % along
        where = piece_address(
            np.asarray(word, np.uint64).astype(np.int64), major, minor, transposed
        )
        found = memory.load(one.repeated(len(where)), self.site, where.astype(np.uint32))
        held = np.stack([np.asarray(each, np.uint32) for each in found], axis=1)
        elements = numbers(element, np.ascontiguousarray(held))
        matrix = elements.reshape(lines, -1)
        return matrix.T if transposed else matrix

    def _unsupported(self, why: str) -> UnsupportedInstructionError:
        return UnsupportedInstructionError(self.name, None, self.line, why)
