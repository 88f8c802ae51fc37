"""BarrierChecker: all threads of a block reach its barriers.

Since compute capability 7.0 a barrier waits for the threads that have not left the kernel (CUDA
C++ Programming Guide, "Synchronization Functions"); before, all had to come. On both, the threads
of a warp must come to one and the same `bar.sync` (PTX ISA 9.7.13.1: `.aligned`), and threads that
wait at different barriers wait for ever. Warps that meet at one barrier from different
`__syncthreads()` go on, but undefined: it may stand only where the whole block comes to it
(Programming Guide, the same place). Those are told apart by their source lines, as a compiler may
copy one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.grammar.model import Immediate, Instruction
from perflint.sim.launch import Stop
from perflint.sim.trace import BarrierBatch, Metric, Setting, Tracing
from perflint.sim.violation import Violation, thread_index, who


class BarrierChecker(Tracing):
    """Finds barriers that not all threads of a block reach."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []

    def begin(self, setting: Setting) -> None:
        self.setting = setting
        self.violations = []
        self.passed = 0  #: arrivals of warps
        shape = (len(setting.blocks), setting.warps * 32)
        self._phase = np.zeros(shape, np.int64)  #: barriers that each thread came to
        self._last = np.full(shape, -1, np.int64)  #: the last one's pc
        self._arrivals: dict[int, np.ndarray] = {}  #: by pc, threads of each block
        self._aligned = {i.index for i in setting.instructions if _aligned(i)}
        self._places = {i.index: _source(i) for i in setting.instructions if _of_all(i)}
        self._common = np.zeros(shape, np.int64)  #: barriers of the whole block, of each thread
        self._turn = np.zeros(len(setting.blocks), np.int64)  #: the latest of each block
        self._first = np.full((len(setting.blocks), 2), -1, np.int64)  #: its first pc, and warp

    def barrier(self, batch: BarrierBatch) -> None:
        self.passed += len(batch.warp)
        lanes = batch.warp[:, None].astype(np.int64) * 32 + np.arange(32)
        block = batch.block[:, None].astype(np.int64) + np.zeros(32, np.int64)
        at = block[batch.mask], lanes[batch.mask]
        self._phase[at] += 1
        self._last[at] = batch.pc
        counts = self._arrivals.setdefault(batch.pc, np.zeros(len(self.setting.blocks), np.int64))
        np.add.at(counts, at[0], 1)
        if batch.pc in self._aligned and not batch.mask.all():
            self._same_for_warp(batch)
        if batch.pc in self._places:
            self._common[at] += 1
            self._same_for_block(batch)

    def _same_for_block(self, batch: BarrierBatch) -> None:
        """Warps that meet at the barrier of their block, from different places in the source."""
        start = batch.warp[:, None].astype(np.int64) * 32 + np.arange(32)
        reached = self._common[batch.block[:, None], start]
        turn = np.where(batch.mask, reached, 0).max(axis=1)
        first = turn > self._turn[batch.block]
        blocks = batch.block[first]
        self._turn[blocks] = turn[first]
        self._first[blocks, 0], self._first[blocks, 1] = batch.pc, batch.warp[first]
        late = np.flatnonzero(~first & (turn == self._turn[batch.block]))
        other = self._first[batch.block[late], 0]
        here = self._places[batch.pc]
        apart = [
            k
            for k, pc in zip(late.tolist(), other.tolist(), strict=True)
            if here and self._places[pc] and self._places[pc] != here
        ]
        if not apart or any(v.kind == "divergent-barrier" for v in self.violations):
            return
        row = apart[0]
        block = int(batch.block[row])
        pc, warp = self._first[block].tolist()
        text = (
            f"the warps of block {self.setting.blocks[block]} meet at different barriers, which "
            "only a whole block may come to: "
            f"warp {int(batch.warp[row])} waits at this one, and warp {warp} at the one"
        )
        self.violations.append(
            Violation(
                "divergent-barrier",
                text,
                self._instruction(batch.pc),
                self._instruction(pc),
                self.setting.blocks[block],
            )
        )

    def _same_for_warp(self, batch: BarrierBatch) -> None:
        """Lanes of one warp in one phase, at different aligned barriers."""
        start = batch.warp[:, None].astype(np.int64) * 32 + np.arange(32)
        phase = self._phase[batch.block[:, None], start]
        last = self._last[batch.block[:, None], start]
        mine = np.where(batch.mask, phase, -1).max(axis=1, keepdims=True)
        other = ~batch.mask & (phase == mine) & (last != batch.pc) & (last >= 0)
        if not other.any() or any(v.kind == "divergent-barrier" for v in self.violations):
            return
        row, lane = (int(n[0]) for n in np.nonzero(other))
        block = self.setting.blocks[int(batch.block[row])]
        thread = thread_index(int(batch.warp[row]) * 32 + lane, self.setting.launch.block)
        text = (
            f"the threads of warp {int(batch.warp[row])} of block {block} come to different "
            f"barriers: {int(np.count_nonzero(batch.mask[row]))} to this one, and thread {thread} "
            "to another"
        )
        self.violations.append(
            Violation(
                "divergent-barrier",
                text,
                self._instruction(batch.pc),
                self._instruction(int(last[row, lane])),
                block,
                thread,
            )
        )

    def finish(self) -> None:
        if self.setting.arch.compute_capability >= (7, 0) or self.violations:
            return
        for pc, counts in self._arrivals.items():
            missing = counts % self.setting.threads
            if pc in self._aligned and missing.any():
                at = int(np.flatnonzero(missing)[0])
                text = (
                    f"{int(missing[at])} of the {self.setting.threads} threads of block "
                    f"{self.setting.blocks[at]} come to this barrier; the others have left the "
                    f"kernel, which {self.setting.arch.name} does not allow"
                )
                self.violations.append(
                    Violation(
                        "divergent-barrier",
                        text,
                        self._instruction(pc),
                        block=self.setting.blocks[at],
                    )
                )
                return

    def deadlock(self, stop: Stop) -> Violation:
        """What a run that ended in a deadlock was waiting for."""
        if stop.other is not None:
            barrier, reads = self._instruction(stop.other), self._instruction(stop.pc or 0)
            text = f"deadlock: at this barrier {stop.detail},"
            return Violation("deadlock", text, barrier, reads)
        threads = self.setting.threads
        real = self._last[:, :threads]
        apart = np.flatnonzero((real != real[:, :1]).any(axis=1))
        at = int(apart[0]) if len(apart) else 0
        block = self.setting.blocks[at]
        places, counts = np.unique(real[at], return_counts=True)
        order = [int(p) for p in places[np.argsort(-counts, kind="stable")].tolist() if p >= 0]
        first = order[0] if order else stop.pc
        here = int(np.count_nonzero(real[at] == first)) if order else 0
        text = (
            f"deadlock: {here} of the {threads} threads of block {block} wait at this barrier, "
            "which the others never reach"
        )
        other = None
        if len(order) > 1:
            late = int(np.flatnonzero(real[at] == order[1])[0])
            text += f"; {who(block, thread_index(late, self.setting.launch.block))} waits"
            other = self._instruction(order[1])
        instruction = None if first is None else self._instruction(first)
        return Violation("deadlock", text, instruction, other, block)

    def _instruction(self, pc: int) -> Instruction | None:
        at = self.setting.position.get(pc)
        return None if at is None else self.setting.instructions[at]

    def metrics(self) -> Mapping[str, Metric]:
        return {"barrier arrivals of warps": self.passed, "barrier errors": len(self.violations)}


def _aligned(instruction: Instruction) -> bool:
    """`bar` and `barrier.aligned`: for whole warps."""
    return instruction.opcode == "bar" or (
        instruction.opcode == "barrier" and "aligned" in instruction.modifiers
    )


def _of_all(instruction: Instruction) -> bool:
    """`__syncthreads()` and its like: barrier 0, for all threads of the block."""
    if not _aligned(instruction) or "sync" not in instruction.modifiers:
        return False
    operands = instruction.operands
    return len(operands) == 1 and isinstance(operands[0], Immediate) and operands[0].value == 0


def _source(instruction: Instruction) -> tuple[tuple[str, int], ...]:
    """The lines that an instruction comes from, innermost first; none without -lineinfo."""
    at = instruction.location
    return () if at is None else tuple((each.file, each.line) for each in at.chain())
