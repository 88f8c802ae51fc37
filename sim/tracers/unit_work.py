"""UnitWork: what each unit of a multiprocessor has to do for a launch, by block.

For floors (`perflint.sim.floors`). Of each memory instruction it also keeps what its requests take
of the L1 and of shared memory, and what they would take at best: packed lines, no conflict.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

import numpy as np

from perflint.sim import banks, coalescing
from perflint.sim.affine_trace import moved
from perflint.sim.floors import COUNTS, LINE, counted_as
from perflint.sim.requests import distinct
from perflint.sim.trace import InstructionBatch, MemoryBatch, Setting, Tracing, Turn
from perflint.sim.tracers.memory import apart

_AT = {name: number for number, name in enumerate(COUNTS)}
_STAGES = ("tags", "data", "shared")
#: Bytes by which a request may move without another cost: lines, and all banks.
_PERIOD = {"global": 2 * LINE, "shared": 256}


class UnitWork(Tracing):
    """Counts what bounds a launch from below."""

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._runs: dict[tuple[int, int], np.ndarray] = {}
        rates = setting.arch.rates
        self._tags = rates["tags"].value if "tags" in rates else 1
        #: (blocks, len(COUNTS)) int64
        self.counts = np.zeros((len(setting.blocks), len(COUNTS)), np.int64)
        #: by pc: cycles of tags, data and wavefronts, (2, 3) int64: as they are, and at best
        self.stages: dict[int, np.ndarray] = {}
        #: by position in `Setting.instructions`, what it adds to `counts` of all blocks
        self.by_position: dict[int, np.ndarray] = {}

    def instructions(self, batch: InstructionBatch, times: int = 1) -> None:
        found = times * np.bincount(batch.block, minlength=len(self.counts))
        known = self._runs.get((batch.first, batch.last))
        self._runs[batch.first, batch.last] = found if known is None else known + found

    def memory(self, batch: MemoryBatch, times: int = 1) -> None:
        if batch.space not in _PERIOD:
            return
        self._add("lsu", batch, np.ones(len(batch.block), np.int64), times)
        if batch.kind == "atomic":
            return  # how long one takes is not the L1's affair
        measured, best = self._stages(batch)
        sums = self.stages.setdefault(batch.pc, np.zeros((2, len(_STAGES)), np.int64))
        sums += times * np.stack([measured.sum(axis=1), best.sum(axis=1)])
        for name, found in zip(_STAGES, measured, strict=True):
            if found.any():
                self._add(name, batch, found, times)

    def repeat(self, turn: Turn, times: int) -> None:
        for run in turn.instructions:
            self.instructions(run, times)
        for batch in turn.memory:
            if batch.space not in _PERIOD:
                continue
            step, period = turn.steps[batch.pc], _PERIOD[batch.space]
            period //= gcd(step, period)  # after so many turns requests lie as they did before
            for first in range(1, min(period, times) + 1):
                self.memory(moved(batch, first * step), (times - first) // period + 1)

    def _add(self, name: str, batch: MemoryBatch, found: np.ndarray, times: int) -> None:
        """Add `found` of each request, (n,), to its block's count and its instruction's."""
        sums = times * np.bincount(batch.block, found, minlength=len(self.counts)).astype(np.int64)
        self.counts[:, _AT[name]] += sums
        self._own(self._setting.position.get(batch.pc, -1))[_AT[name]] += int(sums.sum())

    def _own(self, position: int) -> np.ndarray:
        return self.by_position.setdefault(position, np.zeros(len(COUNTS), np.int64))

    def _stages(self, batch: MemoryBatch) -> tuple[np.ndarray, np.ndarray]:
        """Cycles of each request, (3, n) int64 each: as they are, and at best."""
        offset = apart(batch) if batch.space == "global" else batch.offset
        some, which = distinct(batch.mask, offset, _PERIOD[batch.space])
        mask, offset = batch.mask[some], offset[some]
        none = np.zeros(len(mask), np.int64)
        if batch.space == "shared":
            waves = banks.wavefronts(mask, offset, batch.size, self._setting.arch.shared_rule)
            measured, best = (none, none, waves.measured), (none, none, waves.golden)
        else:
            tags = -(-coalescing.lines(mask, offset, batch.size) // self._tags)
            pieces = coalescing.distinct_granules(mask, offset, batch.size, batch.size)
            data = -(-pieces * batch.size // LINE)
            packed = -(-np.count_nonzero(mask, axis=1) * batch.size // LINE)
            measured = (tags, data, none)
            best = (np.minimum(tags, -(-packed // self._tags)), np.minimum(data, packed), none)
        return np.stack(measured)[:, which], np.stack(best)[:, which]

    def finish(self) -> None:
        instructions = self._setting.instructions
        sums = np.zeros((len(instructions) + 1, len(self.counts)), np.int64)
        for (first, last), found in self._runs.items():
            sums[first:last] += found
        for position, instruction in enumerate(instructions):
            name = counted_as(instruction)
            if name and sums[position].any():
                self.counts[:, _AT[name]] += sums[position]
                self._own(position)[_AT[name]] += int(sums[position].sum())

    def at_best(self, pcs: Iterable[int]) -> np.ndarray:
        """The counts of all blocks together, (len(COUNTS),), were these accesses ideal."""
        total = self.counts.sum(axis=0)
        for pc in pcs:
            if pc in self.stages:
                measured, best = self.stages[pc]
                total[[_AT[name] for name in _STAGES]] -= measured - best
        return total
