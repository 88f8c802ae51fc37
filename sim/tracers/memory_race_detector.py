"""MemoryRaceDetector: threads that share a byte of shared memory without a barrier in between.

After GPU Ocelot's ("GPU Application Development, Debugging, and Performance Tuning with GPU
Ocelot", 7.2), which marks each byte with the last thread that wrote it. Here a byte also knows two
of its readers, and what counts as a race follows PTX's memory consistency model (PTX ISA 8):
volatile, relaxed, acquiring, releasing and atomic accesses do not race with one another; the
threads of a warp are ordered by `bar.warp.sync` as well, and before compute capability 7.0, where
they run in lockstep, by the program. Threads that write the same value do not race: whichever comes
last, memory holds the same.

Where a kernel orders its threads by other means (barriers for some of the warps, mbarriers, fences
with flags), or shares memory in functions that are called, nothing is claimed: `skipped` says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from perflint.grammar import table
from perflint.grammar.model import Instruction
from perflint.sim.flat import SharedGranules, shared_accesses, untraced_shared
from perflint.sim.trace import BarrierBatch, MemoryBatch, Metric, Setting, Tracing
from perflint.sim.violation import Violation, thread_index, who

_STRONG = frozenset(("volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"))


class MemoryRaceDetector(Tracing):
    """Finds races on shared memory among the threads of a block."""

    wants_values = True

    def __init__(self) -> None:
        self.violations: list[Violation] = []  #: one for each pair of instructions
        self.skipped = ""  #: why races were not looked for; "" if they were

    def begin(self, setting: Setting) -> None:
        self.setting = setting
        self.violations = []
        self.skipped = other_order(setting)
        self.lockstep = setting.arch.compute_capability < (7, 0)
        self._strong = {i.index for i in setting.instructions if strong(i)}
        self._pairs: set[tuple[str, int, int]] = set()
        self._memory = SharedGranules(setting)
        size = 0 if self.skipped else self._memory.total
        threads = (len(setting.blocks), setting.warps * 32)
        self._phase = np.zeros(threads, np.int32)  #: barriers that each thread has passed
        self._step = np.zeros(threads, np.int32)  #: and barriers of its warp
        self._writer = _Access(size)
        self._readers = (_Access(size), _Access(size))
        self._value = np.zeros((size, self._memory.granule), np.uint8)
        self._agreed = np.zeros(size, bool)  #: several threads wrote the same there

    def barrier(self, batch: BarrierBatch) -> None:
        self._advance(self._phase, batch)

    def warp_barrier(self, batch: BarrierBatch) -> None:
        self._advance(self._step, batch)

    def _advance(self, counts: np.ndarray, batch: BarrierBatch) -> None:
        rows, lanes = np.nonzero(batch.mask)
        counts[batch.block[rows], batch.warp[rows].astype(np.int64) * 32 + lanes] += 1

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space != "shared" or self.skipped:
            return
        index, block, thread, number = self._memory.touched(batch)
        now = _Now(
            index,
            thread,
            self._phase[block, thread],
            self._step[block, thread],
            batch.pc in self._strong,
            batch.pc,
            block,
        )
        if batch.kind != "store":
            conflict = self._conflict(self._writer, now) & ~self._agreed[index]
            if conflict.any():
                self._report("read", "written", batch, self._writer, now, conflict)
        if batch.kind == "load":
            self._read(now)
        else:
            self._write(batch, now, number)

    def _conflict(self, before: _Access, now: _Now) -> np.ndarray:
        """Lanes whose access an earlier one of another thread is not ordered with, (m,) bool."""
        at = now.index
        thread = before.thread[at]
        out = (thread >= 0) & (thread != now.thread) & (before.phase[at] == now.phase)
        same_warp = (thread >> 5) == (now.thread >> 5)
        if self.lockstep:
            out &= ~same_warp
        else:
            out &= ~same_warp | (before.step[at] == now.step)
        if now.strong:
            out &= ~before.strong[at]
        return np.asarray(out)

    def _read(self, now: _Now) -> None:
        """Remember the last reader, and the one before it where it was another thread."""
        last, earlier = self._readers
        at = now.index
        moves = last.thread[at] != now.thread
        earlier.copy(last, at[moves])
        last.set(now)

    def _write(self, batch: MemoryBatch, now: _Now, number: np.ndarray) -> None:
        values = self._values(batch, number)
        at = now.index
        same = np.zeros(len(at), bool)
        if values is not None:
            same = (self._value[at] == values).all(axis=1)
        clash = self._conflict(self._writer, now)
        wrong = clash & ~same
        if wrong.any():
            self._report("written", "written", batch, self._writer, now, wrong)
        for readers in self._readers:
            wrong = self._conflict(readers, now) & ~same
            if wrong.any():
                self._report("written", "read", batch, readers, now, wrong)
        agreed = clash & same
        self._agreed[at] = agreed
        self._writer.set(now)
        if values is None:
            return
        self._value[at] = values
        winner = self._writer.thread[at]
        lost = winner != now.thread
        if self.lockstep:
            lost &= (winner >> 5) != (now.thread >> 5)
        if not now.strong and lost.any():
            differ = lost & (self._value[at] != values).any(axis=1)
            self._agreed[at[lost]] = True
            if differ.any():
                self._report("written", "written", batch, self._writer, now, differ)

    def _values(self, batch: MemoryBatch, number: np.ndarray) -> np.ndarray | None:
        """The bytes that each granule gets, (m, granule) uint8."""
        if batch.values is None:
            return None
        grain = self._memory.granule
        each = max(1, batch.size // grain)
        rows = batch.values[batch.mask].reshape(-1, each, grain)
        if each == 1:
            return np.asarray(rows[number, 0])
        # `number` holds each lane `each` times, its granules in order
        return np.asarray(rows[number[::each]].reshape(-1, grain))

    def _report(
        self,
        did: str,
        before: str,
        batch: MemoryBatch,
        access: _Access,
        now: _Now,
        conflict: np.ndarray,
    ) -> None:
        where = int(np.flatnonzero(conflict)[0])
        at = int(now.index[where])
        key = (before, int(access.pc[at]), batch.pc)
        if key in self._pairs:
            return
        self._pairs.add(key)
        mine, theirs = int(now.thread[where]), int(access.thread[at])
        shape = self.setting.launch.block
        block = self.setting.blocks[int(now.block[where])]
        thread = thread_index(mine, shape)
        byte = at % self._memory.per_block * self._memory.granule
        between = "__syncwarp()" if mine >> 5 == theirs >> 5 else "__syncthreads()"
        text = (
            f"shared memory race: byte {byte} is {did} by {who(block, thread)}, and was {before} "
            f"by thread {thread_index(theirs, shape)} without a {between} in between,"
        )
        self.violations.append(
            Violation(
                "shared-race",
                text,
                self._instruction(batch.pc),
                self._instruction(int(access.pc[at])),
                block,
                thread,
                byte,
                int(np.count_nonzero(conflict)),
            )
        )

    def _instruction(self, pc: int) -> Instruction | None:
        at = self.setting.position.get(pc)
        return None if at is None else self.setting.instructions[at]

    def metrics(self) -> Mapping[str, Metric]:
        return {"shared memory races": f"not looked for: {self.skipped}"
                if self.skipped else len(self.violations)}  # fmt: skip


class _Now:
    """The accesses of one batch by granule."""

    def __init__(
        self,
        index: np.ndarray,
        thread: np.ndarray,
        phase: np.ndarray,
        step: np.ndarray,
        strong: bool,
        pc: int,
        block: np.ndarray,
    ) -> None:
        self.index, self.thread, self.phase, self.step = index, thread, phase, step
        self.strong, self.pc, self.block = strong, pc, block


class _Access:
    """An access that each granule remembers: by whom, and when."""

    def __init__(self, size: int) -> None:
        self.thread = np.full(size, -1, np.int16)
        self.phase = np.zeros(size, np.int32)
        self.step = np.zeros(size, np.int32)
        self.strong = np.zeros(size, bool)
        self.pc = np.zeros(size, np.int32)

    def set(self, now: _Now) -> None:
        at = now.index
        self.thread[at], self.phase[at], self.step[at] = now.thread, now.phase, now.step
        self.strong[at], self.pc[at] = now.strong, now.pc

    def copy(self, other: _Access, at: np.ndarray) -> None:
        for name in ("thread", "phase", "step", "strong", "pc"):
            getattr(self, name)[at] = getattr(other, name)[at]


def strong(instruction: Instruction) -> bool:
    """Whether an access is a strong operation, which does not race with others of its kind."""
    return instruction.opcode in ("atom", "red") or not _STRONG.isdisjoint(instruction.modifiers)


def other_order(setting: Setting) -> str:
    """How a kernel orders its threads besides full barriers; "" if it does not."""
    if setting.launch.blocks_per_cluster > 1:
        return "blocks of a cluster share their memory"
    if untraced_shared(setting):
        return "called functions use shared memory"
    flags = False
    fences = False
    for each in setting.instructions:
        modifiers = each.modifiers
        if each.opcode == "mbarrier" or "mbarrier" in modifiers:
            return "the kernel uses mbarriers"
        some = "arrive" in modifiers or "cluster" in modifiers or _partial(each)
        if each.opcode in ("bar", "barrier") and "warp" not in modifiers and some:
            return "the kernel has barriers for some of its warps"
        fences = fences or each.opcode in ("fence", "membar")
        flags = flags or (strong(each) and bool(table.accesses(each)))
    if fences and flags and shared_accesses(setting):
        return "the kernel orders its threads by fences and flags"
    return ""


def _partial(instruction: Instruction) -> bool:
    """`bar.sync a, b`: for b threads only. `bar.red` has its predicate behind them."""
    operands: tuple[Any, ...] = instruction.operands
    if "red" in instruction.modifiers:
        operands = operands[1:-1]
    return len(operands) > 1
