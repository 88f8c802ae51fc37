"""Coverage: what was explored of what may cost anything, and why not the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from perflint.stress.guided.knowledge import Guidance
from perflint.stress.guided.subject import Coverage

Edge = tuple[int, bool]
Marks = Mapping[Edge, np.ndarray]

UNSATISFIABLE, UNKNOWN, BUDGET = "unsatisfiable", "unknown", "budget"
FIXED = "decided by no input"


def references_covered(
    guidance: Guidance,
    explored: Mapping[int, np.ndarray],
    edges: Marks,
    symbolic: Mapping[int, np.ndarray],
    outcomes: Mapping[Edge, Counter[str]],
    pending: set[Edge],
) -> Coverage:
    """(thread, reference) that were explored, of those that are not AH without conflict."""
    done = total = 0
    why: Counter[str] = Counter()
    nobody = np.zeros(guidance.threads.count, bool)
    for point, position in guidance.graph.position_of.items():
        wanted = guidance.missing[point] | guidance.conflicting[point]
        seen = explored.get(position, nobody)
        done += int(np.count_nonzero(wanted & seen))
        total += int(np.count_nonzero(wanted))
        left = wanted & ~seen
        if left.any():
            why.update(_reasons(guidance, point, left, edges, symbolic, outcomes, pending))
    return Coverage(done, total, dict(sorted(why.items())))


def _reasons(
    guidance: Guidance,
    point: int,
    left: np.ndarray,
    edges: Marks,
    symbolic: Mapping[int, np.ndarray],
    outcomes: Mapping[Edge, Counter[str]],
    pending: set[Edge],
) -> Counter[str]:
    """Why some threads did not come to a reference: what is known of the branches before it."""
    out: Counter[str] = Counter()
    rest = left.copy()
    nobody = np.zeros(len(left), bool)
    for position in guidance.graph.branch_of:
        for way in (True, False):
            if point not in guidance.behind(position, way):
                continue
            came = edges.get((position, True), nobody) | edges.get((position, False), nobody)
            turned = came & ~edges.get((position, way), nobody)
            mine = rest & turned & symbolic.get(position, nobody)
            count = int(np.count_nonzero(mine))
            if count:
                out[_of_edge((position, way), outcomes, pending)] += count
                rest &= ~mine
            # the branch was come to, and its condition is the thread's own index
            fixed = rest & turned & ~symbolic.get(position, nobody)
            out[FIXED] += int(np.count_nonzero(fixed))
            rest &= ~fixed
    out["behind what was not reached"] += int(np.count_nonzero(rest))
    return +out


def _of_edge(edge: Edge, outcomes: Mapping[Edge, Counter[str]], pending: set[Edge]) -> str:
    found = outcomes.get(edge, Counter())
    if edge in pending:
        return BUDGET
    if found[UNKNOWN]:
        return UNKNOWN
    return UNSATISFIABLE if found[UNSATISFIABLE] else BUDGET


def edges_covered(
    guidance: Guidance,
    edges: Marks,
    symbolic: Mapping[int, np.ndarray],
    outcomes: Mapping[Edge, Counter[str]],
    pending: set[Edge],
) -> Coverage:
    """Ways of branches that some thread went."""
    done, why = 0, Counter[str]()
    for position in guidance.graph.branch_of:
        for way in (True, False):
            if (position, way) in edges:
                done += 1
            elif position not in symbolic:
                came = (position, not way) in edges
                why[FIXED if came else "behind what was not reached"] += 1
            else:
                why[_of_edge((position, way), outcomes, pending)] += 1
    return Coverage(done, 2 * len(guidance.graph.branch_of), dict(sorted(why.items())))
