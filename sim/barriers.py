"""Lanes that wait: at a barrier of their block or cluster, or at one of their warp's members.

The program counter of a lane that waits is no block's number but `WAIT` plus its barrier's, of all
the wave's, `CLUSTER` plus its cluster's, or `WARP` plus its warp's: the machine runs lanes with
lower ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.lanes import Lanes
from perflint.sim.program import EXIT
from perflint.sim.unique_values import unique_values
from perflint.sim.values import Value

WAIT = 1 << 24  #: program counters from here on are lanes waiting at barrier number pc - WAIT
CLUSTER = 1 << 27  #: and from here on lanes waiting for others of cluster number pc - CLUSTER
WARP = 1 << 28  #: and from here on lanes waiting for others of warp number pc - WARP
_BARRIERS = 16  #: per block (PTX ISA 9.7.13.1)


@dataclass(frozen=True, eq=False)
class Vote:
    """A `bar.red` at which everybody has arrived."""

    slot: int  #: the register of the result
    operation: str  #: `popc`, `and`, `or`
    block: np.ndarray  #: (n,) the block of each lane, counted from the wave's first
    voted: np.ndarray  #: (n,) bool, each lane's predicate
    at: Any  #: (n,) the lanes' places in the population, or a slice of all

    def result(self, blocks: int) -> np.ndarray:
        """What each lane gets, (n,), in a wave of so many blocks."""
        yes = np.bincount(self.block, weights=self.voted, minlength=blocks).astype(np.int64)
        if self.operation == "popc":
            return np.asarray(yes[self.block])
        present = np.bincount(self.block, minlength=blocks)
        return np.asarray({"and": yes == present, "or": yes > 0}[self.operation][self.block])


class Barriers:
    """The barriers of a wave's blocks and warps. Arrays are over the machine's population."""

    def __init__(
        self, blocks: int, warps_per_block: int, first_block: int, blocks_per_cluster: int = 1
    ) -> None:
        self.waiting = False  #: whether any lane waits
        self._blocks, self._warps_per_block = blocks, warps_per_block
        self._first_block, self._blocks_per_cluster = first_block, blocks_per_cluster
        self._resume = np.zeros(0, np.int64)
        self._voted: np.ndarray = np.zeros(0, bool)
        self._members = np.zeros(0, np.int64)
        # Of block barriers at which lanes wait, by number:
        self._expected: dict[int, int] = {}
        self._arrived: dict[int, int] = {}
        self._reductions: dict[int, tuple[int, str]] = {}
        self._pc: dict[int, int] = {}
        self._warp_pc: int | None = None  #: a `bar.warp.sync` at which lanes wait
        self._cluster_pc: int | None = None  #: a `barrier.cluster.wait` at which lanes wait
        #: how often each thread of the wave has arrived at its cluster's barrier
        self._arrivals = np.zeros(0, np.int64)

    def somewhere(self) -> int | None:
        """The pc of a barrier at which lanes wait."""
        waits = (*self._pc.values(), self._warp_pc, self._cluster_pc)
        return next((pc for pc in waits if pc is not None), None)

    def block_of(self, lanes: Lanes) -> np.ndarray:
        """Each lane's block, counted from the first of this wave, (n,)."""
        return lanes.block - self._first_block

    def _warp_of(self, lanes: Lanes) -> np.ndarray:
        return (lanes.slots >> 5) - self._first_block * self._warps_per_block

    def _cluster_of(self, lanes: Lanes) -> np.ndarray:
        return self.block_of(lanes) // self._blocks_per_cluster

    def _thread_of(self, lanes: Lanes) -> np.ndarray:
        return lanes.slots - self._first_block * self._warps_per_block * 32

    def _numbers(self, lanes: Lanes, number: Value) -> np.ndarray:
        return self.block_of(lanes) * _BARRIERS + lanes.array(number).astype(np.int64) % _BARRIERS

    # --- arriving --------------------------------------------------------------------------------

    def arrive(self, lanes: Lanes, number: Value, count: Value) -> None:
        """`bar.arrive`: counts towards a barrier without waiting."""
        keys = self._numbers(lanes, number)
        for key, lanes_here in zip(*np.unique(keys, return_counts=True), strict=True):
            self._arrived[int(key)] = self._arrived.get(int(key), 0) + int(lanes_here)
            if count is not None:
                self._expected[int(key)] = int(np.max(count))

    def wait(
        self,
        pc: np.ndarray,
        at: Any,
        lanes: Lanes,
        end: tuple[int, Value, Value, Value],
        resume: int,
        reduction: tuple[int, str] | None,
    ) -> None:
        """Lanes, at places of the population, wait at a barrier of their block.

        `end` is (pc of the instruction, barrier, expected lanes or None, predicate or None); they
        go on at block `resume`.
        """
        instruction, number, count, predicate = end
        self._make_room(len(pc))
        keys = self._numbers(lanes, number)
        pc[at] = WAIT + keys
        self._resume[at] = resume
        if predicate is not None:
            self._voted[at] = predicate
        for key in unique_values(keys).tolist():
            self._pc[key] = instruction
            if count is not None:
                self._expected[key] = int(np.max(count))
            if reduction is not None:
                self._reductions[key] = reduction
        self.waiting = True

    def wait_for_members(
        self,
        pc: np.ndarray,
        at: Any,
        lanes: Lanes,
        named: np.ndarray,
        resume: int,
        instruction: int,
    ) -> None:
        """`bar.warp.sync`: lanes wait for the others of their warp that they name, (n,) int64."""
        self._make_room(len(pc))
        pc[at] = WARP + self._warp_of(lanes)
        self._resume[at] = resume
        self._members[at] = named
        self._warp_pc = instruction
        self.waiting = True

    def arrive_in_cluster(self, lanes: Lanes) -> None:
        """`barrier.cluster.arrive`: counts without waiting."""
        if not len(self._arrivals):
            self._arrivals = np.zeros(self._blocks * self._warps_per_block * 32, np.int64)
        self._arrivals[self._thread_of(lanes)] += 1

    def wait_for_cluster(
        self, pc: np.ndarray, at: Any, lanes: Lanes, resume: int, instruction: int
    ) -> None:
        """`barrier.cluster.wait`: lanes wait until all of their cluster have arrived as often."""
        self._make_room(len(pc))
        pc[at] = CLUSTER + self._cluster_of(lanes)
        self._resume[at] = resume
        self._cluster_pc = instruction
        self.waiting = True

    def _make_room(self, population: int) -> None:
        """Columns of the lanes that wait, for a population as it is now."""
        if len(self._resume) != population:
            self._resume = np.zeros(population, np.int64)
            self._voted = np.zeros(population, bool)
            self._members = np.zeros(population, np.int64)

    # --- going on --------------------------------------------------------------------------------

    def release(self, pc: np.ndarray, population: Lanes) -> list[Vote]:
        """Let go whom nothing holds any more; the votes that have come to an end."""
        votes = self._release_blocks(pc, population) if self._pc else []
        if self._warp_pc is not None:
            self._release_warps(pc, population)
        if self._cluster_pc is not None:
            self._release_clusters(pc, population)
        self.waiting = self.somewhere() is not None
        return votes

    def _release_warps(self, pc: np.ndarray, population: Lanes) -> None:
        """Let go the lanes at `bar.warp.sync` all of whose partners wait too, or are done."""
        held = np.flatnonzero((pc >= WARP) & (pc < EXIT))
        warp = self._warp_of(population)
        bit = (np.int64(1) << population.lane).astype(np.float64)  # sums of 32 such are exact
        alive = np.bincount(warp, weights=np.where(pc != EXIT, bit, 0)).astype(np.int64)
        named = self._members[held]
        group = np.unique((warp[held] << 32) | named, return_inverse=True)[1]
        arrived = np.bincount(group, weights=bit[held]).astype(np.int64)[group]
        free = held[(named & alive[warp[held]] & ~arrived) == 0]
        pc[free] = self._resume[free]
        if len(free) == len(held):
            self._warp_pc = None

    def _release_clusters(self, pc: np.ndarray, population: Lanes) -> None:
        """Let go the lanes of clusters in which nobody alive has arrived less often."""
        held = np.flatnonzero((pc >= CLUSTER) & (pc < WARP))
        if not len(self._arrivals):  # nobody has arrived anywhere, which is undefined
            self._arrivals = np.zeros(self._blocks * self._warps_per_block * 32, np.int64)
        arrivals, cluster = (
            self._arrivals[self._thread_of(population)],
            self._cluster_of(population),
        )
        alive = pc != EXIT
        least = np.full(self._blocks, np.iinfo(np.int64).max)
        np.minimum.at(least, cluster[alive], arrivals[alive])
        free = held[arrivals[held] <= least[cluster[held]]]
        pc[free] = self._resume[free]
        if len(free) == len(held):
            self._cluster_pc = None

    def _release_blocks(self, pc: np.ndarray, population: Lanes) -> list[Vote]:
        """Let go the barriers of blocks at which everybody has arrived."""
        held = np.flatnonzero((pc >= WAIT) & (pc < CLUSTER))
        keys = pc[held] - WAIT
        here = np.bincount(keys, minlength=self._blocks * _BARRIERS)
        blocks = self.block_of(population)
        alive = np.bincount(blocks[pc != EXIT], minlength=self._blocks)
        votes = []
        for key in np.flatnonzero(here).tolist():
            expected = self._expected.get(key, int(alive[key // _BARRIERS]))
            if here[key] + self._arrived.get(key, 0) < expected:
                continue
            free = held[keys == key]
            reduction = self._reductions.pop(key, None)
            if reduction is not None:
                votes.append(Vote(*reduction, blocks[free], self._voted[free], free))
            pc[free] = self._resume[free]
            self._expected.pop(key, None)
            self._arrived.pop(key, None)
            self._pc.pop(key, None)
        return votes
