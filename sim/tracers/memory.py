"""Memory: working set, memory intensity, and memory efficiency.

After GPU Ocelot's (7.3): efficiency is the bytes that threads asked for by the bytes that the
architecture's coalescing protocol moves for them (`perflint.sim.coalescing`). Intensity is the
share of a warp's executed instructions that access global memory. The working set is what the
launch touches of global memory, in 32-byte sectors, and the largest number of bytes that a block
touches of shared memory. Sectors and wavefronts are Nsight Compute's, with their ideals.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.sim import banks, coalescing
from perflint.sim.coalescing import SECTOR
from perflint.sim.flat import SharedGranules
from perflint.sim.trace import InstructionBatch, MemoryBatch, Metric, Setting, Tracing
from perflint.sim.unique_values import unique_values

_NEAR = 1 << 26  #: sectors of an allocation that are marked in one array
_GLOBAL = ("global_requests", "sectors", "ideal_sectors", "global_bytes", "moved_bytes")
_SHARED = ("shared_requests", "wavefronts", "ideal_wavefronts", "shared_bytes")


class Memory(Tracing):
    """Measures what a launch's accesses to global and shared memory touch and cost."""

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._touched: dict[int, np.ndarray] = {}
        self._far: set[tuple[int, int]] = set()
        self._shared = SharedGranules(setting)
        self._used = np.zeros(self._shared.total, bool)
        self._sums: dict[tuple[int, str], np.ndarray] = {}
        self._executed = 0

    def instructions(self, batch: InstructionBatch) -> None:
        self._executed += batch.count * len(batch.warp)

    def memory(self, batch: MemoryBatch) -> None:
        at = self._setting.position.get(batch.pc)
        if at is None or batch.space not in ("global", "shared"):
            return
        found = self._global(batch) if batch.space == "global" else self._window(batch)
        sums = self._sums.setdefault((at, batch.space), np.zeros(len(found), np.int64))
        sums += found

    def _global(self, batch: MemoryBatch) -> tuple[int, ...]:
        offset = apart(batch)
        count = coalescing.sectors(batch.mask, offset, batch.size)
        moved = coalescing.transactions(
            self._setting.arch.coalescing_rule, batch.mask, offset, batch.size
        )
        self._mark(batch)
        return (
            len(batch.warp),
            int(count.sum()),
            int(coalescing.golden_sectors(batch.mask, batch.size).sum()),
            int(np.count_nonzero(batch.mask)) * batch.size,
            int(moved.bytes.sum()),
        )

    def _window(self, batch: MemoryBatch) -> tuple[int, ...]:
        rule, stores = self._setting.arch.shared_rule, batch.kind == "store"
        found = banks.wavefronts(batch.mask, batch.offset, batch.size, rule, stores)
        measured = found.measured
        if batch.kind == "atomic" and batch.size == banks.WORD and rule == "cc5":
            measured = banks.atomic_wavefronts(batch.mask, batch.offset)
        self._used[self._shared.touched(batch)[0]] = True
        lanes = int(np.count_nonzero(batch.mask))
        return len(batch.warp), int(measured.sum()), int(found.golden.sum()), lanes * batch.size

    def _mark(self, batch: MemoryBatch) -> None:
        """Note the sectors that a batch touches."""
        regions = batch.region[batch.mask]
        first = batch.offset[batch.mask] // SECTOR
        last = (batch.offset[batch.mask] + batch.size - 1) // SECTOR
        for region in unique_values(regions).tolist():
            mine = regions == region
            for sector in (first[mine], last[mine]):
                near = (sector >= 0) & (sector < _NEAR)
                if near.any():
                    high = int(sector[near].max()) + 1
                    self._image(region, high)[sector[near]] = True
                self._far.update((region, s) for s in unique_values(sector[~near]).tolist())

    def _image(self, region: int, size: int) -> np.ndarray:
        have = self._touched.get(region)
        if have is None or len(have) < size:
            grown = np.zeros(max(size, 2 * len(have) if have is not None else 1024), bool)
            if have is not None:
                grown[: len(have)] = have
            have = self._touched[region] = grown
        return have

    @property
    def working_set(self) -> int:
        """Bytes of global memory that were touched, in whole sectors."""
        near = sum(int(np.count_nonzero(image)) for image in self._touched.values())
        return SECTOR * (near + len(self._far))

    def metrics(self) -> Mapping[str, Metric]:
        sums = self._total("global")
        out: dict[str, Metric] = {"working set, bytes": self.working_set}
        per_block = self._used.reshape(len(self._setting.blocks), -1)
        used = int(np.count_nonzero(per_block, axis=1).max(initial=0)) * self._shared.granule
        out["shared memory touched per block, bytes"] = used
        out["memory intensity"] = int(sums[0]) / self._executed if self._executed else 0.0
        out |= {name.replace("_", " "): int(n) for name, n in zip(_GLOBAL, sums, strict=True)}
        out["memory efficiency"] = int(sums[3]) / int(sums[4]) if sums[4] else 1.0
        out |= {
            name.replace("_", " "): int(n)
            for name, n in zip(_SHARED, self._total("shared"), strict=True)
        }
        return out

    def _total(self, space: str) -> np.ndarray:
        size = len(_GLOBAL) if space == "global" else len(_SHARED)
        found = (sums for (_, where), sums in self._sums.items() if where == space)
        return sum(found, np.zeros(size, np.int64))

    def sums(self) -> Mapping[int, Mapping[str, int]]:
        out: dict[int, dict[str, int]] = {}
        for (at, space), sums in self._sums.items():
            names = _GLOBAL if space == "global" else _SHARED
            out.setdefault(at, {}).update(zip(names, map(int, sums.tolist()), strict=True))
        return out


def apart(batch: MemoryBatch) -> np.ndarray:
    """Byte offsets in which different allocations never share a sector."""
    region = batch.region[:, :1]
    if bool((~batch.mask | (batch.region == region)).all()):
        return batch.offset
    return np.asarray((batch.region.astype(np.int64) << 40) + batch.offset)
