"""Watch: who reads and writes a piece of memory, and when."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar.model import Instruction
from perflint.sim.launch import Dim3
from perflint.sim.trace import MemoryBatch, Metric, Setting, Tracing
from perflint.sim.violation import thread_index


class UnknownNameError(ValueError):
    """There is nothing of that name to watch; the message says what there is."""


@dataclass(frozen=True)
class Access:
    """One thread's access to what is watched."""

    order: int  #: when, as in `trace`: equal ones ran together
    kind: str  #: `load`, `store`, `atomic`
    instruction: Instruction
    block: Dim3
    thread: Dim3
    offset: int  #: bytes from the start of the allocation, or of the block's shared memory
    size: int
    value: bytes | None  #: what a store writes


class Watch(Tracing):
    """Records reads and writes of bytes [first, first + size) of an allocation.

    `name` is the pointer argument's, a module variable's, or `shared` (of every block); `size` None
    is to its end. `accesses` keeps the first `limit` of them, `reads` and `writes` count all.
    """

    wants_values = True

    def __init__(
        self, name: str, first: int = 0, size: int | None = None, limit: int = 10_000
    ) -> None:
        self.name, self.first, self.size, self.limit = name, first, size, limit
        self.accesses: list[Access] = []
        self.reads = self.writes = 0

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self.accesses = []
        self.reads = self.writes = 0
        known = {a.name: a.region for a in setting.allocations} | {"shared": 0}
        if self.name not in known:
            names = ", ".join(known)
            raise UnknownNameError(f"there is no {self.name!r} to watch; there is {names}")
        self._region = known[self.name]

    def memory(self, batch: MemoryBatch) -> None:
        if (batch.space == "shared") != (self._region == 0) or batch.space == "local":
            return
        end = 1 << 62 if self.size is None else self.first + self.size
        touched = (
            batch.mask
            & (batch.region == self._region)
            & (batch.offset < end)
            & (batch.offset + batch.size > self.first)
        )
        count = int(np.count_nonzero(touched))
        if batch.kind != "store":
            self.reads += count
        if batch.kind != "load":
            self.writes += count
        room = self.limit - len(self.accesses)
        for row, lane in np.argwhere(touched)[: max(0, room)].tolist():
            self.accesses.append(self._access(batch, row, lane))

    def _access(self, batch: MemoryBatch, row: int, lane: int) -> Access:
        setting = self._setting
        return Access(
            order=batch.order,
            kind=batch.kind,
            instruction=setting.instructions[setting.position[batch.pc]],
            block=setting.blocks[int(batch.block[row])],
            thread=thread_index(int(batch.warp[row]) * 32 + lane, setting.launch.block),
            offset=int(batch.offset[row, lane]),
            size=batch.size,
            value=None if batch.values is None else batch.values[row, lane].tobytes(),
        )

    def metrics(self) -> Mapping[str, Metric]:
        return {f"reads of {self.name}": self.reads, f"writes of {self.name}": self.writes}
