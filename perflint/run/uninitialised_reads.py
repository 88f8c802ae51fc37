"""UninitialisedReads: uses of memory that neither the host nor a kernel has written.

The program marks what the host writes (`native/memory.c`); here the kernels' stores are marked, and
loads looked at. A lane errs that reads only such bytes: padding in a vector is no error. What is
only copied (`plain_copies`) is no use: the copy is as unknown as what it was made of, in shared
memory too, and whoever uses the copy errs.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.run.memory import HostRegion, Regions
from perflint.run.plain_copies import Part, copied_parts
from perflint.sim.flat import untraced_shared
from perflint.sim.trace import MemoryBatch, Setting, Tracing
from perflint.sim.unique_values import unique_values
from perflint.sim.violation import Violation, thread_index, who

#: What the table of known bytes says: nobody wrote it, it is known, or a copy of what is not.
_UNWRITTEN, _KNOWN, _COPIED = 0, 1, 2
#: Bytes of what lanes carry from one load to its stores; beyond, the load counts as a use.
_MOST_CARRIED = 64 << 20


class UninitialisedReads(Tracing):
    """Finds uses of device memory that nobody wrote."""

    def __init__(self, regions: Regions) -> None:
        self._regions = regions
        self.violations: list[Violation] = []  #: one for each instruction

    def begin(self, setting: Setting) -> None:
        self.setting = setting
        self.violations = []
        self._seen: set[int] = set()
        self._names = {a.region: a.name for a in setting.allocations}
        self._parts = _copies(setting)
        #: of each load that only copies: which bytes lanes have of unknown memory, since some had
        self._carried: dict[int, np.ndarray] = {}
        #: of each block that has any: which bytes of its shared memory are copies of unknown ones
        self._shared: dict[int, np.ndarray] = {}

    def memory(self, batch: MemoryBatch) -> None:
        if batch.space == "global":
            for number in unique_values(batch.region[batch.mask]).tolist():
                region = self._regions.get(number)
                if isinstance(region, HostRegion) and number in self._names:
                    known = self._regions.memory.known(region.host, region.size or 0)
                    chosen = batch.mask & (batch.region == number)
                    hosts = self._regions.memory.is_shared_with_host(number)
                    self._looked_at(batch, known, chosen, f"`{self._names[number]}`", hosts)
        elif batch.space == "shared" and (self._shared or self._brings(batch)):
            for block in unique_values(batch.block).tolist():
                size = self.setting.shared_bytes
                known = self._shared.setdefault(block, np.ones(size, np.uint8))
                chosen = batch.mask & (batch.block == block)[:, None]
                self._looked_at(batch, known, chosen, "shared memory")

    def _looked_at(
        self,
        batch: MemoryBatch,
        known: np.ndarray,
        chosen: np.ndarray,
        what: str,
        shared_with_host: bool = False,
    ) -> None:
        """Loads are looked at, stores marked; the host may write what it shares at any time."""
        chosen = chosen & (batch.offset >= 0) & (batch.offset + batch.size <= len(known))
        at = batch.offset[chosen][:, None] + np.arange(batch.size)
        if batch.kind != "store":
            of = known[at]
            if batch.kind == "load" and self._is_copied(batch.pc):
                self._carry(batch, chosen, of != _KNOWN)
            elif batch.pc not in self._seen:
                wrong = ~(of == _KNOWN).any(axis=1)
                if wrong.any():
                    copied = bool((of[wrong] == _COPIED).any())
                    self._report(batch, what, np.argwhere(chosen)[wrong], copied)
        if batch.kind != "load":
            known[at] = _KNOWN
            if not shared_with_host and self._brings(batch):
                known[at[self._unknown(batch, chosen)]] = _COPIED

    # --- copies ----------------------------------------------------------------------------------

    def _is_copied(self, pc: int) -> bool:
        threads = len(self.setting.blocks) * self.setting.warps * 32
        return pc in self._parts and threads * 16 <= _MOST_CARRIED

    def _brings(self, batch: MemoryBatch) -> bool:
        """Whether a store may write copies of what is unknown."""
        parts = self._parts.get(batch.pc, ()) if batch.kind == "store" else ()
        return any(part.load in self._carried for part in parts)

    def _rows(self, batch: MemoryBatch) -> np.ndarray:
        """A number for each warp of the launch."""
        return np.asarray(batch.block.astype(np.int64) * self.setting.warps + batch.warp)

    def _carry(self, batch: MemoryBatch, chosen: np.ndarray, unknown: np.ndarray) -> None:
        """Keep which bytes of what the lanes have now loaded are unknown."""
        if batch.pc not in self._carried:
            if not unknown.any():
                return
            warps = len(self.setting.blocks) * self.setting.warps
            self._carried[batch.pc] = np.zeros((warps, 32, batch.size), bool)
        row, lane = np.nonzero(chosen)
        self._carried[batch.pc][self._rows(batch)[row], lane] = unknown

    def _unknown(self, batch: MemoryBatch, chosen: np.ndarray) -> np.ndarray:
        """Which bytes that the chosen lanes store are copies of unknown ones."""
        out = np.zeros((int(np.count_nonzero(chosen)), batch.size), bool)
        for part in self._parts[batch.pc]:
            carried = self._carried.get(part.load)
            if carried is not None:
                row, lane = np.nonzero(chosen)
                bytes_ = carried[self._rows(batch)[row], lane]
                moved = bytes_[:, part.source : part.source + part.size]
                out[:, part.target : part.target + part.size] = moved
        return out

    # --- errors ----------------------------------------------------------------------------------

    def _report(self, batch: MemoryBatch, what: str, lanes: np.ndarray, copied: bool) -> None:
        self._seen.add(batch.pc)
        row, lane = lanes[0].tolist()
        block = self.setting.blocks[int(batch.block[row])]
        thread = thread_index(int(batch.warp[row]) * 32 + lane, self.setting.launch.block)
        offset = int(batch.offset[row, lane])
        others = f", and {len(lanes) - 1} more threads" if len(lanes) > 1 else ""
        position = self.setting.position.get(batch.pc)
        instruction = None if position is None else self.setting.instructions[position]
        why = "a copy of what nobody has written" if copied else "which nobody has written"
        text = (
            f"{batch.kind} of {batch.size} bytes at byte {offset} of {what}, "
            f"{why}; {who(block, thread)}{others}"
        )
        self.violations.append(
            Violation(
                "uninitialised-read", text, instruction, None, block, thread, offset, len(lanes)
            )
        )


def _copies(setting: Setting) -> Mapping[int, tuple[Part, ...]]:
    """What only copies; nothing where stores to shared memory are not all seen."""
    return {} if untraced_shared(setting) else copied_parts(setting.instructions)
