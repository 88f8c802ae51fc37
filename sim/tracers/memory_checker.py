"""MemoryChecker: every access maps to an allocation, is aligned, and reads what was written.

After GPU Ocelot's (Kerr, Diamos, Yalamanchili, "GPU Application Development, Debugging, and
Performance Tuning with GPU Ocelot", 7.2). Checked are accesses to global, constant, shared and
local memory, also those through generic addresses; vector accesses must be aligned to all their
bytes (PTX ISA 9.7.9.8, `ld`). Accesses of called functions that were not inlined are not seen.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.grammar.model import Instruction
from perflint.sim.flat import SharedGranules, untraced_shared
from perflint.sim.memory import REGION_SHIFT, WILD, base_address
from perflint.sim.trace import Allocation, MemoryBatch, Metric, Setting, Tracing
from perflint.sim.unique_values import unique_values
from perflint.sim.violation import Violation, thread_index, who

#: Where the first allocation is said to lie; the others follow, aligned as cudaMalloc aligns.
FIRST_ADDRESS = 0x7F0000000000
ALIGNMENT = 256


class MemoryChecker(Tracing):
    """Finds accesses outside every allocation, misaligned ones, and uninitialised shared reads."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []  #: one for each kind and instruction

    def begin(self, setting: Setting) -> None:
        self.setting = setting
        self.violations = []
        self.checked = 0  #: lanes
        self._known = {a.region: a for a in setting.allocations}
        self.addresses = placed(setting.allocations)
        self._seen: set[tuple[str, int]] = set()
        self._latest: tuple[str, MemoryBatch, np.ndarray] | None = None
        self._shared = None if untraced_shared(setting) else SharedGranules(setting)
        self._written = np.zeros(self._shared.total if self._shared else 0, bool)

    def memory(self, batch: MemoryBatch) -> None:
        self.checked += int(np.count_nonzero(batch.mask))
        self._bounds(batch)
        uneven = batch.mask & ((batch.offset & (batch.size - 1)) != 0)
        if uneven.any():
            self._report("misaligned", batch, uneven)
        if batch.space == "shared" and self._shared is not None:
            self._initialised(batch)

    def _bounds(self, batch: MemoryBatch) -> None:
        end = batch.offset + batch.size
        if batch.space == "shared":
            wrong = (batch.offset < 0) | (end > self.setting.shared_bytes)
        elif batch.space == "local":
            wrong = (batch.offset < 0) | (end > self.setting.local_bytes)
        else:
            limit = np.full(batch.region.shape, -1, np.int64)
            for number in unique_values(batch.region[batch.mask]).tolist():
                known = self._known.get(number)
                if known is not None:
                    most = np.iinfo(np.int64).max if known.size is None else known.size
                    limit[batch.region == number] = most
            wrong = (end > limit) | (batch.offset < 0)
        wrong = wrong & batch.mask
        if wrong.any():
            self._report("out-of-bounds", batch, wrong)

    def _initialised(self, batch: MemoryBatch) -> None:
        """A lane that reads only bytes that nobody wrote. Padding in a vector is no error."""
        assert self._shared is not None
        index, _, _, number = self._shared.touched(batch)
        if batch.kind in ("load", "atomic"):
            some = np.zeros(int(np.count_nonzero(batch.mask)), bool)
            some[number[self._written[index]]] = True
            inside = np.zeros(len(some), bool)
            inside[number] = True
            if not (some | ~inside).all():
                wrong = np.zeros(batch.mask.shape, bool)
                wrong[batch.mask] = ~some & inside
                self._report("uninitialised-shared-read", batch, wrong)
        if batch.kind in ("store", "atomic"):
            self._written[index] = True

    def _report(self, kind: str, batch: MemoryBatch, wrong: np.ndarray) -> None:
        self._latest = kind, batch, wrong
        if (kind, batch.pc) not in self._seen:
            self._seen.add((kind, batch.pc))
            self.violations.append(self._violation(kind, batch, wrong))

    def latest(self) -> Violation | None:
        """The error that was found last: what ended the run, where one did."""
        return None if self._latest is None else self._violation(*self._latest)

    def _violation(self, kind: str, batch: MemoryBatch, wrong: np.ndarray) -> Violation:
        count = int(np.count_nonzero(wrong))
        row, lane = (int(n[0]) for n in np.nonzero(wrong))
        block = self.setting.blocks[int(batch.block[row])]
        number = int(batch.warp[row]) * 32 + lane
        thread = thread_index(number, self.setting.launch.block)
        region, offset = int(batch.region[row, lane]), int(batch.offset[row, lane])
        address, what = self._where(batch, region, offset)
        others = f", and {count - 1} more threads" if count > 1 else ""
        access = f"{batch.kind} of {batch.size} bytes at {what}"
        text = {
            "out-of-bounds": f"{access}; {who(block, thread)}{others}",
            "misaligned": f"misaligned {access}, which is no multiple of {batch.size}; "
            f"{who(block, thread)}{others}",
            "uninitialised-shared-read": f"{access}, which no thread of the block has written; "
            f"{who(block, thread)}{others}",
        }[kind]
        instruction = self._instruction(batch.pc)
        return Violation(kind, text, instruction, None, block, thread, address, count)

    def _instruction(self, pc: int) -> Instruction | None:
        at = self.setting.position.get(pc)
        return None if at is None else self.setting.instructions[at]

    def _where(self, batch: MemoryBatch, region: int, offset: int) -> tuple[int, str]:
        """An address as a number, and in words with the nearest allocation."""
        if batch.space in ("shared", "local"):
            text = f"byte {offset} of {batch.space} memory"
            if batch.space == "shared":
                text += f" ({self.setting.shared_bytes} bytes a block)"
            else:
                text += f" ({self.setting.local_bytes} bytes a thread)"
            return offset, text
        known = self._known.get(region)
        if known is not None:
            address = self.addresses[region] + offset
            return address, f"{address:#x}: {_relation(known, self.addresses[region], offset)}"
        address = offset if region == WILD else (base_address(region) + offset) & (2**64 - 1)
        if gone := self.setting.freed(address >> REGION_SHIFT):
            start = base_address(gone.region)
            place = _relation(gone, start, address - start)
            return address, f"{address:#x}: {place}; it was freed{gone.freed}"
        nearest = self._nearest(address)
        return address, f"{address:#x}, outside every allocation{nearest}"

    def _nearest(self, address: int) -> str:
        spans = [
            (abs(address - at), self._known[region], at)
            for region, start in self.addresses.items()
            for at in (start, start + (self._known[region].size or 0))
        ]
        if not spans:
            return ": the launch has none"
        _, nearest, _ = min(spans, key=lambda s: s[0])
        start = self.addresses[nearest.region]
        return f"; the nearest is {_described(nearest, start)}"

    def metrics(self) -> Mapping[str, Metric]:
        return {"accesses checked": self.checked, "memory errors": len(self.violations)}


def placed(allocations: tuple[Allocation, ...]) -> dict[int, int]:
    """An address for each region: its own, else one behind the other, as cudaMalloc places them."""
    out = {}
    at = FIRST_ADDRESS
    for each in allocations:
        out[each.region] = at if each.address is None else each.address
        at += -(-max(each.size or 0, 1) // ALIGNMENT) * ALIGNMENT
    return out


def _described(allocation: Allocation, start: int) -> str:
    if allocation.size is None:
        return f"`{allocation.name}` at {start:#x}"
    return f"`{allocation.name}`, {allocation.size} bytes at {start:#x}"


def _relation(allocation: Allocation, start: int, offset: int) -> str:
    """`byte 256 of `out`, which has 256 bytes from 0x7f…`."""
    size = "" if allocation.size is None else f", which has {allocation.size} bytes"
    place = f"{-offset} bytes before" if offset < 0 else f"byte {offset} of"
    return f"{place} `{allocation.name}`{size} from {start:#x}"
