"""Graphs of points: loops virtually unrolled once, so that first turns are told from later ones.

Martin, Alt, Wilhelm and Ferdinand, "Analysis of Loops" (CC 1998): a copy of each node for every
combination of first and later turns of the loops around it.
"""

from __future__ import annotations

from collections.abc import Sequence

from perflint.base.records import dataclass
from perflint.grammar.dominance import reverse_post_order

#: Loops around a node that are told apart; of deeper ones all turns are alike.
_DEEPEST = 3


@dataclass(frozen=True)
class Unrolled:
    """Nodes in reverse post-order, each of them a node of the graph in a context."""

    node: tuple[int, ...]  #: of the graph that was unrolled
    first: tuple[bool, ...]  #: whether it is in the first turn of all loops around it
    successors: tuple[tuple[int, ...], ...]
    predecessors: tuple[tuple[int, ...], ...]


def loops(successors: Sequence[Sequence[int]]) -> dict[int, frozenset[int]]:
    """The nodes of each loop by its header, of a graph whose node 0 is the entry."""
    order = reverse_post_order(successors, 0)
    number = {node: at for at, node in enumerate(order)}
    before: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for target in successors[node]:
            before[target].append(node)
    out = {}
    for header in order:
        pending = [node for node in before[header] if number[node] >= number[header]]
        if not pending:
            continue
        body = {header}
        while pending:
            node = pending.pop()
            # what comes before the header enters an irreducible loop from outside
            if node not in body and number[node] > number[header]:
                body.add(node)
                pending.extend(before[node])
        out[header] = frozenset(body)
    return out


def unrolled(successors: Sequence[Sequence[int]]) -> Unrolled:
    """The graph with each loop's first turn apart."""
    found = loops(successors)
    around = {
        node: tuple(
            h for h in sorted(found, key=lambda h: (-len(found[h]), h)) if node in found[h]
        )[:_DEEPEST]
        for node in range(len(successors))
    }
    edges: list[list[int]] = []
    number: dict[tuple[int, tuple[bool, ...]], int] = {}
    keys: list[tuple[int, tuple[bool, ...]]] = []

    def known(key: tuple[int, tuple[bool, ...]]) -> int:
        if key not in number:
            number[key] = len(keys)
            keys.append(key)
            edges.append([])
        return number[key]

    at = known((0, (False,) * len(around[0])))
    while at < len(keys):
        node, later = keys[at]
        turns = dict(zip(around[node], later, strict=True))
        for target in successors[node]:
            again = target in found and node in found[target]
            context = tuple(
                True if loop == target and again else turns.get(loop, False)
                for loop in around[target]
            )
            edges[at].append(known((target, context)))
        at += 1
    return _numbered([k[0] for k in keys], [not any(k[1]) for k in keys], edges)


def as_it_is(successors: Sequence[Sequence[int]]) -> Unrolled:
    """The graph itself, all turns of its loops alike."""
    count = len(successors)
    return _numbered(list(range(count)), [True] * count, successors)


def _numbered(
    nodes: Sequence[int], first: Sequence[bool], edges: Sequence[Sequence[int]]
) -> Unrolled:
    order = reverse_post_order(edges, 0)
    place = {old: new for new, old in enumerate(order)}
    after = tuple(tuple(place[t] for t in edges[old]) for old in order)
    before: list[list[int]] = [[] for _ in order]
    for new, targets in enumerate(after):
        for target in targets:
            before[target].append(new)
    return Unrolled(
        tuple(nodes[old] for old in order),
        tuple(first[old] for old in order),
        after,
        tuple(map(tuple, before)),
    )
