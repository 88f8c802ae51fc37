"""Warp-wide operations, lane by lane, and the order of blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim import warpwide
from perflint.sim.lanes import Lanes, packed, unpacked
from perflint.sim.program import ordered

ALL = np.uint32(0xFFFFFFFF)


def lanes_of(threads: list[int]) -> Lanes:
    return Lanes(np.array(sorted(threads), np.int64), 2)


threads = st.sets(st.integers(0, 63), min_size=1).map(list)


@given(threads)
def test_dense_and_sparse_are_inverse(chosen: list[int]) -> None:
    lanes = lanes_of(chosen)
    values = np.arange(lanes.count) + 1
    dense = lanes.dense(values)
    assert dense.shape == (lanes.rows, 32)
    assert np.array_equal(lanes.sparse(dense), values)
    assert lanes.mask.sum() == lanes.count
    assert np.array_equal(unpacked(packed(lanes.mask)), lanes.mask)
    assert [int(w) for w in lanes.warp] == sorted({t // 32 for t in chosen})


def shuffled(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """The manual's pseudo code (PTX ISA 9.7.9.6): the source lane and the predicate."""
    b, clamp, segment = b & 31, c & 31, (c >> 8) & 31
    highest = (lane & segment) | (clamp & ~segment)
    lowest = lane & segment
    if mode == "up":
        j, inside = lane - b, lane - b >= highest
    elif mode == "down":
        j, inside = lane + b, lane + b <= highest
    elif mode == "bfly":
        j, inside = lane ^ b, (lane ^ b) <= highest
    else:
        j = lowest | (b & ~segment)
        inside = j <= highest
    return (j if inside else lane), inside


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
@given(b=st.integers(0, 40), width=st.sampled_from([2, 4, 8, 16, 32]))
def test_shuffle(mode: str, b: int, width: int) -> None:
    c = ((32 - width) << 8) | (0 if mode == "up" else 31)
    lanes = lanes_of(list(range(64)))
    values = np.arange(64, dtype=np.uint32) * 3
    got, inside = warpwide.shuffle(lanes, mode, values, np.uint32(b), np.uint32(c), ALL)
    for thread in range(64):
        source, ok = shuffled(mode, thread % 32, b, c)
        assert got[thread] == (thread // 32 * 32 + source) * 3
        assert inside[thread] == ok


@given(threads, st.integers(0, 2**32 - 1), st.integers(0, 2**63))
def test_votes(chosen: list[int], members: int, bits: int) -> None:
    lanes = lanes_of(chosen)
    yes = np.array([bool(bits >> t & 1) for t in sorted(chosen)])
    found = {
        mode: warpwide.vote(lanes, mode, yes, np.uint32(members))
        for mode in ("ballot", "all", "any", "uni")
    }
    for index, thread in enumerate(sorted(chosen)):
        warp = [
            (t % 32, bool(bits >> t & 1))
            for t in sorted(chosen)
            if t // 32 == thread // 32 and members >> (t % 32) & 1
        ]
        votes = [v for _, v in warp]
        assert found["ballot"][index] == sum(1 << lane for lane, v in warp if v)
        assert found["all"][index] == all(votes)
        assert found["any"][index] == any(votes)
        assert found["uni"][index] == (all(votes) or not any(votes))


@given(threads, st.lists(st.integers(0, 3), min_size=64, max_size=64))
def test_match_and_reduce(chosen: list[int], values: list[int]) -> None:
    lanes = lanes_of(chosen)
    mine = np.array([values[t] for t in sorted(chosen)], np.uint32)
    same, _ = warpwide.match(lanes, False, mine, ALL)
    every, agree = warpwide.match(lanes, True, mine, ALL)
    total = warpwide.reduce(lanes, "add", mine, ALL)
    most = warpwide.reduce(lanes, "max", mine.view(np.int32), ALL)
    for index, thread in enumerate(sorted(chosen)):
        warp = [t for t in sorted(chosen) if t // 32 == thread // 32]
        equal = [t for t in warp if values[t] == values[thread]]
        assert same[index] == sum(1 << (t % 32) for t in equal)
        assert agree[index] == (len(equal) == len(warp))
        assert every[index] == (sum(1 << (t % 32) for t in warp) if agree[index] else 0)
        assert total[index] == sum(values[t] for t in warp)
        assert most[index] == max(values[t] for t in warp)


def test_elect_picks_the_lowest_member() -> None:
    leader, mine = warpwide.elect(lanes_of([5, 9, 40]), np.uint32(0xFFFFFFC0))
    assert leader.tolist() == [9, 9, 8]
    assert mine.tolist() == [False, True, True]


graphs = st.integers(1, 12).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, n - 1), max_size=2).map(tuple), min_size=n, max_size=n
    )
)


