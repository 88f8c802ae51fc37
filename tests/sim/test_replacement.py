"""Cache shapes, replacement, sectors, and what architectures have."""

from __future__ import annotations

import numpy as np
import pytest

from perflint.sim import architecture
from perflint.sim.cache import Cache, CacheError, l1_of, shaped
from perflint.sim.replacement import ALLOCATE, INVALIDATE, TOUCH, by_group, resident
from perflint.sim.tree_plru import Tree


def hits(lines: list[int], ways: int, policy: str, actions: list[int] | None = None) -> str:
    """`-` for a miss, `+` for a hit, of one set."""
    found = resident(
        np.zeros(len(lines), np.int64),
        np.array(lines),
        max(lines) + 1,
        ways,
        policy,  # type: ignore[arg-type]
        None if actions is None else np.array(actions, np.uint8),
    )
    return "".join("+" if hit else "-" for hit in found.hit)


def test_lru_and_fifo_differ_where_a_line_is_used_again() -> None:
    assert hits([0, 1, 0, 2, 0], 2, "lru") == "--+-+"
    assert hits([0, 1, 0, 2, 0], 2, "fifo") == "--+--"


def test_the_tree_points_away_from_what_was_used() -> None:
    """Jouppi's example of four ways: 0 1 2 3, then 0 again: the victim is in the other half."""
    assert hits([0, 1, 2, 3, 0, 4, 1, 3, 2], 4, "plru") == "----+-++-"


@pytest.mark.parametrize("ways", [1, 2, 3, 5, 8])
def test_a_tree_reaches_every_way(ways: int) -> None:
    tree = Tree.of(ways)
    bits, seen = 0, []
    for _ in range(ways):
        seen.append(tree.victim(bits))
        bits = bits & ~tree.masks[seen[-1]] | tree.values[seen[-1]]
    assert sorted(seen) == list(range(ways))


def test_stores_that_allocate_update_or_evict() -> None:
    store = [ALLOCATE, 0, ALLOCATE]
    for action, expected in ((ALLOCATE, "-++"), (TOUCH, "-++"), (INVALIDATE, "-+-")):
        assert hits([0, 0, 0], 1, "lru", [store[0], action, store[2]]) == expected
    for action, expected in ((ALLOCATE, "-+"), (TOUCH, "--"), (INVALIDATE, "--")):
        assert hits([0, 0], 1, "lru", [action, ALLOCATE]) == expected


def test_a_freed_way_is_filled_before_anything_is_evicted() -> None:
    lines, actions = [0, 1, 0, 2, 1], [ALLOCATE, ALLOCATE, INVALIDATE, ALLOCATE, ALLOCATE]
    for policy in ("lru", "fifo", "plru"):
        assert hits(lines, 2, policy, actions) == "--+-+"


@pytest.mark.parametrize("most", [3, 1 << 16, 1 << 20])
@pytest.mark.parametrize("least", [0, -2])
def test_accesses_of_one_set_are_together_and_in_order(least: int, most: int) -> None:
    group = np.random.default_rng(most).integers(least, most, 500)
    group[:4] = group[400:404]
    at = by_group(group)
    assert at.tolist() == sorted(range(500), key=lambda i: (group[i], i))
    assert by_group(np.zeros(0, np.int64)).tolist() == []


def test_fermis_hash() -> None:
    """Lines 16 KB apart are in one set of 32 by the modulus, and are spread by the hash."""
    lines = np.arange(8) * 128
    assert set(Cache(4, 32).set_of(lines).tolist()) == {0}
    # bits 14 and 15 of the address are bits 1 and 2 of what is folded in, 17 is bit 3
    hashed = Cache(4, 32, index="fermi").set_of(lines)
    assert hashed.tolist() == [0, 2, 4, 6, 0, 2, 4, 6]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Cache(0, 1), "holds nothing"),
        (lambda: Cache(1, 1, line=100), "power of two"),
        (lambda: Cache(1, 1, line=32, sector=64), "does not fit"),
        (lambda: Cache(1, 1, sector=32, write="evict"), "cannot evict"),
        (lambda: Cache(4, 16, index="fermi"), "32 or 64 sets"),
        (lambda: shaped(1000), "no whole number"),
        (lambda: shaped(1024, ways=3), "cannot have 3 ways"),
    ],
)
def test_caches_that_cannot_be(make: object, told: str) -> None:
    with pytest.raises(CacheError, match=told):
        make()  # type: ignore[operator]


def test_shapes() -> None:
    assert str(shaped(1024)) == "1 KB LRU, 2 sets × 4 ways × 128 B"
    assert shaped(128).lines == 1 and shaped(512).sets == 1
    whole = Cache(4, 32, policy="fifo").fully_associative()
    assert (whole.sets, whole.ways, whole.policy, whole.size) == (1, 128, "lru", 16384)


def test_architectures() -> None:
    """Published geometries as they are; of unified stores what shared memory leaves."""
    fermi = l1_of(architecture.load("sm_20"))
    assert fermi is not None
    assert (fermi.size, fermi.sets, fermi.write, fermi.index) == (16384, 32, "evict", "fermi")
    pascal = l1_of(architecture.load("sm_61"))
    assert pascal is not None and not pascal.assumed
    assert (pascal.size, pascal.ways, pascal.sector) == (24576, 48, 32)
    ampere = l1_of(architecture.load("sm_80"), 96 << 10)
    assert ampere is not None and ampere.size == 92 << 10 and "assumed" in ampere.assumed
    assert l1_of(architecture.load("sm_32")) is None  # global memory is cached in L2 only
    assert l1_of(architecture.load("sm_10")) is None


@pytest.mark.parametrize("name", architecture.names())
def test_every_architecture_has_a_cache_that_can_be(name: str) -> None:
    found = l1_of(architecture.load(name))
    assert found is None or found.size >= 8 << 10
