"""Copies of tensor tiles (PTX ISA 9.7.9.25.5), by tensor maps that the kernel itself wrote.

A tensor map is opaque, 128 bytes: its fields lie where `FIELDS` puts them, which
`tensormap.replace` and the copies here agree on. One that the host encoded is in the driver's own
form and not read.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.lanes import Lanes
from perflint.sim.launch import UnsupportedInstructionError
from perflint.sim.meaning.matrix import Memory
from perflint.sim.site import Site
from perflint.sim.values import DTYPE, Value

#: By field of `tensormap.replace`: its offset and the bytes of an element.
FIELDS = {
    "global_address": (0, 8),
    "rank": (8, 4),
    "elemtype": (12, 4),
    "swizzle_mode": (16, 4),
    "interleave_layout": (20, 4),
    "fill_mode": (24, 4),
    "box_dim": (28, 4),
    "global_dim": (48, 4),
    "global_stride": (72, 8),
    "element_stride": (104, 4),
}
MARK_AT, MARK = 124, 0x7E5502A9  #: what says that the map is in this form
SIZE = 128
#: Bytes by `elemtype` (PTX ISA, "tensormap.replace", table of elemtype).
_ELEMENT = (1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4)
#: By `swizzle_mode`: none, 32, 64 and 128 bytes; which bits of a piece's number the row changes.
_SWIZZLED_BITS = (0, 1, 3, 7)


@dataclass(frozen=True)
class TensorMap:
    """A map as the kernel wrote it, innermost dimension first."""

    address: int
    element: int  #: bytes
    swizzled: int  #: bits of _SWIZZLED_BITS
    box: tuple[int, ...]
    extents: tuple[int, ...]
    strides: tuple[int, ...]  #: bytes

    @classmethod
    def of_bytes(cls, held: np.ndarray, name: str) -> TensorMap:
        """The map in 128 bytes. Raises UnsupportedInstructionError for what is not in this form."""

        def field(key: str, count: int) -> tuple[int, ...]:
            at, size = FIELDS[key]
            words = held[at : at + count * size].view(np.uint64 if size == 8 else np.uint32)
            return tuple(int(each) for each in words)

        if int(held[MARK_AT:].view(np.uint32)[0]) != MARK:
            raise UnsupportedInstructionError(name, None, 1, "its tensor map comes from the host")
        rank = field("rank", 1)[0] + 1
        (kind,), (mode,), (interleaved,) = (
            field(key, 1) for key in ("elemtype", "swizzle_mode", "interleave_layout")
        )
        steps = field("element_stride", min(rank, 5))
        if rank > 5 or kind >= len(_ELEMENT) or mode >= 4 or interleaved or set(steps) != {1}:
            raise UnsupportedInstructionError(name, None, 1, "its tensor map is of no plain tile")
        return cls(
            address=field("global_address", 1)[0],
            element=_ELEMENT[kind],
            swizzled=_SWIZZLED_BITS[mode],
            box=field("box_dim", rank),
            extents=field("global_dim", rank),
            strides=(_ELEMENT[kind], *field("global_stride", rank - 1)),
        )

    @property
    def size(self) -> int:
        """Bytes of the box."""
        return int(np.prod(self.box)) * self.element

    def places(self, at: tuple[int, ...], shared: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each element of the box at some coordinates: (inside the tensor, global address,
        shared address)."""
        index = np.indices(self.box[::-1]).reshape(len(self.box), -1)[::-1]  # innermost first
        where = index + np.array(at)[:, None]
        extents = np.array(self.extents)[:, None]
        inside = ((where >= 0) & (where < extents)).all(axis=0)
        offset = (where * np.array(self.strides)[:, None]).sum(axis=0)
        outer = np.uint64(self.address) + offset.astype(np.uint64)
        inner = shared + np.arange(index.shape[1]) * self.element
        inner ^= (inner >> 7 & self.swizzled) << 4
        return inside, outer, inner.astype(np.uint32)


@dataclass(frozen=True, eq=False)
class TileCopy:
    """`cp.async.bulk.tensor` in tile mode."""

    name: str  #: of the instruction
    map_site: Site
    outer: Site  #: global memory
    inner: Site  #: shared memory
    to_shared: bool

    def __call__(
        self,
        memory: Memory,
        lanes: Lanes,
        map_address: Value,
        shared: Value,
        coordinates: tuple[Value, ...],
    ) -> np.ndarray:
        """Copy each lane's tile, zeros outside the tensor; the bytes of each lane's box."""
        start = lanes.array(map_address)
        words: list[Value] = []
        for at in range(0, SIZE, 16):
            words += memory.load(lanes, self.map_site, start + start.dtype.type(at))
        maps = np.stack([np.asarray(lanes.array(w), np.uint32) for w in words], axis=1)
        corners = np.stack([lanes.array(c).astype(np.int64) for c in coordinates], axis=1)
        corners = corners.astype(np.uint32).view(np.int32)
        targets = lanes.array(shared).astype(np.int64)
        sizes = np.zeros(lanes.count, np.uint32)
        for n in range(lanes.count):  # one lane of a block issues a copy
            found = TensorMap.of_bytes(np.ascontiguousarray(maps[n]).view(np.uint8), self.name)
            if len(found.box) != corners.shape[1]:
                raise UnsupportedInstructionError(self.name, None, 1, "its map has another rank")
            self._copy(memory, lanes, n, found.places(tuple(corners[n]), int(targets[n])), found)
            sizes[n] = found.size
        return sizes

    def _copy(
        self,
        memory: Memory,
        lanes: Lanes,
        n: int,
        places: tuple[np.ndarray, np.ndarray, np.ndarray],
        found: TensorMap,
    ) -> None:
        inside, outer, inner = places
        held = f"b{8 * found.element}"
        far, near = (
            replace(site, element=held, dtype=DTYPE[held]) for site in (self.outer, self.inner)
        )
        one = lanes.subset(np.array([n]))  # as often as it has elements to move
        some = one.repeated(int(inside.sum()))
        if not self.to_shared:
            if some.count:
                memory.store(some, far, outer[inside], memory.load(some, near, inner[inside]))
            return
        values = np.zeros(len(inside), DTYPE[held])
        if some.count:
            values[inside] = memory.load(some, far, outer[inside])[0]
        if len(values):
            memory.store(one.repeated(len(values)), near, inner, (values,))
