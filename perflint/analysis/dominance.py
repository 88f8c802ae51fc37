"""Dominators, post-dominators and control dependence.

Dominators: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), as in networkx.
Control dependence: Ferrante, Ottenstein and Warren, "The Program Dependence Graph" (1987).
"""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx

#: The virtual exit's number in the post-dominator tree.
EXIT = -1


def dominators(graph: nx.DiGraph, root: int) -> dict[int, int]:
    """Immediate dominators of all that `root` reaches; the root's is itself."""
    found: dict[int, int] = dict(nx.immediate_dominators(graph, root))
    # networkx 3.6 leaves the root out, older versions give it itself.
    found[root] = root
    return found


def post_dominance(
    successors: Sequence[Sequence[int]], traps: frozenset[int]
) -> tuple[tuple[int, ...], tuple[frozenset[int], ...]]:
    """Immediate post-dominators and control dependence; EXIT is the successor of what leaves."""
    doomed = _only_reach(successors, traps)
    kept = [[s for s in targets if s not in doomed] or list(targets) for targets in successors]
    reverse = nx.DiGraph()
    reverse.add_nodes_from([EXIT, *range(len(kept))])
    reverse.add_edges_from((s, b) for b, targets in enumerate(kept) for s in targets)
    reverse.add_edges_from((EXIT, b) for b, targets in enumerate(kept) if not targets)
    for block in _ends_of_endless_loops(reverse, len(kept)):
        reverse.add_edge(EXIT, block)
        kept[block] = [*kept[block], EXIT]
    found = dominators(reverse, EXIT)
    controllers: list[set[int]] = [set() for _ in kept]
    for block, targets in enumerate(kept):
        if len(targets) < 2:
            continue
        stop = found[block]
        for target in targets:
            runner = target
            while runner not in (stop, EXIT):
                controllers[runner].add(block)
                runner = found[runner]
    return tuple(found[b] for b in range(len(kept))), tuple(frozenset(c) for c in controllers)


def _ends_of_endless_loops(reverse: nx.DiGraph, count: int) -> list[int]:
    """Blocks that leave for the exit, as if a budget had ended them, so that every block does."""
    reached = {EXIT} | nx.descendants(reverse, EXIT)
    ends: list[int] = []
    for block in range(count - 1, -1, -1):
        if block not in reached:
            ends.append(block)
            reached |= {block} | nx.descendants(reverse, block)
    return ends


def _only_reach(successors: Sequence[Sequence[int]], traps: frozenset[int]) -> frozenset[int]:
    """Blocks that surely end in one of `traps`: all their successors do."""
    doomed = set(traps)
    changed = bool(doomed)
    while changed:
        changed = False
        for block in range(len(successors) - 1, 0, -1):
            targets = successors[block]
            if block not in doomed and targets and all(t in doomed for t in targets):
                doomed.add(block)
                changed = True
    return frozenset(doomed)
