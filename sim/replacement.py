"""What cache sets hold while they are accessed: hits, and which line each miss evicts.

Sets do not see each other. Where there are many, one step takes the next access of every set at
once (NumPy over sets; for private caches over sets of all threads); where there are few, one set
is gone through after the other. Both find the same.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import repeat

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.cache import Policy
from perflint.sim.tree_plru import Tree

#: What an access does. ALLOCATE brings its line in where it is absent; TOUCH and INVALIDATE leave
#: an absent line absent, and a present one used or gone. BYPASS is for what goes past the cache:
#: it must not be handed to `resident`.
ALLOCATE, TOUCH, INVALIDATE, BYPASS = 0, 1, 2, 3

#: Sets on average from which a step over all of them is faster than one set after the other.
_MANY = 64
#: Numbers below it NumPy sorts in two passes over their digits.
_SMALL = 1 << 16


@dataclass(frozen=True, eq=False)
class Residency:
    """What n accesses found and did."""

    hit: np.ndarray  #: (n,) bool, the line was present
    victim: np.ndarray  #: (n,) int32, the number of the line that was evicted, -1 for none


def resident(
    group: np.ndarray,
    line: np.ndarray,
    lines: int,
    ways: int,
    policy: Policy,
    action: np.ndarray | None = None,
) -> Residency:
    """Go through accesses in order.

    `group` (n,) is the set of each, `line` (n,) its line as a number below `lines` that occurs in
    one set only, `action` (n,) what it does; None: all allocate.
    """
    hit, victim = np.zeros(len(line), bool), np.full(len(line), -1, np.int32)
    if not len(line):
        return Residency(hit, victim)
    at = by_group(group)
    ordered = line[at]
    doing = None if action is None or not action.any() else action[at]
    repeated = _repeats(ordered, doing)
    hit[at[repeated]] = True
    at = at[~repeated]
    ordered = ordered[~repeated]
    doing = None if doing is None else doing[~repeated]
    found, evicted = _run(group[at], ordered, doing, lines, ways, policy)
    hit[at], victim[at] = found, evicted
    return Residency(hit, victim)


def by_group(group: np.ndarray) -> np.ndarray:
    """Indices of the accesses, those of one set together and in order.

    Small numbers are sorted by their digits. Others are sorted together with their place, which is
    much faster than a stable argsort.
    """
    if len(group) and group.min() >= 0 and group.max() < _SMALL:
        return np.argsort(group.astype(np.uint16), kind="stable")
    bits = len(group).bit_length()
    key = group.astype(np.int64) << bits | np.arange(len(group))
    key.sort()
    return np.asarray(key & ((1 << bits) - 1))


def _repeats(line: np.ndarray, action: np.ndarray | None) -> np.ndarray:
    """Accesses to the line that the set's access before brought in or found: hits without effect.

    A line occurs in one set only, so that neighbours with equal lines are of one set.
    """
    same = np.zeros(len(line), bool)
    np.equal(line[1:], line[:-1], out=same[1:])
    if action is not None:
        same[1:] &= (action[1:] != INVALIDATE) & (action[:-1] == ALLOCATE)
    return same


def _run(
    group: np.ndarray,
    line: np.ndarray,
    action: np.ndarray | None,
    lines: int,
    ways: int,
    policy: Policy,
) -> tuple[np.ndarray, np.ndarray]:
    """Hits and victims of accesses that are sorted by set."""
    starts = np.flatnonzero(np.diff(group, prepend=group[0] - 1))
    counts = np.diff(np.append(starts, len(group)))
    steps = int(counts.max())
    if len(group) >= _MANY * steps:
        return _together(starts, counts, line, action, lines, ways, policy)
    hit, victim = np.zeros(len(line), bool), np.full(len(line), -1, np.int32)
    go = _tree if policy == "plru" else _queue
    for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
        end = start + count
        doing = None if action is None else action[start:end].tolist()
        hits, when, victims = go(line[start:end].tolist(), doing, ways, policy)
        hit[start:end] = np.frombuffer(hits, bool)
        victim[start + np.array(when, np.int64)] = victims
    return hit, victim


# --- one set -------------------------------------------------------------------------------------

#: Hits by access; and which accesses evict something, and what.
_Found = tuple[bytearray, list[int], list[int]]


def _queue(line: list[int], action: list[int] | None, ways: int, policy: Policy) -> _Found:
    """LRU and FIFO of one set: lines in the order in which they are to go."""
    queue: OrderedDict[int, None] = OrderedDict()
    renews = policy == "lru"
    renew, drop = queue.move_to_end, queue.popitem
    hits, when, victims = bytearray(len(line)), list[int](), list[int]()
    room = ways
    doing = action if action is not None else repeat(ALLOCATE)
    for i, (each, what) in enumerate(zip(line, doing, strict=False)):
        if each in queue:
            hits[i] = 1
            if what == INVALIDATE:
                del queue[each]
                room += 1
            elif renews:
                renew(each)
        elif what == ALLOCATE:
            if room:
                room -= 1
            else:
                when.append(i)
                victims.append(drop(False)[0])
            queue[each] = None
    return hits, when, victims


def _tree(line: list[int], action: list[int] | None, ways: int, policy: Policy) -> _Found:
    """Tree PLRU of one set; the lowest free way is filled first."""
    tree = Tree.of(ways)
    masks, values = tree.masks, tree.values
    way_of: dict[int, int] = {}
    held = [-1] * ways
    free = list(range(ways - 1, -1, -1))
    bits = 0
    hits, when, victims = bytearray(len(line)), list[int](), list[int]()
    doing = action if action is not None else repeat(ALLOCATE)
    for i, (each, what) in enumerate(zip(line, doing, strict=False)):
        way = way_of.get(each)
        if way is not None:
            hits[i] = 1
            if what == INVALIDATE:
                del way_of[each]
                free.append(way)
                free.sort(reverse=True)
                continue
        elif what == ALLOCATE:
            if free:
                way = free.pop()
            else:
                way = tree.victim(bits)
                when.append(i)
                victims.append(held[way])
                del way_of[held[way]]
            way_of[each], held[way] = way, each
        if way is not None:
            bits = bits & ~masks[way] | values[way]
    return hits, when, victims


# --- all sets at once ----------------------------------------------------------------------------


def _together(
    starts: np.ndarray,
    counts: np.ndarray,
    line: np.ndarray,
    action: np.ndarray | None,
    lines: int,
    ways: int,
    policy: Policy,
) -> tuple[np.ndarray, np.ndarray]:
    """Step k takes the k-th access of every set that has one, the longest sets first."""
    longest = np.argsort(-counts, kind="stable")
    starts, counts = starts[longest], counts[longest]
    active = np.searchsorted(-counts, -np.arange(int(counts.max())), side="left")
    way_of = np.full(lines, -1, np.int32)
    sets = _Sets(len(starts), ways, policy)
    hit, victim = np.zeros(len(line), bool), np.full(len(line), -1, np.int32)
    for step, n in enumerate(active.tolist()):
        at = starts[:n] + step
        each = line[at]
        way = way_of[each]
        present = way >= 0
        hit[at] = present
        absent = ~present
        if action is not None:
            doing = action[at]
            absent &= doing == ALLOCATE
            gone = np.flatnonzero(present & (doing == INVALIDATE))
            if len(gone):
                sets.free(gone, way[gone])
                way_of[each[gone]] = -1
                present[gone] = False
        if sets.renews:
            found = np.flatnonzero(present)
            sets.use(found, way[found], step)
        missing = np.flatnonzero(absent)
        if len(missing):
            chosen, old = sets.fill(missing, each[missing], step)
            way_of[old[old >= 0]] = -1
            way_of[each[missing]] = chosen
            victim[at[missing]] = old
    return hit, victim


class _Sets:
    """The ways of many sets: which line each holds, and when it was last used or filled."""

    def __init__(self, sets: int, ways: int, policy: Policy) -> None:
        self.held = np.full((sets, ways), -1, np.int32)
        self.renews = policy != "fifo"
        self.tree = Tree.of(ways) if policy == "plru" else None
        if self.tree is None:
            self.stamp = np.full((sets, ways), -1, np.int32)  # -1: free, the first to be filled
        else:
            self.bits = np.zeros((sets, self.tree.nodes), bool)

    def use(self, row: np.ndarray, way: np.ndarray, step: int) -> None:
        """Some sets' ways are used."""
        if self.tree is None:
            self.stamp[row, way] = step
        else:
            self.tree.use(self.bits, row, way)

    def free(self, row: np.ndarray, way: np.ndarray) -> None:
        self.held[row, way] = -1
        if self.tree is None:
            self.stamp[row, way] = -1

    def fill(self, row: np.ndarray, line: np.ndarray, step: int) -> tuple[np.ndarray, np.ndarray]:
        """Give some sets a line each: the way it takes, and the line that was there (-1: none)."""
        if self.tree is None:
            way = self.stamp[row].argmin(axis=1)
            self.stamp[row, way] = step
        else:
            empty = self.held[row] < 0
            way = np.where(
                empty.any(axis=1), empty.argmax(axis=1), self.tree.victims(self.bits, row)
            )
            self.tree.use(self.bits, row, way)
        old = self.held[row, way]
        self.held[row, way] = line
        return way, old
