"""What misses are due to: by hand, and against caches as dictionaries."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.sim.cache import Cache
from perflint.sim.interference import Kind, Matrix, measure, misses_at
from perflint.sim.remedies import remedies
from perflint.sim.replay import HIT, Conditions
from tests.sim.cache_traces import trace_of
from tests.sim.naive_cache import NaiveCache

LANE = 1
KINDS: tuple[Kind, ...] = ("conflict", "capacity", "intra")


def reads(*pairs: tuple[int, int]) -> list[tuple[int, int, int, bool]]:
    """Loads of one lane: warp and block."""
    return [(warp, LANE, block, False) for warp, block in pairs]


def test_own_lines_of_one_set() -> None:
    """Three lines of one set of two ways, twice: each is lost, though eight lines have room."""
    walk = [(0, block) for _ in range(2) for block in (0, 4, 8)]
    found = measure(trace_of(reads(*walk)), Conditions(Cache(ways=2, sets=4)))
    assert (found.total.cold, found.total.intra, found.total.own_sets) == (3, 3, 3)


def test_own_lines_beyond_the_whole_cache() -> None:
    """Nine lines, one after the other, twice, where eight have room: a matter of capacity."""
    walk = [(0, block) for _ in range(2) for block in range(9)]
    found = measure(trace_of(reads(*walk)), Conditions(Cache(ways=2, sets=4)))
    # lines 0, 4 and 8 share a set; the other sets have two lines for their two ways
    assert (found.total.cold, found.total.intra, found.total.own_sets) == (9, 3, 0)


def test_late_is_what_others_brought_in_and_lost() -> None:
    """Warp 0 reads lines 0, 1 and 2; the only way holds one; warp 1 then comes for line 0."""
    found = measure(trace_of(reads((0, 0), (0, 1), (0, 2), (1, 0))), Conditions(Cache(1, 1)))
    assert (found.total.cold, found.total.late, found.total.intra) == (3, 1, 0)


def test_padding_is_tried_within_a_thread_though_warps_conflict() -> None:
    """Warp 0 walks rows of four lines; warps 1 and 2 lose theirs, of another set, to each other."""
    own = [(0, 4 * row) for _ in range(3) for row in range(5)]
    others = [(w, b) for _ in range(4) for w, b in ((1, 1), (2, 5), (3, 9))]
    trace = trace_of(reads(*own, *others))
    found = measure(trace, Conditions(Cache(ways=2, sets=4), "lrr", resident=4))
    assert found.total.own_sets and found.total.conflict
    padded = [r for r in remedies(trace, found, ("padded",)) if r.left.own_sets == 0]
    assert [(r.amount, r.pitch) for r in padded] == [(128, 512)]


#: Accesses (warp, lanes, block, store), and a cache's ways and sets.
ACCESSES = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([1, 3, 5]), st.integers(0, 11), st.booleans()),
    min_size=1,
    max_size=60,
)
in_small_caches = given(ACCESSES, st.integers(1, 3), st.integers(1, 4))


@settings(max_examples=150, deadline=None)
@in_small_caches
def test_misses_add_up_and_own_sets_are_what_they_say(
    accesses: list[tuple[int, int, int, bool]], ways: int, sets: int
) -> None:
    cache = Cache(ways, sets, write="allocate")
    found = measure(trace_of(accesses), Conditions(cache, stores=True, resident=3))
    total, run = found.total, found.run
    parts = (total.hits, total.cold, total.conflict, total.capacity, total.intra, total.late)
    assert sum(parts) == total.accesses == len(accesses)
    # the private caches of all lanes, were they fully associative, in the order of the replay
    private: dict[tuple[int, int], NaiveCache] = {}
    known: set[tuple[int, int, int]] = set()
    own = 0
    for place, hit, golden in zip(run.pc, run.mstat == HIT, run.golden_hit, strict=True):
        warp, lanes, block, store = accesses[place]
        keeps = seen = False
        for lane in (n for n in range(3) if lanes >> n & 1):
            each = private.setdefault(
                (warp, lane), NaiveCache(replace(cache, ways=ways * sets, sets=1))
            )
            keeps |= each.access(block, store)[0]
            seen |= (warp, lane, block) in known
            known.add((warp, lane, block))
        own += bool(not hit and not golden and seen and keeps)
    assert total.own_sets == own


@settings(max_examples=150, deadline=None)
@in_small_caches
def test_no_replay_loses_what_cannot_be_lost(
    accesses: list[tuple[int, int, int, bool]], ways: int, sets: int
) -> None:
    matrix = Matrix(trace_of(accesses), Conditions(Cache(ways, sets, write="allocate"), resident=3))
    for kind in KINDS:
        for pc in matrix.first.sites:
            misses, counted = misses_at(matrix.first.sites, [pc], kind)
            if misses:
                assert matrix.can_lose([pc], kind, (misses - 0.5) / counted)


def test_a_stream_that_nobody_reads_again_loses_nothing() -> None:
    stream = reads(*((warp, 4 * block + warp) for block in range(20) for warp in range(2)))
    matrix = Matrix(trace_of(stream), Conditions(Cache(ways=1, sets=2), resident=2))
    assert not any(matrix.can_lose(range(len(stream)), kind, 0.0) for kind in KINDS)
    assert "first" not in vars(matrix)  # and no replay was made