def reach(edges: list[tuple[int, ...]], start: int) -> set[int]:
    seen, stack = {start}, [start]
    while stack:
        for target in edges[stack.pop()]:
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


@given(graphs)
def test_loops_stand_together_before_what_follows(edges: list[tuple[int, ...]]) -> None:
    order = ordered(edges)
    assert sorted(order) == sorted(reach(edges, 0))
    assert order[0] == 0
    place = {node: index for index, node in enumerate(order)}
    reached = {node: reach(edges, node) for node in order}
    for a in order:
        for b in reached[a]:
            if a not in reached[b]:  # b follows a, and no loop leads back
                assert place[a] < place[b]
    for a in order:  # a loop's nodes are not interrupted by others
        loop = [place[b] for b in order if b in reached[a] and a in reached[b]]
        assert max(loop) - min(loop) == len(loop) - 1


labels = st.lists(st.integers(0, 3), min_size=64, max_size=64)


@given(threads, labels, st.lists(st.integers(0, 9), min_size=64, max_size=64))
def test_groups_of_one_warp_do_not_see_each_other(
    chosen: list[int], label: list[int], value: list[int]
) -> None:
    """Each lane names the lanes of its warp that have its label, here or not."""
    lanes = lanes_of(chosen)
    here = sorted(chosen)

    def group(thread: int) -> list[int]:
        first = thread // 32 * 32
        return [t for t in range(first, first + 32) if label[t] == label[thread]]

    def bits(threads: list[int]) -> int:
        return sum(1 << (t % 32) for t in threads)

    members = np.array([bits(group(t)) for t in here], np.uint32)
    values = np.array([value[t] for t in here], np.uint32)
    yes = values > 4
    total = warpwide.reduce(lanes, "add", values, members)
    least = warpwide.reduce(lanes, "min", values.astype(np.float32), members)
    ballot = warpwide.vote(lanes, "ballot", yes, members)
    every = warpwide.vote(lanes, "all", yes, members)
    some = warpwide.vote(lanes, "any", yes, members)
    alike = warpwide.vote(lanes, "uni", yes, members)
    same, _ = warpwide.match(lanes, False, values, members)
    whole, all_same = warpwide.match(lanes, True, values, members)
    leader, leads = warpwide.elect(lanes, members)
    for at, thread in enumerate(here):
        mine = [t for t in group(thread) if t in chosen]
        votes = [value[t] > 4 for t in mine]
        assert total[at] == sum(value[t] for t in mine)
        assert least[at] == min(value[t] for t in mine)
        assert ballot[at] == bits([t for t in mine if value[t] > 4])
        assert (every[at], some[at]) == (all(votes), any(votes))
        assert alike[at] == (len(set(votes)) == 1)
        assert same[at] == bits([t for t in mine if value[t] == value[thread]])
        agreed = len({value[t] for t in mine}) == 1
        assert all_same[at] == agreed
        assert whole[at] == (bits(mine) if agreed else 0)
        assert (leader[at], leads[at]) == (mine[0] % 32, mine[0] == thread)
