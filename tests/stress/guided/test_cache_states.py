"""Categories, reuse and conflicts against concrete caches on all paths of small graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.stress.guided.cache_states import (
    BARRIER,
    MOST_LINES,
    Access,
    Category,
    Lines,
    Point,
)
from perflint.stress.guided.summary import Summary, conflicting, summarised
from perflint.stress.guided.unrolling import loops, unrolled

_LINES, _LONGEST, _MOST = 4, 8, 1500
Graph = tuple[list[list[int]], list[tuple[int, ...]], int, tuple[int, ...]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Successors, the lines that each node may access, ways, and each line's set."""
    count = draw(st.integers(2, 5))
    successors = [
        sorted(draw(st.sets(st.integers(0, count - 1), min_size=0 if n else 1, max_size=2)))
        for n in range(count)
    ]
    accesses = [
        tuple(sorted(draw(st.sets(st.integers(0, _LINES - 1), max_size=2)))) for _ in range(count)
    ]
    sets = tuple(draw(st.integers(0, 1)) for _ in range(_LINES))
    return successors, accesses, draw(st.integers(1, 2)), sets


def summary_of(graph: Graph) -> Summary:
    successors, accesses, ways, sets = graph
    lines = Lines(np.arange(_LINES)[None], np.array(sets)[None], ways)
    points: list[Point] = [Access(np.array([each or (-1,)])) if each else None for each in accesses]
    return summarised(lines, points, successors)


def paths(graph: Graph) -> Iterator[list[tuple[int, int]]]:
    """Every way through the graph up to a length, with every choice of what is accessed."""
    successors, accesses, _, _ = graph
    count = 0
    pending: list[list[tuple[int, int]]] = [[(0, line)] for line in accesses[0] or (-1,)]
    while pending:
        path = pending.pop()
        yield path
        count += 1
        if count == _MOST:
            return
        if len(path) < _LONGEST:
            for node in successors[path[-1][0]]:
                pending.extend([*path, (node, line)] for line in accesses[node] or (-1,))


def hits(path: list[tuple[int, int]], ways: int, sets: tuple[int, ...]) -> list[bool]:
    """Whether each access of a path hits an LRU cache that was empty."""
    content: dict[int, list[int]] = {0: [], 1: []}
    out = []
    for _, line in path:
        if line < 0:
            out.append(True)
            continue
        own = content[sets[line]]
        out.append(line in own)
        content[sets[line]] = [line, *(each for each in own if each != line)][:ways]
    return out


@given(graphs())
@settings(max_examples=80)
def test_categories_hold_on_all_paths(graph: Graph) -> None:
    _, accesses, ways, sets = graph
    summary = summary_of(graph)
    for path in paths(graph):
        found = hits(path, ways, sets)
        misses = Counter(
            (node, line) for (node, line), hit in zip(path, found, strict=True) if not hit
        )
        for (node, _), hit in zip(path, found, strict=True):
            if not accesses[node]:
                continue
            category = summary.category[node]
            assert category is not None
            assert hit or category[0] != Category.AH, (path, node)
            assert not hit or category[0] != Category.AM, (path, node)
        for (node, _), count in misses.items():
            category = summary.category[node]
            assert category is not None
            assert category[0] != Category.PS or count <= 1


@given(graphs())
@settings(max_examples=30)
def test_first_and_later_turns_hold_on_all_paths(graph: Graph) -> None:
    """Unrolled categories: what is AH later and not PS hits, in later turns of all its loops."""
    successors, accesses, ways, sets = graph
    copies = unrolled(successors)
    summary = summary_of(graph)
    for path in paths(graph):
        found = hits(path, ways, sets)
        at = 0
        for step, ((node, _), hit) in enumerate(zip(path, found, strict=True)):
            if step:
                at = next(t for t in copies.successors[at] if copies.node[t] == node)
            table = summary.first if copies.first[at] else summary.later
            each, flat = table[node], summary.category[node]
            if not accesses[node] or each is None or flat is None:
                continue
            assert not hit or each[0] != Category.AM
            persistent = flat[0] == Category.PS or path[:step].count(path[step]) == 0
            assert hit or each[0] != Category.AH or persistent


@given(graphs())
@settings(max_examples=30)
def test_reuse_holds_on_all_paths(graph: Graph) -> None:
    """A line that hits behind a point, and was not missed in between, may be reused from it."""
    _, _, ways, sets = graph
    summary = summary_of(graph)
    for path in paths(graph):
        found = hits(path, ways, sets)
        for step, (node, _) in enumerate(path):
            gone: set[int] = set()
            for (_, line), hit in zip(path[step:], found[step:], strict=True):
                if line >= 0 and line not in gone and hit:
                    assert summary.reuse[node][0, line]
                if line >= 0 and not hit:
                    gone.add(line)


def test_reuse_is_not_forgotten_of_threads_without_a_reference() -> None:
    """A barrier and an empty point keep what is behind them."""
    lines = Lines(np.array([[7], [9]]), np.zeros((2, 1), int), 1)
    one = Access(np.array([[0], [-1]]))
    summary = summarised(lines, [one, BARRIER, one], [[1], [2], []])
    assert summary.reuse[1].tolist() == [[True], [False]]
    assert summary.until[1].tolist() == [[False], [False]]  # a barrier is waited at


def test_an_access_to_anything_leaves_no_certainty() -> None:
    lines = Lines(np.array([[1, 2]]), np.zeros((1, 2), int), 1)
    known = Access(np.array([[0]]))
    anything = Access(np.array([[-1]]), np.array([True]), np.array([[True, True]]))
    summary = summarised(lines, [known, anything, known, known], [[1], [2], [3], []])
    found = [None if c is None else Category(c[0]).name for c in summary.category]
    assert found == ["AM", "NC", "NC", "AH"]


def test_what_goes_past_the_cache_always_misses() -> None:
    lines = Lines(np.array([[1]]), np.zeros((1, 1), int), 2)
    past = Access(np.array([[0]]), caches=False)
    summary = summarised(lines, [past, past], [[1], []])
    assert [int(c[0]) for c in summary.category if c is not None] == [Category.AM] * 2


@pytest.mark.parametrize(("sets", "clash"), [((0, 0), True), ((0, 1), False)])
def test_conflicts_are_with_other_warps(sets: tuple[int, int], clash: bool) -> None:
    lines = Lines(np.array([[1], [2]]), np.array([[s] for s in sets]), 1)
    summary = summarised(lines, [Access(np.array([[0], [0]]))], [[]])
    assert conflicting(summary, np.array([0, 1]))[0].tolist() == [clash, clash]
    assert conflicting(summary, np.array([0, 0]))[0].tolist() == [False, False]


def test_loops_are_unrolled_once() -> None:
    graph = unrolled([[1], [2, 3], [1], []])
    assert loops([[1], [2, 3], [1], []]) == {1: frozenset({1, 2})}
    assert sorted(graph.node) == [0, 1, 1, 2, 2, 3]
    assert [graph.first[graph.node.index(n)] for n in (0, 3)] == [True, True]
    assert MOST_LINES == 64
