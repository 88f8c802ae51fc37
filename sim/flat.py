"""Batches of requests, (n, 32), as flat lists of the lanes that took part."""

from __future__ import annotations

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import Instruction
from perflint.sim.trace import MemoryBatch, Setting


@dataclass(frozen=True, eq=False)
class Flat:
    """The m active lanes of a batch, in the order of its rows."""

    block: np.ndarray  #: (m,) int64
    thread: np.ndarray  #: (m,) int64, number within the block
    offset: np.ndarray  #: (m,) int64


def flat(batch: MemoryBatch) -> Flat:
    """The active lanes of a batch."""
    rows, lanes = np.nonzero(batch.mask)
    return Flat(
        batch.block[rows].astype(np.int64),
        batch.warp[rows].astype(np.int64) * 32 + lanes,
        batch.offset[rows, lanes],
    )


#: What writes shared memory and has no access in the instruction table.
_UNTRACED = (("tcgen05", "alloc"), ("cp", "async", "bulk", "tensor"))


def shared_accesses(setting: Setting) -> tuple[Instruction, ...]:
    """The instructions that may touch shared memory."""
    return tuple(
        each
        for each in setting.instructions
        if any(a.space in ("shared", "generic") for a in table.accesses(each))
    )


def untraced_shared(setting: Setting) -> bool:
    """Whether called functions, `wmma`, copies of tiles, allocations of tensor memory or other
    blocks of a cluster touch shared memory: the trace says nothing of them."""
    return (
        setting.launch.blocks_per_cluster > 1
        or any(
            each.index < 0 or not all(a.size for a in table.accesses(each))
            for each in shared_accesses(setting)
        )
        or any(
            (each.opcode, *each.modifiers[: len(some) - 1]) == some
            for each in setting.instructions
            for some in _UNTRACED
        )
    )


def granule(setting: Setting) -> int:
    """Bytes of the smallest access to shared memory: what state is kept for."""
    sizes = [a.size for i in shared_accesses(setting) for a in table.accesses(i) if a.size]
    return min([*sizes, 4])


class SharedGranules:
    """Indices of the granules of all blocks' shared memory that lanes touch."""

    def __init__(self, setting: Setting) -> None:
        self.granule = granule(setting)
        self.per_block = -(-setting.shared_bytes // self.granule)
        self.total = self.per_block * len(setting.blocks)

    def touched(self, batch: MemoryBatch) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(index, block, thread, lane number among the active ones) for every granule touched.

        Lanes that overrun the window are left out: they are another tracer's matter.
        """
        lanes = flat(batch)
        each = max(1, batch.size // self.granule)
        first = lanes.offset // self.granule
        inside = (lanes.offset >= 0) & (first + each <= self.per_block)
        number = np.arange(len(first))[inside]
        index = (lanes.block * self.per_block + first)[inside]
        block, thread = lanes.block[inside], lanes.thread[inside]
        if each == 1:
            return index, block, thread, number
        index = (index[:, None] + np.arange(each)).reshape(-1)
        return index, np.repeat(block, each), np.repeat(thread, each), np.repeat(number, each)
