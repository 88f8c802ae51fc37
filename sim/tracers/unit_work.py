"""UnitWork: what each unit of a multiprocessor has to do for a launch, by block.

For floors (`perflint.sim.floors`). Of each memory instruction it also keeps what its requests take
of the L1 and of shared memory, and what they would take at best: packed lines, no conflict.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from math import gcd
from types import MappingProxyType

import numpy as np

from perflint.base.records import dataclass
from perflint.sim import banks, coalescing
from perflint.sim.affine_trace import AffineBatch, moved
from perflint.sim.coalescing import LINE
from perflint.sim.floors import COUNTS, counted_as, weight
from perflint.sim.lazy import lazy
from perflint.sim.mergeable import groups
from perflint.sim.requests import distinct
from perflint.sim.trace import InstructionBatch, MemoryBatch, Setting, Tracing, Turn
from perflint.sim.tracers.memory import apart
from perflint.sim.tracers.request_buffer import Gatherer, SeriesGatherer

_AT = {name: number for number, name in enumerate(COUNTS)}
_STAGES = ("tags", "data", "shared")
_SECTORS = len(_STAGES)  #: of the sectors of global memory among what is kept of requests
#: Since Volta L1 lies in the banks of shared memory, and a load's words come out of them likewise.
#: An H200 took 32.6 cycles for 32 lines with their words in one bank, and 9.3 with these in 32
#: banks; 16.6 for 16 lines and 2 banks, 6.9 for 16 lines and 32 banks (docs/hardware.md).
_L1_IN_BANKS = (7, 0)
#: Bytes by which a request may move without another cost: lines, and all banks.
_PERIOD = {"global": 2 * LINE, "shared": 256}


class UnitWork(Tracing):
    """Counts what bounds a launch from below."""

    def begin(self, setting: Setting) -> None:
        self._setting = setting
        self._blocks = len(setting.blocks)
        rates = setting.arch.rates
        self._tags = rates["tags"].value if "tags" in rates else 1
        self._banked = setting.arch.compute_capability >= _L1_IN_BANKS
        self._runs: dict[tuple[int, int], np.ndarray] = {}
        self._requests: dict[int, _Requests] = {}
        self._arithmetic: dict[int, np.ndarray] = {}  # by position: (blocks,)
        self.atomic_sectors = 0  #: that requests for atomics go to, in all blocks
        self.atomics = 0  #: words of these: ptxas may make one of lanes with one address
        self._gathered = Gatherer(self._cost)
        self._series = SeriesGatherer(_Series)

    def instructions(self, batch: InstructionBatch, times: int = 1) -> None:
        found = times * np.bincount(batch.block, minlength=self._blocks)
        known = self._runs.get((batch.first, batch.last))
        self._runs[batch.first, batch.last] = found if known is None else known + found

    def memory(self, batch: MemoryBatch, times: int = 1) -> None:
        if batch.space not in _PERIOD:
            return
        own = self._requests.setdefault(batch.pc, _Requests.none(self._blocks))
        own.count += times * np.bincount(batch.block, minlength=self._blocks)
        if batch.kind == "atomic":  # how long one takes is not the L1's affair
            if batch.space == "global":
                found = coalescing.sectors(batch.mask, apart(batch), batch.size)
                self.atomic_sectors += times * int(found.sum())
                words = coalescing.distinct_granules(
                    batch.mask, apart(batch), batch.size, batch.size
                )
                self.atomics += times * int(words.sum())
            return
        if isinstance(batch, AffineBatch):
            self._series.of(batch, _PERIOD[batch.space]).times += times
        else:
            self._gathered.add(batch, np.full(len(batch.warp), times))

    def _cost(self, batch: MemoryBatch, times: np.ndarray) -> None:
        """Add what requests cost, each of them so many times."""
        own = self._requests[batch.pc]
        for sums, costs in zip((own.measured, own.best), self._stages(batch), strict=True):
            for stage, found in enumerate(costs):
                if found.any():
                    by_block = np.bincount(batch.block, found * times, minlength=self._blocks)
                    sums[stage] += by_block.astype(np.int64)

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

    def _stages(self, batch: MemoryBatch) -> tuple[np.ndarray, np.ndarray]:
        """Cycles of each request in `_STAGES`, and its sectors, (4, n) int64: as it is, at best."""
        offset = apart(batch) if batch.space == "global" else batch.offset
        some, which = distinct(batch.mask, offset, _PERIOD[batch.space])
        mask, offset = batch.mask[some], offset[some]
        none = np.zeros(len(mask), np.int64)
        if batch.space == "shared":
            rule, stores = self._setting.arch.shared_rule, batch.kind == "store"
            waves = banks.wavefronts(mask, offset, batch.size, rule, stores)
            measured = (none, none, waves.measured, none)
            best = (none, none, waves.golden, none)
        else:
            tags = -(-coalescing.lines(mask, offset, batch.size) // self._tags)
            pieces = coalescing.distinct_granules(mask, offset, batch.size, batch.size)
            data = -(-pieces * batch.size // LINE)
            if batch.kind == "load" and self._banked:
                waves = banks.wavefronts(mask, offset, batch.size)
                data = np.maximum(data, waves.measured)
            packed = -(-np.count_nonzero(mask, axis=1) * batch.size // LINE)
            sectors = coalescing.sectors(mask, offset, batch.size)
            filled = np.minimum(sectors, coalescing.golden_sectors(mask, batch.size))
            measured = (tags, data, none, sectors)
            best = (
                np.minimum(tags, -(-packed // self._tags)),
                np.minimum(data, packed),
                none,
                filled,
            )
        return np.stack(measured)[:, which], np.stack(best)[:, which]

    def finish(self) -> None:
        self._gathered.flush()
        for series in self._series:
            self._cost(series.first, np.full(len(series.first.warp), series.times))
        instructions = self._setting.instructions
        sums = np.zeros((len(instructions) + 1, self._blocks), np.int64)
        for (first, last), found in self._runs.items():
            sums[first:last] += found
        self._arithmetic = {
            position: weight(instruction) * sums[position]
            for position, instruction in enumerate(instructions)
            if counted_as(instruction) and sums[position].any()
        }

    @lazy
    def counts(self) -> np.ndarray:
        """What each block has to do, (blocks, len(COUNTS)) int64."""
        return self._sum(())

    def at_best(
        self, pcs: Iterable[int], left: Mapping[int, float] = MappingProxyType({})
    ) -> np.ndarray:
        """The same, were these accesses ideal; of their requests, some are left, by pc."""
        return self._sum(frozenset(pcs), left)

    @property
    def requested(self) -> Iterable[int]:
        """The accesses that made requests, by pc."""
        return self._requests.keys()

    def reaches(self, pcs: Iterable[int]) -> bool:
        """Whether any of these accesses made a request."""
        return any(self._requests[pc].count.any() for pc in pcs if pc in self._requests)

    def excess(self, pcs: Iterable[int]) -> int:
        """Sectors of global memory that these accesses touch above those that they fill."""
        found = (self._requests[pc] for pc in set(pcs) if pc in self._requests)
        return sum(int((own.measured - own.best)[_SECTORS].sum()) for own in found)

    @property
    def sectors(self) -> int:
        """Sectors of global memory that loads and stores touch, in all blocks."""
        return self.sectors_of(self._requests)

    def sectors_of(self, pcs: Iterable[int]) -> int:
        """Sectors of global memory that some loads and stores touch, in all blocks."""
        found = (self._requests[pc] for pc in set(pcs) if pc in self._requests)
        return sum(int(own.measured[_SECTORS].sum()) for own in found)

    @property
    def by_position(self) -> dict[int, np.ndarray]:
        """Of each instruction (position in `Setting.instructions`) what it adds in all blocks."""
        out: dict[int, np.ndarray] = {}
        for position, found in self._arithmetic.items():
            own = out.setdefault(position, np.zeros(len(COUNTS), np.int64))
            own[_AT[counted_as(self._setting.instructions[position])]] += int(found.sum())
        for pc, (count, stages) in self._merged(()).items():
            own = out.setdefault(
                self._setting.position.get(pc, -1), np.zeros(len(COUNTS), np.int64)
            )
            own[_AT["lsu"]] += int(count.sum())
            own[[_AT[name] for name in _STAGES]] += stages.sum(axis=1)
        return out

    def _sum(
        self, ideal: Container[int], left: Mapping[int, float] = MappingProxyType({})
    ) -> np.ndarray:
        out = np.zeros((self._blocks, len(COUNTS)), np.int64)
        for position, found in self._arithmetic.items():
            out[:, _AT[counted_as(self._setting.instructions[position])]] += found
        for pc, (count, stages) in self._merged(ideal).items():
            out[:, _AT["lsu"]] += np.ceil(count * left.get(pc, 1.0)).astype(np.int64)
            out[:, [_AT[name] for name in _STAGES]] += stages.T
        return out

    def _merged(self, ideal: Container[int]) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """Requests, (blocks,), and cycles of `_STAGES`, (3, blocks), by pc.

        Of accesses that ptxas may make one (`perflint.sim.mergeable`) only the dearest counts.
        """
        out = {
            pc: (own.count, (own.best if pc in ideal else own.measured)[:_SECTORS])
            for pc, own in self._requests.items()
        }
        for group in groups(self._setting.program):
            members = [pc for pc in group.pcs if pc in out]
            if len(members) * group.turns <= 1:
                continue
            count = np.max([out[pc][0] for pc in members], axis=0) // group.turns
            stages = np.max([out[pc][1] for pc in members], axis=0)
            stages[_STAGES.index("shared")] //= group.turns
            nothing = np.zeros_like(count), np.zeros_like(stages)
            out |= dict.fromkeys(members[1:], nothing) | {members[0]: (count, stages)}
        return out


@dataclass(eq=False)
class _Series:
    """Requests that cost what those of the first batch do: they begin whole periods further."""

    first: AffineBatch
    times: int = 0


@dataclass(eq=False)
class _Requests:
    """One instruction's requests: how many, cycles of `_STAGES` and sectors, as is and at best."""

    count: np.ndarray  # (blocks,) int64
    measured: np.ndarray  # (4, blocks) int64
    best: np.ndarray

    @classmethod
    def none(cls, blocks: int) -> _Requests:
        empty = np.zeros((_SECTORS + 1, blocks), np.int64)
        return cls(np.zeros(blocks, np.int64), empty, empty.copy())
