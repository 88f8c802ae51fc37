"""Exchange: which bytes the threads of a block hand to each other, and over which barriers.

A barrier orders an access of one thread before it and an access of another thread after it, if both
touch the same byte and one of them writes. Where no such pair exists, the barrier orders nothing.
A byte that a single thread of its block ever touches is that thread's own.

Where threads are ordered by other means than full barriers, or too much is accessed to be kept,
nothing is claimed: `skipped` says why.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.sim.flat import flat
from perflint.sim.trace import BarrierBatch, MemoryBatch, Setting, Tracing
from perflint.sim.tracers.memory_race_detector import other_order
from perflint.sim.unique_values import unique_values

#: Pieces of accesses that are kept of one run before equal ones are put together; each takes 24
#: bytes. Half as many different ones may stay.
MOST = 1_000_000
_REGION = 40  #: a region's offsets are below 2^40, and so are the barriers that a thread passes


@dataclass(frozen=True, eq=False)
class _Log:
    """A block's different accesses by piece, in the order of address and phase; each (m,) int64."""

    address: np.ndarray
    phase: np.ndarray  #: barriers that the thread had passed
    thread: np.ndarray
    write: np.ndarray  #: bool
    pc: np.ndarray


@dataclass(frozen=True)
class Own:
    """What the accesses of some instructions have of their own."""

    own: bool  #: no other thread of the block ever touches a byte that they touch
    threads: int  #: that make them, in the block where the fewest do
    bytes: int  #: the most that a thread touches by them


class Exchange(Tracing):
    """Keeps who accesses what between which barriers."""

    def begin(self, setting: Setting) -> None:
        self.setting = setting
        self.skipped = other_order(setting)
        sizes = [a.size for i in setting.instructions for a in table.accesses(i) if a.size]
        self._piece = min([*sizes, 4])
        self._phase = np.zeros((len(setting.blocks), setting.warps * 32), np.int64)
        self._parts: list[tuple[np.ndarray, ...]] = []
        self._count = 0
        self._barriers: list[tuple[np.ndarray, np.ndarray, int]] = []
        self._logs: dict[int, _Log] = {}  #: by block, of those that were asked about
        #: by barrier (pc): how often a block came to it
        self.passed: dict[int, int] = {}
        self.came: dict[int, int] = {}  #: … and how many blocks came to it at all

    def memory(self, batch: MemoryBatch) -> None:
        if self.skipped or batch.space not in ("shared", "global"):
            return
        if self._count > MOST:
            self._parts = [_distinct(self._parts)]
            self._count = len(self._parts[0][0])
            if self._count > MOST // 2:
                self.skipped = "there are too many accesses"
                self._parts.clear()
                return
        lanes = flat(batch)
        block, address = lanes.block, lanes.offset // self._piece
        if batch.space != "shared":
            address += (batch.region[batch.mask].astype(np.int64) + 1) << _REGION
        # a block has 1,024 threads, a kernel fewer than a million instructions
        who = ((self._phase[block, lanes.thread] << 10) + lanes.thread << 21) + (
            ((batch.kind != "load") << 20) + batch.pc
        )
        each = batch.size // self._piece
        if each > 1:
            address = (address[:, None] + np.arange(each)).reshape(-1)
            block, who = np.repeat(block, each), np.repeat(who, each)
        self._count += len(address)
        self._parts.append((block, address, who))

    def barrier(self, batch: BarrierBatch) -> None:
        rows, lanes = np.nonzero(batch.mask)
        block = batch.block[rows]
        thread = batch.warp[rows].astype(np.int64) * 32 + lanes
        places = (block.astype(np.int64) << _REGION) + self._phase[block, thread]
        new = np.ones(len(places), bool)
        np.not_equal(places[1:], places[:-1], out=new[1:])
        boundary = unique_values(places[new])  # few: the threads of a block stand together
        self._barriers.append((boundary >> _REGION, boundary & ((1 << _REGION) - 1), batch.pc))
        self._phase[block, thread] += 1

    def finish(self) -> None:
        seen: dict[int, set[tuple[int, int]]] = {}
        for blocks, phases, at in self._barriers:
            places = zip(blocks.tolist(), phases.tolist(), strict=True)
            seen.setdefault(at, set()).update(places)
        self.passed = {pc: len(places) for pc, places in seen.items()}
        self.came = {pc: len({block for block, _ in places}) for pc, places in seen.items()}

    def _log(self, block: int) -> _Log:
        """What a block accessed: put in order when it is asked for, which most runs' are not."""
        if block not in self._logs:
            if len(self._parts) > 1:
                self._parts = [tuple(map(np.concatenate, zip(*self._parts, strict=True)))]
            mine = [column[self._parts[0][0] == block] for column in self._parts[0]]
            _, address, who = _distinct([tuple(mine)])
            thread, pc = who >> 21 & 1023, who & ((1 << 20) - 1)
            self._logs[block] = _Log(address, who >> 31, thread, (who >> 20 & 1).astype(bool), pc)
        return self._logs[block]

    def _blocks(self) -> range:
        """The blocks of which anything is known."""
        return range(len(self.setting.blocks) if self._parts else 0)

    def orders(self, barriers: Collection[int], apart: int = 1) -> bool:
        """Whether some barriers, all of them left out together, would be missed.

        With `apart=32`, only accesses of different warps count. Accesses on both sides of a
        boundary that other barriers make as well stay ordered.
        """
        if self.skipped:
            return True
        kept = self._kept(set(barriers))
        return any(_orders(self._log(block), kept[block], apart) for block in self._blocks())

    def _kept(self, left_out: set[int]) -> np.ndarray:
        """By block and phase: how many boundaries before it remain."""
        last = int(self._phase.max(initial=0)) + 1
        remains = np.zeros((len(self._phase), last + 1), np.int64)
        for block, phase, pc in self._barriers:
            if pc not in left_out:
                remains[block, phase + 1] = 1
        return np.cumsum(remains, axis=1)

    def own(self, pcs: Collection[int]) -> Own | None:
        """What the shared or global bytes that some instructions touch are to their threads.

        None where nothing is known, or where they never ran.
        """
        if self.skipped:
            return None
        wanted = list(pcs)
        found = [own for block in self._blocks() if (own := _own(self._log(block), wanted))]
        if not found:
            return None
        return Own(
            all(each.own for each in found),
            min(each.threads for each in found),
            max(each.bytes for each in found) * self._piece,
        )


