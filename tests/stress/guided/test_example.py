"""The worked example of GUPT's Section 3, part by part."""

from __future__ import annotations

import numpy as np
import pytest

from perflint.stress.guided.cache_states import Category, accessed_lines
from perflint.stress.guided.graphs import control_dependence, reachable
from perflint.stress.guided.summary import conflicting
from tests.stress.guided.example import BLOCKS, FACTS, SUCCESSORS, THREADS, example, names

SUMMARY = example()


@pytest.mark.parametrize("thread", THREADS)
def test_categories(thread: str) -> None:
    stated = FACTS["result"][thread]
    for block, name in FACTS["refs"][thread].items():
        found = SUMMARY.category[BLOCKS.index(block)]
        assert found is not None
        # the paper calls PS references NC, and names those that persist beside
        wanted = "PS" if name in stated["persistent"] else stated["classes"][name]
        assert Category(found[THREADS.index(thread)]).name == wanted, name


@pytest.mark.parametrize("thread", THREADS)
def test_categories_of_first_and_later_turns(thread: str) -> None:
    row = THREADS.index(thread)
    for block, name in FACTS["refs"][thread].items():
        first, later = (each[BLOCKS.index(block)] for each in (SUMMARY.first, SUMMARY.later))
        assert first is not None and later is not None
        stated = FACTS["result"][thread]["after_unroll"][name]
        if "/" in stated:
            # nothing is cached when a kernel begins: what the paper leaves open misses
            assert Category(first[row]).name in ("NC", "AM")
            assert Category(later[row]).name == "AH"
            continue
        assert Category(later[row]).name == stated, name


def test_reuse_at_the_exit_of_b5() -> None:
    behind = SUMMARY.reuse[BLOCKS.index("B7")]
    assert names(SUMMARY, "T1", behind) == {"m1", "m2", "m3"}
    assert names(SUMMARY, "T3", behind) == {"m1", "m2", "m5"}


def test_conflicts_at_the_exit_of_b5() -> None:
    assert names(SUMMARY, "T1", SUMMARY.conflict[BLOCKS.index("B7")]) == {"m3"}


# --- the control dependence graph, and the priorities of Section 4.2.2 ----------------------------

WAYS = [dict(zip((True, False), targets, strict=False)) for targets in SUCCESSORS]


def _edge(branch: str, target: str) -> tuple[int, bool]:
    """The CDG edge of a branch that leads to a block."""
    at = BLOCKS.index(branch)
    return at, next(way for way, t in WAYS[at].items() if t == BLOCKS.index(target))


@pytest.mark.parametrize(
    ("branch", "target", "behind"),
    [
        ("B1", "B2", {"B2"}),
        ("B1", "B3", {"B3"}),
        ("B4", "B5", {"B5", "B7"}),
        ("B4", "B6", {"B6"}),
    ],
)
def test_control_dependence(branch: str, target: str, behind: set[str]) -> None:
    """Figure 3(d)."""
    graph = control_dependence(WAYS)
    assert {BLOCKS[n] for n in reachable(graph, *_edge(branch, target))} == behind


def _memory(branch: str, target: str, thread: str) -> int:
    """|R_mem(e, t)| of equation (3)."""
    row = THREADS.index(thread)
    points = reachable(control_dependence(WAYS), *_edge(branch, target))
    return sum(
        bool(
            SUMMARY.missing(p)[row] and accessed_lines(SUMMARY.lines, SUMMARY.points[p])[row].any()
        )
        for p in points
    )


def _conflicts(branch: str, target: str, thread: str) -> int:
    """|C_mem(e, t)| of equation (4), threads being the unit of scheduling."""
    row = THREADS.index(thread)
    clash = conflicting(SUMMARY, np.arange(len(THREADS)))
    points = reachable(control_dependence(WAYS), *_edge(branch, target))
    return sum(bool(clash[p][row]) for p in points)


def test_conflicts_choose_b_above_2_for_t1_and_below_for_t3() -> None:
    """m3 of T1 is behind b[T1] > 2, and m5 of T3 behind b[T3] <= 2; T2 conflicts with nobody."""
    assert _conflicts("B4", "B5", "T1") > _conflicts("B4", "B6", "T1") == 0
    assert _conflicts("B4", "B6", "T3") > _conflicts("B4", "B5", "T3") == 0
    assert all(_conflicts(b, t, "T2") == 0 for b, t in (("B1", "B3"), ("B4", "B5"), ("B4", "B6")))


def test_only_one_edge_of_t3_conflicts() -> None:
    edges = [("B1", "B2"), ("B1", "B3"), ("B4", "B5"), ("B4", "B6")]
    assert [e for e in edges if _conflicts(*e, "T3")] == [("B4", "B6")]


def test_memory_traffic_chooses_a_at_most_0_and_b_at_most_2_for_t2() -> None:
    """m8 and m9 are AM, and are behind these conditions."""
    assert _memory("B1", "B3", "T2") > _memory("B1", "B2", "T2")
    assert _memory("B4", "B6", "T2") > _memory("B4", "B5", "T2")
    assert _memory("B1", "B3", "T1") > _memory("B1", "B2", "T1")
