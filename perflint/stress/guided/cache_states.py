"""Must, may and persistence analysis of each thread's private cache, for all threads at once.

Ferdinand and Wilhelm's must and may analyses for LRU sets (Theiling, Ferdinand and Wilhelm,
Real-Time Systems 18, 2000). Persistence is Cullmann's (ACM TECS 12, 2013): a line stays as long as
fewer than `ways` other lines of its set were accessed behind it; the original one is unsound. A
thread numbers the lines that it may access from 0; states are arrays by thread and such number.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from perflint.analysis.fixpoint import FiniteDomain, FlowGraph, solve
from perflint.base.records import dataclass

MOST_LINES = 64  #: of a thread: the lines behind a line are the bits of one number


class Category(IntEnum):
    """GUPT's categories of a memory reference."""

    AH = 0  #: always a hit
    AM = 1  #: always a miss
    PS = 2  #: not evicted once it is there: a miss at most once
    NC = 3  #: not classified


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines that each of t threads may access, at most k; -1 where a thread has fewer."""

    line: np.ndarray  #: (t, k) int64
    set: np.ndarray  #: (t, k) int64; -1 beside -1
    ways: int

    @property
    def same(self) -> np.ndarray:
        """Which lines are in the same set, (t, k, k) bool."""
        return np.asarray((self.set[:, :, None] == self.set[:, None, :]) & (self.set >= 0)[:, None])


@dataclass(frozen=True, eq=False)
class Access:
    """What each thread accesses at a point: one of some lines, or anything."""

    candidates: np.ndarray  #: (t, c) numbers of the thread's lines; -1 where it has fewer
    unknown: np.ndarray | None = None  #: (t,) bool, it may be any line
    touched: np.ndarray | None = (
        None  #: (t, k) bool, which of the thread's lines an unknown one may be
    )
    caches: bool = True  #: whether it looks into the cache and brings its line in
    kind: str = "load"


#: A point of the graph: an access, a barrier (waits), or nothing.
Point = Access | str | None
BARRIER = "barrier"


@dataclass(frozen=True, eq=False)
class CacheState:
    """What is known of the cache; None of `must` where no path comes."""

    must: np.ndarray | None = None  #: (t, k) the highest age that a line may have; ways: absent
    may: np.ndarray | None = None  #: (t, k) the lowest age; ways: surely absent
    behind: np.ndarray | None = None  #: (t, k) uint64, the lines accessed behind its last access
    seen: np.ndarray | None = None  #: (t, k) bool, maybe accessed
    spoiled: np.ndarray | None = None  #: (t, k) bool, behind it is an access to nobody knows what

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CacheState) or (self.must is None) != (other.must is None):
            return False
        if self.must is None:
            return True
        return all(np.array_equal(a, b) for a, b in zip(self.arrays, other.arrays, strict=True))

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        assert self.must is not None and self.may is not None and self.behind is not None
        assert self.seen is not None and self.spoiled is not None
        return self.must, self.may, self.behind, self.seen, self.spoiled


_NOWHERE = CacheState()


def empty(lines: Lines) -> CacheState:
    """A cache that holds nothing of the kernel's."""
    shape, ways = lines.line.shape, lines.ways
    return CacheState(
        np.full(shape, ways, np.uint8), np.full(shape, ways, np.uint8), np.zeros(shape, np.uint64),
        np.zeros(shape, bool), np.zeros(shape, bool),
    )  # fmt: skip


def joined(a: CacheState, b: CacheState) -> CacheState:
    """What holds whichever way was come."""
    if a.must is None or b.must is None:
        return b if a.must is None else a
    x, y = a.arrays, b.arrays
    return CacheState(
        np.maximum(x[0], y[0]), np.minimum(x[1], y[1]), x[2] | y[2], x[3] | y[3], x[4] | y[4]
    )


