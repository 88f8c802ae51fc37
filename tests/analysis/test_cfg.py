"""Control-flow graphs against naive definitions, on known and on random graphs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.analysis.cfg import ControlFlow, control_flow
from perflint.grammar.dominance import EXIT
from perflint.grammar.model import Function, Guard, Instruction, Register, Symbol

P = Register("%p1")


def function_of(edges: Sequence[Sequence[int]], ending: dict[int, str] | None = None) -> Function:
    """A function whose block n does something and then branches to `edges[n]` (at most two)."""
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}

    def add(opcode: str, target: int | None = None, guarded: bool = False) -> None:
        operands = () if target is None else (Symbol(f"L{target}"),)
        guard = Guard(P) if guarded else None
        at = len(instructions)
        instructions.append(Instruction(opcode, (), operands, at, at + 1, guard))

    for block, targets in enumerate(edges):
        labels[f"L{block}"] = len(instructions)
        add("membar")
        if not targets:
            add((ending or {}).get(block, "ret"))
        elif len(targets) == 1:
            add("bra", targets[0])
        else:
            add("bra", targets[1], guarded=True)
            add("bra", targets[0])
    return Function("f", "entry", (), (), tuple(instructions), labels, {"%p1": "pred"}, (), {}, {})


def names(flow: ControlFlow, function: Function) -> dict[int, int]:
    """Block number → the number in the test's graph, for blocks that begin one of its blocks."""
    label_at = {pc: int(name[1:]) for name, pc in function.labels.items()}
    return {b.number: label_at[b.start] for b in flow.blocks if b.start in label_at}


def reachable(edges: Sequence[Sequence[int]], start: int, without: int | None = None) -> set[int]:
    seen: set[int] = set()
    pending = [start] if start != without else []
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending.extend(t for t in edges[node] if t != without)
    return seen


graphs = st.integers(1, 9).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, n - 1), max_size=2, unique=True), min_size=n, max_size=n
    )
)


@settings(max_examples=200)
@given(graphs)
def test_dominators_are_what_every_path_passes(edges: list[list[int]]) -> None:
    flow = control_flow(function_of(edges))
    raw = [list(s) for s in flow.successors]
    for a in range(len(raw)):
        cut_off = set(range(len(raw))) - reachable(raw, 0, without=a)
        assert {b for b in range(len(raw)) if flow.dominates(a, b)} == cut_off


@settings(max_examples=200)
@given(graphs)
def test_blocks_are_in_reverse_post_order(edges: list[list[int]]) -> None:
    """Only retreating edges go to a lower number, and their targets are loop headers."""
    function = function_of(edges)
    flow = control_flow(function)
    for block, targets in enumerate(flow.successors):
        for target in targets:
            assert target > block or target in flow.loops
    assert set(names(flow, function).values()) == reachable(edges, 0)


@settings(max_examples=200)
@given(graphs)
def test_post_dominators_are_what_every_way_out_passes(edges: list[list[int]]) -> None:
    flow = control_flow(function_of(edges))
    raw = [list(s) for s in flow.successors]
    exits = {b for b, targets in enumerate(raw) if not targets}
    if any(not reachable(raw, b) & exits for b in range(len(raw))):
        return  # an endless loop: where it leaves is a convention
    for block in range(len(raw)):
        runner, found = flow.immediate_post_dominator[block], set()
        while runner != EXIT:
            found.add(runner)
            runner = flow.immediate_post_dominator[runner]
        passed = {b for b in range(len(raw)) if not reachable(raw, block, without=b) & exits}
        assert found == passed - {block}


@settings(max_examples=200)
@given(graphs)
def test_control_dependence_is_a_choice_that_decides(edges: list[list[int]]) -> None:
    """b depends on a if b is sure on one of a's branches and not on the other."""
    flow = control_flow(function_of(edges))
    raw = [list(s) for s in flow.successors]
    exits = {b for b, targets in enumerate(raw) if not targets}
    if any(not reachable(raw, b) & exits for b in range(len(raw))):
        return

    def sure(start: int, block: int) -> bool:
        return not reachable(raw, start, without=block) & exits

    for a, targets in enumerate(raw):
        for b in range(len(raw)):
            decides = len(targets) == 2 and sure(targets[0], b) != sure(targets[1], b)
            assert (a in flow.controllers[b]) == decides


@settings(max_examples=200)
@given(graphs)
def test_bodies_of_natural_loops(edges: list[list[int]]) -> None:
    flow = control_flow(function_of(edges))
    raw = [list(s) for s in flow.successors]
    for loop in flow.loops.values():
        assert loop.reducible == all(flow.dominates(loop.header, b) for b in loop.latches)
        if loop.reducible:
            for block in loop.body:
                assert flow.dominates(loop.header, block)
                assert block == loop.header or loop.latches & reachable(
                    raw, block, without=loop.header
                )


def test_nested_loops() -> None:
    #          0 → 1 → 2 → 2|3 → 1|4
    function = function_of([[1], [2], [3, 2], [4, 1], []])
    flow = control_flow(function)
    place = {named: number for number, named in names(flow, function).items()}
    inner, outer = flow.loops[place[2]], flow.loops[place[1]]
    assert (outer.depth, inner.depth, inner.parent) == (1, 2, outer.header)
    assert inner.body < outer.body
    assert flow.depth(place[4]) == 0


def test_an_endless_loop_has_a_way_out() -> None:
    flow = control_flow(function_of([[1], [2], [1]]))
    assert all(b in (*range(len(flow.blocks)), EXIT) for b in flow.immediate_post_dominator)
    assert len(flow.loops) == 1


def test_a_failed_assertion_decides_nothing() -> None:
    """Block 0 goes to a trap or on: what follows does not depend on it, the trap does."""
    edges = [[1, 2], [3], [], []]
    function = function_of(edges, {2: "trap"})
    flow = control_flow(function)
    place = {named: number for number, named in names(flow, function).items()}
    assert flow.controllers[place[3]] == frozenset()
    returning = function_of(edges)
    flow = control_flow(returning)
    place = {named: number for number, named in names(flow, returning).items()}
    assert flow.controllers[place[3]]


def test_a_branch_to_nowhere_is_an_error() -> None:
    function = Function(
        "f", "entry", (), (), (Instruction("bra", (), (Symbol("L9"),), 0, 1),), {}, {}, (), {}, {}
    )
    with pytest.raises(ValueError, match="L9"):
        control_flow(function)


def test_loops_without_end_of_nesting_are_an_error() -> None:
    depth = 100
    heads = [[n + 1] for n in range(depth)]
    ends = [[n + 1, 2 * depth - n] for n in range(depth, 2 * depth)]
    with pytest.raises(ValueError, match="nested"):
        control_flow(function_of([*heads, *ends, []]))


def test_an_empty_function_is_an_error() -> None:
    with pytest.raises(ValueError, match="no instructions"):
        control_flow(Function("f", "entry", (), (), (), {}, {}, (), {}, {}))
