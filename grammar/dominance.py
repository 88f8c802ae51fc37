"""Dominators, post-dominators and control dependence.

Dominators: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
Control dependence: Ferrante, Ottenstein and Warren, "The Program Dependence Graph" (1987).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: The virtual exit's number in the post-dominator tree.
EXIT = -1

Edges = Mapping[int, Sequence[int]] | Sequence[Sequence[int]]  #: successors by node


def dominators(edges: Edges, root: int) -> dict[int, int]:
    """Immediate dominators of all that `root` reaches; the root's is itself."""
    order = reverse_post_order(edges, root)
    number = {node: at for at, node in enumerate(order)}
    predecessors: list[list[int]] = [[] for _ in order]
    for node in order:
        for target in edges[node]:
            predecessors[number[target]].append(number[node])
    above = [0] + [-1] * (len(order) - 1)  #: by number; -1 where none is known yet
    changed = True
    while changed:
        changed = False
        for node in range(1, len(order)):
            known = [p for p in predecessors[node] if above[p] >= 0]
            found = known[0]
            for other in known[1:]:
                found = _meet(above, found, other)
            changed |= above[node] != found
            above[node] = found
    return {node: order[above[at]] for at, node in enumerate(order)}


def _meet(above: Sequence[int], one: int, other: int) -> int:
    """The lowest node that is above both in the tree so far."""
    while one != other:
        if one > other:
            one = above[one]
        else:
            other = above[other]
    return one


def reverse_post_order(edges: Edges, root: int) -> list[int]:
    """Nodes that `root` reaches, in reverse post-order; later successors are visited first.

    Visiting the branch target before the fall-through keeps the text's order where both are free.
    """
    order: list[int] = []
    seen = {root}
    pending = [(root, reversed(edges[root]))]
    while pending:
        node, targets = pending[-1]
        target = next((t for t in targets if t not in seen), None)
        if target is None:
            order.append(node)
            pending.pop()
        else:
            seen.add(target)
            pending.append((target, reversed(edges[target])))
    return order[::-1]


def post_dominance(
    successors: Sequence[Sequence[int]], traps: frozenset[int]
) -> tuple[tuple[int, ...], tuple[frozenset[int], ...]]:
    """Immediate post-dominators and control dependence; EXIT is the successor of what leaves."""
    doomed = _only_reach(successors, traps)
    kept = [[s for s in targets if s not in doomed] or list(targets) for targets in successors]
    reverse: dict[int, list[int]] = {node: [] for node in (EXIT, *range(len(kept)))}
    for block, targets in enumerate(kept):
        for target in targets or (EXIT,):
            reverse[target].append(block)
    for block in _ends_of_endless_loops(reverse, len(kept)):
        reverse[EXIT].append(block)
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


def _ends_of_endless_loops(reverse: Edges, count: int) -> list[int]:
    """Blocks that leave for the exit, as if a budget had ended them, so that every block does."""
    reached = set(reverse_post_order(reverse, EXIT))
    ends: list[int] = []
    for block in range(count - 1, -1, -1):
        if block not in reached:
            ends.append(block)
            reached.update(reverse_post_order(reverse, block))
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