def _accessed(state: CacheState, lines: Lines, which: np.ndarray) -> CacheState:
    """After an access of each thread to one of its lines, (t,); threads with -1 do nothing."""
    must, may, behind, seen, spoiled = state.arrays
    row = np.arange(len(which))
    at = np.maximum(which, 0)
    doing = (which >= 0)[:, None]
    same = (lines.set == lines.set[row, at][:, None]) & (lines.set >= 0) & doing
    it = np.zeros(must.shape, bool)
    it[row, at] = which >= 0
    older = same & ~it & (must < must[row, at][:, None])
    younger = same & ~it & (may <= may[row, at][:, None]) & (may < lines.ways)
    bit = (np.uint64(1) << at.astype(np.uint64))[:, None]
    return CacheState(
        np.where(it, 0, must + older).astype(np.uint8),
        np.where(it, 0, may + younger).astype(np.uint8),
        np.where(it, np.uint64(0), np.where(same & seen, behind | bit, behind)),
        seen | it,
        spoiled & ~it,
    )


def after(state: CacheState, lines: Lines, point: Point) -> CacheState:
    """The state behind a point."""
    if state.must is None or not isinstance(point, Access) or not point.caches:
        return state
    out: CacheState = _NOWHERE
    for column in range(point.candidates.shape[1]):
        which = point.candidates[:, column]
        one = _accessed(state, lines, which)
        # a thread without so many candidates has had its last one in an earlier column
        out = one if column == 0 else _where(which >= 0, joined(out, one), out)
    out = state if out.must is None else out
    return (
        out if point.unknown is None else _where(point.unknown, _spoiled(state, lines, point), out)
    )


def _spoiled(state: CacheState, lines: Lines, point: Access) -> CacheState:
    """After an access to nobody knows what."""
    must, may, behind, seen, spoiled = state.arrays
    touched = point.touched if point.touched is not None else lines.line >= 0
    return CacheState(
        np.minimum(must + 1, lines.ways).astype(np.uint8),
        np.where(touched, 0, may).astype(np.uint8), behind, seen | touched,
        spoiled | seen | touched,
    )  # fmt: skip


def _where(threads: np.ndarray, a: CacheState, b: CacheState) -> CacheState:
    pick = threads[:, None]
    return CacheState(*(np.where(pick, x, y) for x, y in zip(a.arrays, b.arrays, strict=True)))


def category(state: CacheState, lines: Lines, access: Access) -> np.ndarray:
    """The category of an access in each thread, (t,) int8, from the state before it."""
    threads = len(lines.line)
    if not access.caches:
        return np.full(threads, Category.AM, np.int8)
    if state.must is None:
        return np.full(threads, Category.AH, np.int8)  # no path comes here: nothing is missed
    must, may, behind, _, spoiled = state.arrays
    row = np.arange(threads)[:, None]
    at, there = np.maximum(access.candidates, 0), access.candidates >= 0
    count = _bits(behind[row, at])
    hit = ((must[row, at] < lines.ways) | ~there).all(axis=1)
    miss = ((may[row, at] == lines.ways) | ~there).all(axis=1)
    stays = (((count < lines.ways) & ~spoiled[row, at]) | ~there).all(axis=1)
    out = np.select([hit, miss, stays], [Category.AH, Category.AM, Category.PS], Category.NC)
    if access.unknown is not None:
        out = np.where(access.unknown, Category.NC, out)
    return out.astype(np.int8)


def _bits(numbers: np.ndarray) -> np.ndarray:
    """How many bits are set, of uint64."""
    whole = np.ascontiguousarray(numbers)
    return np.asarray(np.unpackbits(whole[..., None].view(np.uint8), axis=-1).sum(axis=-1))


@dataclass(frozen=True, eq=False)
class _Caches(FiniteDomain[CacheState]):
    lines: Lines
    points: Sequence[Point]
    bottom: CacheState

    def join(self, a: CacheState, b: CacheState) -> CacheState:
        return joined(a, b)

    def transfer(self, node: int, inputs: Sequence[CacheState]) -> CacheState:
        state = empty(self.lines) if node == 0 else _NOWHERE
        for each in inputs:
            state = joined(state, each)
        return after(state, self.lines, self.points[node])


