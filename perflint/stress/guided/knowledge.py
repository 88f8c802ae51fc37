"""The static summary as the search and the schedules ask for it: by warp and program point."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property, lru_cache

import numpy as np

from perflint.stress.guided.cache_states import Access, Category, accessed_lines
from perflint.stress.guided.graphs import reachable
from perflint.stress.guided.references import Graph, Threads
from perflint.stress.guided.schedule import Knowledge
from perflint.stress.guided.summary import Summary, conflicting, summarised
from perflint.stress.guided.timeline import AlwaysHit, Requests


class Guidance:
    """What the static side knows of a launch."""

    def __init__(
        self, graph: Graph, threads: Threads, dependence: object, position: Mapping[int, int]
    ) -> None:
        """`dependence` is the CDG of the program's blocks; `position` is that of each pc."""
        self.graph, self.threads, self._dependence = graph, threads, dependence
        self._position = position
        self.summary: Summary = summarised(graph.lines, graph.points, graph.successors)

    @cached_property
    def _real(self) -> np.ndarray:
        return self.threads.real

    @cached_property
    def missing(self) -> dict[int, np.ndarray]:
        """By point: the threads of which its reference is not AH, (n,) bool."""
        return {p: self.summary.missing(p) & self._real for p in self.graph.position_of}

    @cached_property
    def conflicting(self) -> dict[int, np.ndarray]:
        """By point: the threads whose reference may conflict with other warps', (n,) bool."""
        found = conflicting(self.summary, self.threads.warp)
        return {p: found[p] & self._real for p in self.graph.position_of}

    # --- states ----------------------------------------------------------------------------------

    def behind(self, position: int, way: bool) -> frozenset[int]:
        """The references, by point, that are reachable from the CDG edges of a branch's way."""
        block = self.graph.branch_of.get(position)
        if block is None:
            return frozenset()
        return self._behind(block, way)

    @lru_cache(maxsize=4096)  # noqa: B019 - lives as long as the exploration
    def _behind(self, block: int, way: bool) -> frozenset[int]:
        blocks = reachable(self._dependence, block, way)
        return frozenset(
            point
            for point, position in self.graph.position_of.items()
            if self.graph.block_of[position] in blocks
        )

    def memory(
        self, position: int, way: bool, warp: int, explored: Mapping[int, np.ndarray]
    ) -> int:
        """Equation (3): Σ |R_mem(e, t)| over a warp's threads, of what is not explored yet."""
        return self._count(self.missing, position, way, warp, explored)

    def pollution(
        self, position: int, way: bool, warp: int, explored: Mapping[int, np.ndarray]
    ) -> int:
        """Equation (4): |C_mem(e, w)|, of what is not explored yet: references, not threads."""
        mine = slice(32 * warp, 32 * warp + 32)
        count = 0
        for point in self.behind(position, way):
            clash = self.conflicting[point][mine]
            seen = explored.get(self.graph.position_of[point])
            count += bool((clash if seen is None else clash & ~seen[mine]).any())
        return count

    def _count(
        self,
        wanted: Mapping[int, np.ndarray],
        position: int,
        way: bool,
        warp: int,
        explored: Mapping[int, np.ndarray],
    ) -> int:
        mine = slice(32 * warp, 32 * warp + 32)
        total = 0
        for point in self.behind(position, way):
            seen = explored.get(self.graph.position_of[point])
            some = wanted[point][mine] if seen is None else wanted[point][mine] & ~seen[mine]
            total += int(np.count_nonzero(some))
        return total

    # --- schedules -------------------------------------------------------------------------------

    def _points(self, requests: Requests) -> list[int]:
        """The point of each request; -1 for one that is no reference of the graph."""
        points = self.graph.point_of
        return [points.get(self._position.get(pc, -1), -1) for pc in requests.trace.pc.tolist()]

    def knowledge(self, requests: Requests) -> Knowledge:
        """What a schedule of a trace may know.

        To what equation (2) finds the reference at which a warp waits is added: to the letter, a
        warp that is about to miss would count for nothing, though (5) asks for misses. Where its
        address is not known statically, the trace has it.
        """
        points, summary = self._points(requests), self.summary

        @cache
        def static(which: str, warp: int, point: int) -> frozenset[int]:
            lines = (summary.until if which == "conflict" else summary.reuse)[point]
            return self._of_warp(lines, warp)

        def conflict(warp: int, request: int) -> frozenset[int]:
            point = points[request]
            if point < 0:
                return frozenset()
            found = static("conflict", warp, point)
            access = summary.points[point]
            if isinstance(access, Access) and access.unknown is not None:
                found |= {line for line, _, _ in requests.by_request[request]}
            return found

        def reuse(warp: int, request: int) -> frozenset[int]:
            return static("reuse", warp, points[request]) if points[request] >= 0 else frozenset()

        def missing(warp: int, request: int) -> frozenset[int]:
            return conflict(warp, request) - self._hitting.get(warp, frozenset())

        return Knowledge(conflict, reuse, missing)

    def _of_warp(self, lines: np.ndarray, warp: int) -> frozenset[int]:
        mine = slice(32 * warp, 32 * warp + 32)
        return frozenset(self.summary.lines.line[mine][lines[mine]].tolist())

    @cached_property
    def _hitting(self) -> dict[int, frozenset[int]]:
        """By warp: lines whose every reference is AH in all its threads."""
        hit = np.zeros(self.summary.lines.line.shape, bool)
        miss = np.zeros_like(hit)
        for point, access in enumerate(self.summary.points):
            if not isinstance(access, Access):
                continue
            mine = accessed_lines(self.summary.lines, access)
            bad = self.summary.missing(point)[:, None]
            hit |= mine & ~bad
            miss |= mine & bad
        warps = len(hit) // 32
        return {w: self._of_warp(hit, w) - self._of_warp(miss, w) for w in range(warps)}

    def always_hit(self, requests: Requests) -> AlwaysHit:
        """Whether `Chmc(m, t) = AH` for all threads of a request, as it occurs.

        PS is NC where a thread's line occurs first, and AH from then on: which it is, the run
        shows.
        """
        points, summary = self._points(requests), self.summary
        warp_of = requests.trace.warp.tolist()
        seen: dict[tuple[int, int], int] = {}

        def hits(request: int) -> bool:
            warp, point = warp_of[request], points[request]
            before = True
            for (line, _, _), lanes in zip(
                requests.by_request[request], requests.lanes[request], strict=True
            ):
                had = seen.get((warp, line), 0)
                before &= lanes & ~had == 0
                seen[warp, line] = had | lanes
            found = summary.category[point] if point >= 0 else None
            if found is None:
                return False
            mine = slice(32 * warp, 32 * warp + 32)
            own = found[mine][self._real[mine]]
            if (own == Category.AH).all():
                return True
            return before and bool(((own == Category.AH) | (own == Category.PS)).all())

        return hits
