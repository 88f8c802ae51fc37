"""Who runs where lanes that diverged meet again only at the immediate post-dominator.

Each warp has a stack of entries, as in Fung, Sham, Yuan and Aamodt, "Dynamic Warp Formation and
Scheduling for Efficient GPU Control Flow" (MICRO 2007): where a warp diverges at a branch, each way
out becomes an entry, whose lanes wait at the branch's immediate post-dominator until all others
have come. Only lanes of the topmost entry run.

Two things are as on Volta and later, which guarantee that every lane progresses: where the lanes of
an entry wait at a barrier the entry below runs, and lanes that spin for others let these pass the
place where they would wait for them. An entry is therefore not bound to be the top of a stack: it
has a number, and the entry that it came from. A wave has its entries together.
"""

from __future__ import annotations

import numpy as np

from perflint.grammar.dominance import EXIT as OUT
from perflint.grammar.dominance import post_dominance
from perflint.sim.barriers import WAIT
from perflint.sim.program import EXIT, BasicBlock, Program
from perflint.sim.unique_values import unique_values


def post_dominators(program: Program) -> tuple[int, ...]:
    """The immediate post-dominator of each basic block; EXIT where there is none."""
    traps = frozenset(n for n, b in enumerate(program.blocks) if b.ending == "trap")
    found, _ = post_dominance([_ways(block) for block in program.blocks], traps)
    return tuple(EXIT if block == OUT else block for block in found)


def _ways(block: BasicBlock) -> list[int]:
    """The blocks that may follow, OUT among them."""
    if block.ending == "indirect":
        ways = {*block.targets, EXIT}
    elif block.ending == "branch":
        ways = {block.taken, block.other}
    elif block.ending in ("exit", "trap"):
        ways = set()
    else:
        ways = {block.other}
    return [OUT if way == EXIT else way for way in sorted(ways)]


class Entries:
    """The entries of all warps of a wave. Arrays of (n,) are over the machine's population."""

    def __init__(self, warp: np.ndarray) -> None:
        """`warp` (n,) is the warp of each lane, ascending: all lanes of one are together."""
        self._number(warp)
        count = len(self._first)
        self.of = self._warp.copy()  #: (n,) the entry of each lane
        # By entry:
        self._parent = np.full(count, -1)
        self._meet = np.full(count, EXIT)  #: the block where its lanes wait for the others'
        self._rank = np.arange(count)  #: that of the topmost entry of a warp is the greatest
        self._held = np.zeros(count, bool)  #: whether others came from it that are not back

    def _number(self, warp: np.ndarray) -> None:
        new = np.diff(warp, prepend=-1) != 0
        self._warp = np.cumsum(new) - 1  #: (n,) the warp of each lane, from 0
        self._first = np.flatnonzero(new)  #: the place of the first lane of each

    def keep(self, lanes: np.ndarray) -> None:
        """Forget all lanes but those at some places."""
        self.of = self.of[lanes]
        self._number(self._warp[lanes])

    def split(self, at: np.ndarray, targets: np.ndarray, meet: int) -> None:
        """Lanes at some places, (m,), leave a block whose post-dominator is `meet`, (m,) targets.

        Those of one entry that go different ways become entries of their own.
        """
        mine = self.of[at]
        ways = np.stack((mine, targets), axis=1)
        found, which = np.unique(ways, axis=0, return_inverse=True)
        old, target = found[:, 0], found[:, 1]
        several = np.bincount(old, minlength=len(self._rank))[old] > 1
        new = np.flatnonzero(several & (target != meet) & (target != EXIT))
        if not len(new):
            return
        # a loop's lanes, leaving it turn by turn, all wait at one place: no entry for each turn
        same = (self._meet[old[new]] == meet) & (self._parent[old[new]] >= 0)
        parent = np.where(same, self._parent[old[new]], old[new])
        into = old.copy()
        into[new] = self._make(parent, meet)
        self.of[at] = into[which.reshape(-1)]

    def _make(self, parent: np.ndarray, meet: int | np.ndarray) -> np.ndarray:
        """Numbers of new entries, one for each parent."""
        used = np.zeros(len(self._rank), bool)
        used[self.of] = True
        used |= self._held
        used[parent[parent >= 0]] = True
        free = np.flatnonzero(~used)[: len(parent)]
        more = len(parent) - len(free)
        if more > 0:
            size = len(used)
            room = max(more, size)
            self._parent = np.append(self._parent, np.full(room, -1))
            self._meet = np.append(self._meet, np.full(room, EXIT))
            self._rank = np.append(self._rank, np.zeros(room, np.int64))
            self._held = np.append(self._held, np.zeros(room, bool))
            free = np.append(free, np.arange(size, size + more))
        self._parent[free], self._meet[free] = parent, meet
        self._rank[free] = int(self._rank.max()) + 1 + np.arange(len(free))
        return free

    def free(self, pc: np.ndarray) -> np.ndarray:
        """The lanes that wait for no others, (n,) bool, given the block of each."""
        self._merge(pc)
        return np.asarray((pc < WAIT) & ~self._held[self.of])

    def _merge(self, pc: np.ndarray) -> None:
        """Lanes that stand where their entry ends are the parent's, and wait there."""
        while True:
            above = self._parent[self.of]
            back = (self._meet[self.of] == pc) & (above >= 0)
            if not back.any():
                break
            self.of[back] = above[back]
        self._held[:] = False
        child = unique_values(self.of[pc != EXIT])
        while len(child):
            child = unique_values(self._parent[child])
            child = child[child >= 0]
            child = child[~self._held[child]]
            self._held[child] = True

    def topmost(self, among: np.ndarray) -> np.ndarray:
        """Of some lanes, (n,) bool, those of each warp's topmost entry that has any."""
        rank = np.where(among, self._rank[self.of], np.iinfo(np.int64).min)
        top = np.maximum.reduceat(rank, self._first)
        return np.asarray(among & (rank == top[self._warp]))

    def lower(self, lanes: np.ndarray) -> None:
        """Put the entries of lanes at some places below all others."""
        mine = unique_values(self.of[lanes])
        self._rank[mine] = int(self._rank.min()) - len(mine) + np.arange(len(mine))

    def let_go(self, pc: np.ndarray, lanes: np.ndarray) -> bool:
        """Lanes that wait for others of their warp wait no longer, in the warps of lanes at some
        places; whether there were any.
        """
        warps = np.zeros(len(self._first), bool)
        warps[self._warp[lanes]] = True
        waiting = (pc < WAIT) & self._held[self.of] & warps[self._warp]
        old, which = np.unique(self.of[waiting], return_inverse=True)
        if len(old):
            self.of[waiting] = self._make(self._parent[old], self._meet[old])[which.reshape(-1)]
        return bool(len(old))