def states_before(
    lines: Lines, points: Sequence[Point], predecessors: Sequence[Sequence[int]]
) -> list[CacheState]:
    """The state before each point, of a graph in reverse post-order whose point 0 is the entry."""
    domain = _Caches(lines, points, _NOWHERE)
    behind = solve(FlowGraph.of(predecessors), domain, limit=4 * lines.ways * MOST_LINES + 64)
    out = []
    for node, sources in enumerate(predecessors):
        state = empty(lines) if node == 0 else _NOWHERE
        for each in sources:
            state = joined(state, behind[each])
        out.append(state)
    return out


# --- backward: reuse and conflicts ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LineSet:
    """Some lines of each thread, (t, k) bool."""

    lines: np.ndarray

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LineSet) and np.array_equal(self.lines, other.lines)


def accessed_lines(lines: Lines, point: Point) -> np.ndarray:
    """M_p: the lines that each thread may access at a point, (t, k) bool."""
    out = np.zeros(lines.line.shape, bool)
    if not isinstance(point, Access):
        return out
    row = np.arange(len(out))
    for column in range(point.candidates.shape[1]):
        which = point.candidates[:, column]
        out[row[which >= 0], which[which >= 0]] = True
    if point.unknown is not None and point.touched is not None:
        out |= point.touched & point.unknown[:, None]
    return out


@dataclass(frozen=True, eq=False)
class _Backward(FiniteDomain[LineSet]):
    bottom: LineSet
    keep: Sequence[np.ndarray]  #: by point, of what lies behind: (t, k) bool
    add: Sequence[np.ndarray]

    def join(self, a: LineSet, b: LineSet) -> LineSet:
        return LineSet(a.lines | b.lines)

    def transfer(self, node: int, inputs: Sequence[LineSet]) -> LineSet:
        state = self.bottom.lines
        for each in inputs:
            state = state | each.lines
        return LineSet(state & self.keep[node] | self.add[node])


def _backward(
    successors: Sequence[Sequence[int]], keep: Sequence[np.ndarray], add: Sequence[np.ndarray]
) -> list[np.ndarray]:
    nothing = LineSet(np.zeros_like(add[0]))
    found = solve(
        FlowGraph.of(successors), _Backward(nothing, keep, add), backward=True, limit=4096
    )
    return [state.lines for state in found]


def reuse(
    lines: Lines,
    points: Sequence[Point],
    successors: Sequence[Sequence[int]],
    states: Sequence[CacheState],
) -> list[np.ndarray]:
    """Equation (1): the lines that each thread may find in the cache again, before each point."""
    keep, add = [], []
    for point, state in zip(points, states, strict=True):
        mine = accessed_lines(lines, point)
        cached = np.zeros_like(mine) if state.may is None else state.may < lines.ways
        add.append(mine & cached)
        keep.append(~(mine & ~cached))
    return _backward(successors, keep, add)


def conflicts(
    lines: Lines,
    points: Sequence[Point],
    successors: Sequence[Sequence[int]],
    waits: Sequence[np.ndarray],
    *,
    last: bool = False,
) -> list[np.ndarray]:
    """Equation (2): the lines that each thread may access before it waits, before each point.

    `waits` (t,) bool says whether a thread waits at a point. With `last` the reference at which it
    waits is among them; to the letter of the equation it is not.
    """
    keep, add = [], []
    for point, waiting in zip(points, waits, strict=True):
        mine = accessed_lines(lines, point)
        goes_on = ~waiting[:, None]
        keep.append(np.broadcast_to(goes_on, mine.shape))
        add.append(mine if last else mine & goes_on)
    return _backward(successors, keep, add)


__all__ = [
    "BARRIER", "MOST_LINES", "Access", "CacheState", "Category", "Lines", "Point", "accessed_lines",
    "after", "category", "conflicts", "empty", "joined", "reuse", "states_before",
]  # fmt: skip