def _orders(log: _Log, kept: np.ndarray, apart: int) -> bool:
    """Whether a block's accesses want more order than the boundaries that are kept give them.

    `kept` is how many of these lie before each phase.
    """
    if not len(log.address):
        return False
    merged = kept[np.minimum(log.phase, len(kept) - 1)]
    begins = np.ones(len(merged), bool)
    begins[1:] = (log.address[1:] != log.address[:-1]) | (merged[1:] != merged[:-1])
    starts = np.flatnonzero(begins)
    who = log.thread // apart
    several = np.minimum.reduceat(who, starts) != np.maximum.reduceat(who, starts)
    across = np.minimum.reduceat(log.phase, starts) != np.maximum.reduceat(log.phase, starts)
    return bool((several & across & np.logical_or.reduceat(log.write, starts)).any())


def _own(log: _Log, pcs: Sequence[int]) -> Own | None:
    """What some instructions of a block have of their own, in pieces instead of bytes."""
    mine = np.isin(log.pc, pcs)
    if not mine.any():
        return None
    begins = np.ones(len(log.address), bool)
    begins[1:] = log.address[1:] != log.address[:-1]
    starts = np.flatnonzero(begins)
    single = np.minimum.reduceat(log.thread, starts) == np.maximum.reduceat(log.thread, starts)
    number = np.cumsum(begins) - 1
    touched = unique_values((log.thread[mine] << 32) + number[mine])
    _, pieces = np.unique(touched >> 32, return_counts=True)
    return Own(bool(single[number[mine]].all()), len(pieces), int(pieces.max()))


def _distinct(parts: Sequence[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """The different rows of some parts, in the order of their columns."""
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    if not len(columns[0]):
        return tuple(columns)
    order = np.lexsort(_sortable(*columns))
    block, address, who = (column[order] for column in columns)
    new = np.ones(len(order), bool)
    new[1:] = (who[1:] != who[:-1]) | (address[1:] != address[:-1]) | (block[1:] != block[:-1])
    return block[new], address[new], who[new]


def _sortable(block: np.ndarray, address: np.ndarray, who: np.ndarray) -> tuple[np.ndarray, ...]:
    """The columns as `lexsort` takes them, the first two as one where they fit: that is faster."""
    first = int(address.min())
    span = int(address.max()) - first + 1
    if (int(block.max()) + 1) * span < 1 << 63:
        return who, block * span + (address - first)
    return who, address, block
