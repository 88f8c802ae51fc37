"""The fixpoint engine: one worklist algorithm for every abstract domain.

The nodes of a flow graph are numbered in reverse post-order of the direction of the analysis:
basic blocks, or the definitions of registers (the sparse form, `ssa.py`). For a backward analysis
a node's inputs are its successors. Kam and Ullman,
"Monotone Data Flow Analysis Frameworks" (1977); widening as in Cousot and Cousot (1977). What
branches say of a value (`assume`) is told at its uses: the sparse form has no edges of control.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Generic, Protocol, TypeVar

from perflint.base.records import dataclass

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Assumption:
    """What a branch taken on the way to a node says of one of its inputs."""

    position: int  #: of the input among the node's
    comparison: str  #: `lt`, `le`, `gt`, `ge`, `eq` or `ne`: input comparison other
    other: int  #: the position of what it was compared with


@dataclass(frozen=True)
class FlowGraph:
    """Who depends on whom. `inputs[n]` are the nodes whose states node n's transfer reads."""

    inputs: tuple[tuple[int, ...], ...]
    dependents: tuple[tuple[int, ...], ...]
    widening: frozenset[int] = frozenset()  #: nodes that cut every cycle, such as loop headers
    assumptions: Mapping[int, tuple[Assumption, ...]] = field(default_factory=dict)  #: by node

    @staticmethod
    def of(
        inputs: Sequence[Sequence[int]],
        widening: frozenset[int] = frozenset(),
        assumptions: Mapping[int, tuple[Assumption, ...]] | None = None,
    ) -> FlowGraph:
        """The graph with these inputs, the dependents derived from them."""
        dependents: list[list[int]] = [[] for _ in inputs]
        for node, sources in enumerate(inputs):
            for source in dict.fromkeys(sources):
                dependents[source].append(node)
        return FlowGraph(
            tuple(tuple(i) for i in inputs),
            tuple(tuple(d) for d in dependents),
            widening,
            assumptions or {},
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

    def narrow(self, node: int, old: State, new: State) -> State:
        """A state between `new` and `old`, once more is known; `old` where nothing was widened."""

    def transfer(self, node: int, inputs: Sequence[State]) -> State:
        """The state after a node, from its inputs' states in the graph's order."""

    def assume(self, state: State, comparison: str, other: State) -> State:
        """What is left of a state where a branch says `state comparison other`."""


class FiniteDomain(Generic[State]):
    """The parts that a domain of finite height and without a use for branches does not need."""

    def widen(self, node: int, old: State, new: State) -> State:
        return new

    def narrow(self, node: int, old: State, new: State) -> State:
        return old

    def assume(self, state: State, comparison: str, other: State) -> State:
        return state


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
        new = _transferred(graph, domain, states, node)
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
    if graph.widening:
        _descend(graph, domain, states, backward)
    return states


#: How often a node is taken up again after widening. Every state stays above the least fixpoint.
_DESCENTS = 2


def _descend(graph: FlowGraph, domain: Domain[State], states: list[State], backward: bool) -> None:
    """Takes back what widening gave away: narrowing (Cousot and Cousot, 1977)."""
    sign = -1 if backward else 1
    pending = sorted(sign * n for n in graph.widening)
    waiting = set(graph.widening)
    left = [_DESCENTS] * len(states)
    while pending:
        node = sign * heapq.heappop(pending)
        waiting.discard(node)
        left[node] -= 1
        new = _transferred(graph, domain, states, node)
        if node in graph.widening:
            new = domain.narrow(node, states[node], new)
        if new == states[node]:
            continue
        states[node] = new
        for dependent in graph.dependents[node]:
            if left[dependent] and dependent not in waiting:
                waiting.add(dependent)
                heapq.heappush(pending, sign * dependent)


def _transferred(
    graph: FlowGraph, domain: Domain[State], states: Sequence[State], node: int
) -> State:
    """A node's new state, its inputs restricted to what branches on the way say of them."""
    inputs = [states[source] for source in graph.inputs[node]]
    for each in graph.assumptions.get(node, ()):
        state, other = inputs[each.position], inputs[each.other]
        inputs[each.position] = domain.assume(state, each.comparison, other)
    return domain.transfer(node, inputs)
