"""The static summary of all threads: categories of references, reuse and conflicts.

Sections 4.1.1 to 4.1.3 of GUPT. Each thread is looked at by itself, and once; what threads do to
one another is a matter of the search.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perflint.base.records import dataclass
from perflint.stress.guided.cache_states import (
    BARRIER,
    Access,
    Category,
    Lines,
    Point,
    accessed_lines,
    category,
    conflicts,
    reuse,
    states_before,
)
from perflint.stress.guided.unrolling import Unrolled, as_it_is, unrolled


@dataclass(frozen=True, eq=False)
class Summary:
    """What is known of each of `t` threads, with `k` lines each, before anything runs."""

    lines: Lines
    points: tuple[Point, ...]
    #: by point: in first turns and in later ones, (t,) int8; None where the point has no access.
    #: Where a loop makes a reference PS, it is NC in its first turn and AH later.
    first: tuple[np.ndarray | None, ...]
    later: tuple[np.ndarray | None, ...]
    category: tuple[np.ndarray | None, ...]  #: without unrolling: AH, AM, PS or NC
    reuse: tuple[np.ndarray, ...]  #: by point: lines that may be reused from it on, (t, k) bool
    conflict: tuple[
        np.ndarray, ...
    ]  #: by point: lines accessed until it waits, to the letter of (2)
    until: tuple[np.ndarray, ...]  #: the same with the reference at which it waits

    def missing(self, point: int) -> np.ndarray:
        """Whether a reference is not AH in some turn, by thread, (t,) bool."""
        out = np.zeros(len(self.lines.line), bool)
        for each in (self.first[point], self.later[point]):
            if each is not None:
                out |= each != Category.AH
        return out


def summarised(
    lines: Lines, points: Sequence[Point], successors: Sequence[Sequence[int]]
) -> Summary:
    """The summary of a graph of points whose point 0 is the entry."""
    graph = unrolled(successors)
    copies = [points[node] for node in graph.node]
    states = states_before(lines, copies, graph.predecessors)
    found = [
        _decomposed(category(state, lines, point), first) if isinstance(point, Access) else None
        for point, state, first in zip(copies, states, graph.first, strict=True)
    ]
    waits = [_waits(lines, point, each) for point, each in zip(copies, found, strict=True)]
    again = reuse(lines, copies, graph.successors, states)
    letter = conflicts(lines, copies, graph.successors, waits)
    until = conflicts(lines, copies, graph.successors, waits, last=True)
    return Summary(
        lines,
        tuple(points),
        tuple(_worst(graph, found, node, True) for node in range(len(points))),
        tuple(_worst(graph, found, node, False) for node in range(len(points))),
        _flat(lines, points, successors),
        tuple(_union(lines, graph, again, node) for node in range(len(points))),
        tuple(_union(lines, graph, letter, node) for node in range(len(points))),
        tuple(_union(lines, graph, until, node) for node in range(len(points))),
    )


def _decomposed(found: np.ndarray, first: bool) -> np.ndarray:
    """PS is NC where it occurs first, and AH from then on."""
    instead = Category.NC if first else Category.AH
    return np.where(found == Category.PS, instead, found).astype(np.int8)


def _waits(lines: Lines, point: Point, found: np.ndarray | None) -> np.ndarray:
    """Whether each thread waits at a point, for the DRAM or at a barrier; not for stores."""
    threads = len(lines.line)
    if isinstance(point, Access):
        assert found is not None
        return found != Category.AH if point.kind != "store" else np.zeros(threads, bool)
    return np.full(threads, point == BARRIER)


def _flat(
    lines: Lines, points: Sequence[Point], successors: Sequence[Sequence[int]]
) -> tuple[np.ndarray | None, ...]:
    """The categories without unrolling."""
    graph = as_it_is(successors)
    states = states_before(lines, [points[n] for n in graph.node], graph.predecessors)
    out: list[np.ndarray | None] = [None] * len(points)
    for at, node in enumerate(graph.node):
        point = points[node]
        if isinstance(point, Access):
            out[node] = category(states[at], lines, point)
    return tuple(out)


#: What holds of two copies of a reference, by their categories AH, AM and NC (there is no PS left).
_WEAKER = np.array([[0, 3, 3, 3], [3, 1, 3, 3], [3, 3, 3, 3], [3, 3, 3, 3]], np.int8)


def _worst(
    graph: Unrolled, found: Sequence[np.ndarray | None], node: int, first: bool
) -> np.ndarray | None:
    out: np.ndarray | None = None
    for copy, each in enumerate(found):
        if graph.node[copy] != node or graph.first[copy] != first or each is None:
            continue
        out = each if out is None else _WEAKER[out, each]
    return out


def _union(lines: Lines, graph: Unrolled, found: Sequence[np.ndarray], node: int) -> np.ndarray:
    out = np.zeros(lines.line.shape, bool)
    for copy, each in enumerate(found):
        if graph.node[copy] == node:
            out |= each
    return out


def conflicting(summary: Summary, warp_of: np.ndarray) -> tuple[np.ndarray, ...]:
    """Intf(m, W∖w): by point, whether what a thread accesses may conflict with other warps' lines.

    (t,) bool each; `warp_of` (t,) is the warp of each thread. A conflict is another line of the
    same cache set, accessed by a thread of another warp.
    """
    lines = summary.lines
    used = np.zeros(lines.line.shape, bool)
    for point in summary.points:
        used |= accessed_lines(lines, point)
    warp = np.broadcast_to(warp_of[:, None], used.shape)[used]
    group, line = lines.set[used], lines.line[used]
    rows, back = np.unique(np.stack([group, warp, line], axis=1), axis=0, return_inverse=True)
    # of a set's rows those of other warps with other lines
    others = _alike(rows[:, :1]) - _alike(rows[:, :2]) - _alike(rows[:, [0, 2]]) + 1
    clash = np.zeros(lines.line.shape, bool)
    clash[used] = (others > 0)[back.reshape(-1)]
    out: list[np.ndarray] = []
    for point in summary.points:
        mine = accessed_lines(lines, point)
        hit = (mine & clash).any(axis=1)
        if isinstance(point, Access) and point.unknown is not None:
            hit = hit | point.unknown
        out.append(np.asarray(hit))
    return tuple(out)


def _alike(rows: np.ndarray) -> np.ndarray:
    """How many rows are equal to each."""
    if not len(rows):
        return np.zeros(0, np.int64)
    _, back, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return np.asarray(counts[back.reshape(-1)])
