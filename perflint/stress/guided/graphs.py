"""The graphs of the search, as networkx has them: control dependence, calls, and schedules.

networkx is imported here only, and when a graph is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perflint.base.user_error import UserError
from perflint.grammar.model import Module, Symbol
from perflint.stress.guided.timeline import Turn
from perflint.symbolic.routes import Ways, dependences


def _networkx() -> Any:
    try:
        import networkx
    except ImportError as error:
        raise UserError("perflint stress needs networkx: pip install networkx") from error
    return networkx


def control_dependence(ways: Ways) -> Any:
    """The CDG, a MultiDiGraph of nodes: an edge (branch, dependent, way) for each dependence."""
    graph = _networkx().MultiDiGraph()
    graph.add_nodes_from(range(len(ways)))
    for branch, dependent, way in dependences(ways):
        graph.add_edge(branch, dependent, key=way)
    return graph


def reachable(graph: Any, node: int, way: bool) -> frozenset[int]:
    """e ⇝: the nodes that are reached in the CDG from the edges of a branch's way."""
    networkx = _networkx()
    first = [target for _, target, key in graph.out_edges(node, keys=True) if key == way]
    found = set(first)
    for target in first:
        found |= networkx.descendants(graph, target)
    return frozenset(found)


def call_graph(module: Module) -> Any:
    """Which function calls which, a DiGraph of their names; calls through registers go to `?`."""
    graph = _networkx().DiGraph()
    for function in module.functions.values():
        graph.add_node(function.name)
        for instruction in function.instructions:
            if instruction.call is not None:
                target = instruction.call.target
                graph.add_edge(function.name, target.name if isinstance(target, Symbol) else "?")
    return graph


def schedule_graph(turns: Sequence[Turn]) -> Any:
    """SH: a DiGraph of turns, (number, warp), each leading to the next and to its warp's next one.

    An edge says why it is there: `switch` to another warp, or `program`, the warp's own order.
    """
    graph = _networkx().DiGraph()
    last: dict[int, tuple[int, int]] = {}
    before: tuple[int, int] | None = None
    for number, turn in enumerate(turns):
        node = (number, turn.warp)
        graph.add_node(node, requests=turn.requests, ended=turn.ended)
        if before is not None:
            graph.add_edge(before, node, why="switch")
        if turn.warp in last:
            graph.add_edge(last[turn.warp], node, why="program")
        last[turn.warp] = before = node
    return graph
