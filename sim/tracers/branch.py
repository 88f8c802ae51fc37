"""Branch: control-flow uniformity, and which branches diverge.

Definitions (Kerr, Diamos, Yalamanchili, "A Characterization and Analysis of PTX Kernels", IISWC
2009, and GPU Ocelot's paper, 7.3): the activity factor is the share of a warp's threads that are
active, averaged over the warp's executed instructions. A branch diverges in a warp if the warp's
active threads leave it in more than one direction.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.sim.launch import Dim3
from perflint.sim.trace import BranchBatch, InstructionBatch, Metric, Setting, Tracing, Turn


class Branch(Tracing):
    """Measures the activity factor and the divergence of each branch."""

    def __init__(self) -> None:
        self.active = 0  #: threads, summed over executed instructions of warps
        self.present = 0  #: the warps' threads, summed likewise

    def begin(self, setting: Setting) -> None:
        self.active = self.present = 0
        self._sizes = setting.warp_sizes
        #: the simulated blocks at an edge of the grid, and those within it
        self._edges = {
            i for i, at in enumerate(setting.blocks) if _is_edge(at, setting.launch.grid)
        }
        self._inside = set(range(len(setting.blocks))) - self._edges
        self._positions = setting.position
        self._counts: dict[int, np.ndarray] = {}
        #: by position and way out (0: not taken): warps with threads that go this way, their
        #: threads that do, and all their threads that came
        self.ways: dict[tuple[int, int], np.ndarray] = {}
        #: by position and way out: the warps that go this way, the fewest that hold their threads,
        #: visit by visit and block by block, and the fewest if as many lanes are missing in each
        #: as when they came
        self.held: dict[tuple[int, int], np.ndarray] = {}
        #: by position: visits that split a warp, and those of them that cut it in two once
        self._splits: dict[int, np.ndarray] = {}
        #: by position: the blocks of which fewer warps would hold those that go a way
        self._wasteful: dict[int, set[int]] = {}

    def instructions(self, batch: InstructionBatch, times: int = 1) -> None:
        count = times * batch.count
        self.active += count * batch.lanes.count
        self.present += count * int(self._sizes[batch.warp].sum())

    def repeat(self, turn: Turn, times: int) -> None:
        for batch in turn.instructions:
            self.instructions(batch, times)
        for each in turn.branches:
            self.branch(each, times)

    def branch(self, batch: BranchBatch, times: int = 1) -> None:
        threads, jumps = batch.lanes.count, np.asarray(batch.way)
        if jumps.dtype == bool:
            jumping = int(np.count_nonzero(jumps)) if jumps.ndim else threads * int(jumps)
            if jumping in (0, threads):
                self._all_go(batch, int(jumping > 0), times)
                return
        jump = batch.mask & (batch.target > 0)
        came, left = np.count_nonzero(batch.mask, axis=1), np.count_nonzero(jump, axis=1)
        if jumps.dtype == bool:
            split = (left > 0) & (left < came)
        else:  # an indirect jump has more than two ways
            low = np.where(batch.mask, batch.target, np.iinfo(np.int32).max).min(axis=1)
            split = low < np.where(batch.mask, batch.target, -1).max(axis=1)
        sums = self._counts.setdefault(batch.position, np.zeros(4, np.int64))
        sums += times * np.array((len(came), np.count_nonzero(split), came.sum(), left.sum()))
        if split.any():
            once = _cut_once(batch.mask[split], jump[split])
            splits = self._splits.setdefault(batch.position, np.zeros(2, np.int64))
            splits += (times * len(once), times * int(once.sum()))
        for way, going in enumerate((came - left, left)):
            some = going > 0
            counts = np.array((np.count_nonzero(some), going.sum(), came[some].sum()))
            total = self.ways.setdefault((batch.position, way), np.zeros(3, np.int64))
            total += times * counts
            blocks, fewest = _full_warps(batch.block[some], going[some])
            wasteful = blocks[np.bincount(batch.block[some], minlength=1)[blocks] > fewest]
            self._wasteful.setdefault(batch.position, set()).update(wasteful.tolist())
            as_they_came = _warps_like(batch.block, came, going)
            held = self.held.setdefault((batch.position, way), np.zeros(3, np.int64))
            held += times * np.array((np.count_nonzero(some), int(fewest.sum()), as_they_came))

    def _all_go(self, batch: BranchBatch, way: int, times: int) -> None:
        """Count visits at which all lanes go one way."""
        warps, threads = times * batch.lanes.rows, times * batch.lanes.count
        sums = self._counts.setdefault(batch.position, np.zeros(4, np.int64))
        sums += (warps, 0, threads, way * threads)
        total = self.ways.setdefault((batch.position, way), np.zeros(3, np.int64))
        total += (warps, threads, threads)
        held = self.held.setdefault((batch.position, way), np.zeros(3, np.int64))
        held += (warps, warps, warps)

    @property
    def activity_factor(self) -> float:
        """Active threads by the warps' threads, per executed instruction; 1.0 for none."""
        return self.active / self.present if self.present else 1.0

    def visits(self, pc: int) -> int:
        """How often warps came to a branch."""
        found = self._counts.get(self._positions.get(pc, -1))
        return int(found[0]) if found is not None else 0

    def packing(self, pc: int, way: int, *, as_they_came: bool = False) -> float:
        """Full warps that would do for those that go a way, by the warps that do.

        `pc` is an instruction of the kernel, `way` 0 for threads that do not jump and 1 for those
        that do. 1.0 where warps go together, or never: a warp of a block, be it for one thread, is
        the least. `as_they_came`: warps that miss lanes before the branch miss them behind it, too.
        """
        found = self.held.get((self._positions.get(pc, -1), way))
        full = 2 if as_they_came else 1
        return float(found[full] / found[0]) if found is not None and found[0] else 1.0

    def few(self, pc: int, way: int) -> float:
        """Threads of each block that go this way: a single one, or at most half of those that came.

        0 where there are more, and where they were alone before they came.
        """
        at = self._positions.get(pc, -1), way
        going, held = self.ways.get(at), self.held.get(at)
        if going is None or held is None or not going[0] == held[1] > 0:
            return 0.0
        warps, threads, came = going.tolist()
        few = 2 * threads <= came or warps == threads < came
        return float(threads / warps) if few else 0.0

    def leads(self, pc: int, way: int) -> bool:
        """Whether of each warp that goes this way it is a single thread: its leader, mostly.

        Not if it came alone.
        """
        going = self.ways.get((self._positions.get(pc, -1), way))
        return going is not None and bool(0 < going[0] == going[1] < going[2])

    def cut_once(self, pc: int) -> float:
        """Share of the split warps in which the lanes up to one go one way, all others the other.

        1.0 where no warp is split.
        """
        found = self._splits.get(self._positions.get(pc, -1))
        return float(found[1] / found[0]) if found is not None else 1.0

    def only_at_edges(self, pc: int) -> bool:
        """Whether fuller warps would help at the grid's edges only, though others were run too.

        Of a large grid few blocks lie at an edge; of those that are run many do.
        """
        blocks = self._wasteful.get(self._positions.get(pc, -1))
        return bool(blocks) and bool(self._inside) and self._inside.isdisjoint(blocks or ())

    def metrics(self) -> Mapping[str, Metric]:
        total = sum(self._counts.values(), np.zeros(4, np.int64))
        return {
            "activity factor": self.activity_factor,
            "branches": int(total[0]),
            "divergent branches": int(total[1]),
        }

    def sums(self) -> Mapping[int, Mapping[str, int]]:
        names = ("branches", "divergent_branches", "branch_threads", "branch_threads_taken")
        return {
            at: dict(zip(names, map(int, sums.tolist()), strict=True))
            for at, sums in self._counts.items()
        }


