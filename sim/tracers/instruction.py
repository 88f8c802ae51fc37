"""Instruction: static and dynamic instructions, by class.

Classes are those of the CUDA C++ Programming Guide's table of arithmetic throughput, with memory,
control and synchronisation beside them; `f64` is all arithmetic, conversion and comparison of
64-bit floats. Dynamic counts are of warps (an instruction once for a warp, however many threads are
active) and of threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from perflint.grammar import model as ptx
from perflint.grammar import table
from perflint.sim.program import Program
from perflint.sim.trace import InstructionBatch, Metric, Setting, Tracing, Turn

_FLOATING = frozenset(
    ("integer", "half", "single", "double", "division", "special", "conversion", "compare")
)
_NAMES = {"half": "f16", "single": "f32", "double": "f64"}


class Instruction(Tracing):
    """Counts instructions."""

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._blocks: dict[tuple[int, int], list[int]] = {}
        self._classes = _classes(setting.program)
        self.static = Counter(self._classes)
        self.warp: Counter[str] = Counter()  #: executed by warps, by class; once finished
        self.thread: Counter[str] = Counter()  #: executed by threads
        self._by_position: dict[int, tuple[int, int]] = {}
        #: by the kernel's own instructions (pc): executed by warps, by threads
        self.executed: dict[int, tuple[int, int]] = {}

    def instructions(self, batch: InstructionBatch, times: int = 1) -> None:
        sums = self._blocks.setdefault((batch.first, batch.last), [0, 0])
        sums[0] += times * batch.lanes.rows
        sums[1] += times * batch.lanes.count

    def repeat(self, turn: Turn, times: int) -> None:
        for batch in turn.instructions:
            self.instructions(batch, times)

    def finish(self) -> None:
        size = len(self._setting.instructions)
        sums = np.zeros((size + 1, 2), np.int64)
        for (first, last), found in self._blocks.items():
            sums[first:last] += found
        for at in np.flatnonzero(sums[:, 0]).tolist():
            warps, threads = (int(n) for n in sums[at])
            self._by_position[at] = warps, threads
            instruction = self._setting.instructions[at]
            if instruction.index >= 0:
                self.executed[instruction.index] = warps, threads
            name = self._classes[at]
            self.warp[name] += warps
            self.thread[name] += threads

    def metrics(self) -> Mapping[str, Metric]:
        out: dict[str, Metric] = {
            "static instructions": self.static.total(),
            "warp instructions": self.warp.total(),
            "thread instructions": self.thread.total(),
        }
        for name, count in sorted(self.thread.items(), key=lambda item: (-item[1], item[0])):
            out[f"thread instructions, {name}"] = count
        return out

    def sums(self) -> Mapping[int, Mapping[str, int]]:
        return {
            at: {"warp_instructions": warps, "thread_instructions": threads}
            for at, (warps, threads) in self._by_position.items()
        }


@lru_cache(maxsize=32)
def _classes(program: Program) -> tuple[str, ...]:
    """The class of each of a program's instructions."""
    return tuple(map(class_of, program.kernel.instructions))


def class_of(instruction: ptx.Instruction) -> str:
    """The class that an instruction is counted in."""
    cost = table.cost(instruction)
    if cost in _FLOATING and "f64" in table.types(instruction):
        return "f64"
    return _NAMES.get(cost, cost)
