"""How the elements of a warp's matrices lie in its lanes' registers (PTX ISA 9.7.14).

The layouts of `mma` are the manual's. Those of `wmma` are not defined by it: the elements are dealt
to the lanes in memory order here, which loads, stores and products agree on; nothing may be claimed
about lanes.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.lanes import Lanes
from perflint.sim.meaning.small_floats import decoded
from perflint.sim.values import Value, bf16_to_f32, f32_to_bf16

#: Bits of a matrix element.
BITS = {
    "f64": 64, "f32": 32, "tf32": 32, "s32": 32, "f16": 16, "bf16": 16,
    "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "s4": 4, "u4": 4, "b1": 1,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Fragment:
    """One matrix held by a warp."""

    rows: int
    columns: int
    element: str  #: a key of BITS
    registers: int  #: of each lane
    #: (32, elements a lane) int64: where in the matrix, row by row, each held element belongs
    position: np.ndarray
    order: np.ndarray  #: (rows * columns,) int64: which held element each of the matrix is

    @property
    def held(self) -> str:
        """The PTX type of a register."""
        return self.element if self.element in ("f64", "f32") else "b32"


def fragment(rows: int, columns: int, element: str, position: np.ndarray) -> Fragment:
    """A matrix held as `position` says: where each lane's elements belong."""
    bits = BITS[element]
    registers = position.shape[1] * bits // max(bits, 32)
    order = np.empty(rows * columns, np.int64)
    flat = position.reshape(-1)
    order[flat[::-1]] = np.arange(len(flat))[::-1]  # of elements held twice the first counts
    return Fragment(rows, columns, element, registers, position, order)


@cache
def multiplicand_a(m: int, k: int, element: str) -> Fragment:
    """Matrix A of `mma`: registers go down eight rows, then right."""
    row, column = _strips(k, element, m // 8)
    return fragment(m, k, element, row * k + column)


@cache
def multiplicand_b(k: int, n: int, element: str) -> Fragment:
    """Matrix B of `mma`, n = 8: as A with one strip of rows, transposed."""
    column, row = _strips(k, element, 1)
    return fragment(k, n, element, row * n + column)


def _strips(k: int, element: str, strips: int) -> tuple[np.ndarray, np.ndarray]:
    """(index along m or n, index along k) of every element, (32, elements a lane)."""
    packed = max(1, 32 // BITS[element])
    lane = np.arange(32)[:, None]
    number = np.arange(k * strips // 4)[None]
    register, within = number // packed, number % packed
    outer = lane // 4 + 8 * (register % strips)
    along = register // strips * 4 * packed + lane % 4 * packed + within
    return outer, along


@cache
def accumulator(m: int, n: int, element: str) -> Fragment:
    """Matrices C and D of `mma`: two neighbours of a row, then eight rows below."""
    lane, number = np.arange(32)[:, None], np.arange(m * n // 32)[None]
    row = lane // 4 + 8 * (number // 2)
    return fragment(m, n, element, row * n + lane % 4 * 2 + number % 2)


@cache
def dealt(rows: int, columns: int, element: str, by_columns: bool, registers: int) -> Fragment:
    """A matrix of `wmma`, in memory order; lanes with room for more hold theirs several times."""
    each = registers * max(1, 32 // BITS[element])
    distinct = rows * columns // 32
    number = np.arange(32)[:, None] * distinct + np.arange(each) % distinct
    if by_columns:
        number = number % rows * columns + number // rows
    return fragment(rows, columns, element, number)


def gathered(lanes: Lanes, fragment: Fragment, values: tuple[Value, ...]) -> np.ndarray:
    """The matrices of all warps, (warps, rows, columns) float64 or int64."""
    held = np.stack([lanes.dense(value) for value in values], axis=2)
    elements = numbers(fragment.element, held).reshape(len(held), -1)
    return elements[:, fragment.order].reshape(-1, fragment.rows, fragment.columns)


def numbers(element: str, held: np.ndarray) -> np.ndarray:
    """Registers (…, registers) as numbers, the lowest bits first."""
    if element in ("f64", "f32"):
        return held.astype(np.float64)
    if element == "s32":
        return held.view(np.int32).astype(np.int64)
    if element == "tf32":  # the lowest 13 bits are not read
        return (held & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)
    if element == "f16":
        return held.view(np.float16).astype(np.float64)
    if element == "bf16":
        return np.asarray(bf16_to_f32(held.view(np.uint16)), np.float64)
    if element in ("s8", "u8"):
        return held.view(np.int8 if element == "s8" else np.uint8).astype(np.int64)
    if element in ("e4m3", "e5m2"):
        return np.asarray(decoded(element, held.view(np.uint8)))
    bits = BITS[element]
    shifts = np.arange(0, 32, bits, dtype=np.uint32)
    pieces = ((held[..., None] >> shifts) & np.uint32((1 << bits) - 1)).astype(np.int64)
    return np.where(pieces > 7, pieces - 16, pieces) if element == "s4" else pieces


def scattered(lanes: Lanes, fragment: Fragment, matrices: np.ndarray) -> tuple[Value, ...]:
    """The registers that hold (warps, rows, columns) numbers, rounded to the element's type."""
    elements = matrices.reshape(len(matrices), -1)[:, fragment.position]
    if fragment.element == "s32":
        held = elements.astype(np.int64).astype(np.uint64).astype(np.uint32)
    elif fragment.element == "f16":
        held = np.ascontiguousarray(elements.astype(np.float16)).view(np.uint32)
    elif fragment.element == "bf16":
        halves = f32_to_bf16(elements.astype(np.float32))
        held = np.ascontiguousarray(halves).view(np.uint32)
    else:
        held = elements.astype(np.float32 if fragment.element == "f32" else np.float64)
    return tuple(lanes.sparse(held[:, :, each]) for each in range(fragment.registers))
