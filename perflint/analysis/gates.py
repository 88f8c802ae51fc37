"""Joins of branches as selections: which definition reaches a phi, said by the branch conditions.

The blocks between a phi's block and its immediate dominator form an acyclic graph once the back
edges of inner loops are left out: a loop is left in its last turn, of which alone the conditions
speak, as loop counters outside their loop stand for their last value. Walking that graph backwards
gives the gating function of the phi (Tu and Padua, "Efficient Building and Placing of Gating
Functions", 1995) as nested `selp`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from perflint.analysis.cfg import ControlFlow
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.simplify import build

#: Blocks between a phi and its dominator; beyond, a selection is no explanation of anything.
_LARGEST = 96

Condition = Callable[[int], Polynomial | None]


def selection(
    flow: ControlFlow,
    block: int,
    top: int,
    values: Mapping[int, Polynomial],
    condition: Condition,
) -> Polynomial | None:
    """The value that meets at a block's start, by the predecessors that it comes from.

    `top` dominates these: the block's dominator, or a loop's header for its latches.
    `condition(b)` is what the jump at the end of block b is taken on. None if a choice depends on a
    condition that is not known, or on an indexed jump.
    """
    region = _between(flow, values, top)
    if region is None:
        return None
    reaching: dict[int, Polynomial] = {}
    for at in sorted(region, reverse=True):
        found: list[tuple[int, Polynomial]] = []
        for way, successor in enumerate(flow.successors[at]):
            if successor == block and at in values:
                found.append((way, values[at]))
            elif successor > at and successor in reaching and successor != block:
                found.append((way, reaching[successor]))
        if not found:
            continue
        two = len(flow.successors[at]) == 2
        value = _chosen(found, condition(at) if two else None)
        if value is None:
            return None
        reaching[at] = value
    return reaching.get(top)


def _chosen(found: list[tuple[int, Polynomial]], taken: Polynomial | None) -> Polynomial | None:
    first = found[0][1]
    if all(value == first for _, value in found):
        return first
    if taken is None or len(found) != 2:
        return None
    by_way = dict(found)  # way 0 falls through, way 1 jumps
    return build("selp", (by_way[1], by_way[0], taken))


def deciding(flow: ControlFlow, top: int, ends: Iterable[int]) -> frozenset[int]:
    """The branching blocks whose conditions a selection among `ends` may look at."""
    region = _between(flow, ends, top)
    return frozenset(b for b in region or () if len(flow.successors[b]) == 2)


def _between(flow: ControlFlow, ends: Iterable[int], top: int) -> set[int] | None:
    """The blocks on paths from `top` to `ends`; None if they are too many."""
    region = set(ends)
    pending = [b for b in region if b != top]
    while pending:
        for predecessor in flow.predecessors[pending.pop()]:
            if predecessor not in region:
                if not flow.dominates(top, predecessor) or len(region) > _LARGEST:
                    return None
                region.add(predecessor)
                if predecessor != top:
                    pending.append(predecessor)
    return region
