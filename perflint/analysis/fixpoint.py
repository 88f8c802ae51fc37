"""The fixpoint engine: one worklist algorithm for every abstract domain.

The nodes of a flow graph are numbered in reverse post-order of the direction of the analysis:
basic blocks, or the definitions of registers (the sparse form, `ssa.py`). For a backward analysis
a node's inputs are its successors. Kam and Ullman,
"Monotone Data Flow Analysis Frameworks" (1977); widening as in Cousot and Cousot (1977).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

State = TypeVar("State")


@dataclass(frozen=True)
class FlowGraph:
    """Who depends on whom. `inputs[n]` are the nodes whose states node n's transfer reads."""

    inputs: tuple[tuple[int, ...], ...]
    dependents: tuple[tuple[int, ...], ...]
    widening: frozenset[int] = frozenset()  #: nodes that cut every cycle, such as loop headers

    @staticmethod
    def of(inputs: Sequence[Sequence[int]], widening: frozenset[int] = frozenset()) -> FlowGraph:
        """The graph with these inputs, the dependents derived from them."""
        dependents: list[list[int]] = [[] for _ in inputs]
        for node, sources in enumerate(inputs):
            for source in dict.fromkeys(sources):
                dependents[source].append(node)
        return FlowGraph(
            tuple(tuple(i) for i in inputs), tuple(tuple(d) for d in dependents), widening
        )


class Domain(Protocol, Generic[State]):
    """An abstract domain over the nodes of a flow graph."""

    @property
    def bottom(self) -> State:
        """The state of a node that nothing has reached yet."""

    def join(self, a: State, b: State) -> State:
        """The least state above both."""

    def widen(self, node: int, old: State, new: State) -> State:
        """A state above both that makes growing chains end; `new` where chains are short."""

    def transfer(self, node: int, inputs: Sequence[State]) -> State:
        """The state after a node, from its inputs' states in the graph's order."""


class BudgetExceededError(Exception):
    """A domain whose states kept growing: it lacks a widening."""


def solve(
    graph: FlowGraph, domain: Domain[State], *, backward: bool = False, limit: int = 64
) -> list[State]:
    """The least fixpoint, by node number.

    A node is taken up again whenever one of its inputs changed, lowest number first (`backward`:
    highest first). Raises BudgetExceededError if one node is visited `limit` times per node on
    average, which a domain of finite height or with a proper widening never needs.
    """
    count = len(graph.inputs)
    states = [domain.bottom] * count
    sign = -1 if backward else 1
    # A sorted list is a heap.
    pending = [sign * n for n in (range(count - 1, -1, -1) if backward else range(count))]
    waiting = [True] * count
    visited = [False] * count
    budget = limit * count + 64
    while pending:
        node = sign * heapq.heappop(pending)
        waiting[node] = False
        new = domain.transfer(node, [states[source] for source in graph.inputs[node]])
        if visited[node]:
            if node in graph.widening:
                new = domain.widen(node, states[node], new)
            if new == states[node]:
                continue
        elif new == domain.bottom:
            visited[node] = True
            continue
        visited[node] = True
        states[node] = new
        for dependent in graph.dependents[node]:
            if not waiting[dependent]:
                waiting[dependent] = True
                heapq.heappush(pending, sign * dependent)
        budget -= 1
        if budget < 0:
            raise BudgetExceededError(f"no fixpoint after {limit * count + 64} steps")
    return states