def _is_edge(block: Dim3, grid: Dim3) -> bool:
    return any(n > 1 and at in (0, n - 1) for at, n in zip(block, grid, strict=True))


def _full_warps(block: np.ndarray, going: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some blocks, (b,), and the fewest warps that hold what `going`, (n,), threads of rows.

    `block`, (n,), is that of each row.
    """
    blocks, which = np.unique(block, return_inverse=True)
    threads = np.bincount(which.reshape(-1), weights=going, minlength=len(blocks))
    return blocks, -(-threads.astype(np.int64) // 32)


def _warps_like(block: np.ndarray, came: np.ndarray, going: np.ndarray) -> int:
    """The fewest warps that hold those that go, if each misses as many lanes as when they came.

    `block`, (n,), is that of each row; `came` and `going` are the threads of each.
    """
    _, which = np.unique(block, return_inverse=True)
    warps, there, gone = (
        np.bincount(which.reshape(-1), weights=each) for each in (came > 0, came, going)
    )
    return int(np.ceil(gone * warps / np.maximum(there, 1)).sum())


def _cut_once(mask: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """Whether the active lanes of each row, (n, 32), change their way only once, (n,) bool."""
    lane = np.where(mask, np.arange(32), mask.argmax(axis=1)[:, None])
    way = np.take_along_axis(taken, np.maximum.accumulate(lane, axis=1), axis=1)
    return np.asarray(np.count_nonzero(way[:, 1:] != way[:, :-1], axis=1) == 1)
