"""WarpExchange: what lanes load that another lane of their warp stored, by hand."""

from __future__ import annotations

import pytest

from perflint.sim.tracers.warp_exchange import WarpExchange
from tests.sim.tracers.test_measures import exchange, traced

ALL = "bar.warp.sync 0xffffffff;"


@pytest.mark.parametrize(
    ("distance", "barrier", "lanes"),
    [
        (0, "", 0),  # its own
        (1, "", 128),
        (16, "", 128),
        (32, "", 0),  # another warp's: a matter of the block's barriers
        (1, "bar.sync 0;", 0),
        (1, ALL, 0),
        (1, "membar.cta;", 128),
    ],
)
def test_lanes(distance: int, barrier: str, lanes: int) -> None:
    found = traced(WarpExchange(), exchange(distance, barrier), block=(128, 1, 1))
    assert sum(found.lanes.values()) == lanes


@pytest.mark.parametrize(
    ("distance", "barrier", "across"),
    [(1, "", False), (32, "", True), (32, ALL, True), (32, "bar.sync 0;", False), (0, "", False)],
)
def test_what_other_warps_stored(distance: int, barrier: str, across: bool) -> None:
    """A warp's own barrier does not wait for them."""
    found = traced(WarpExchange(), exchange(distance, barrier), block=(128, 1, 1))
    assert bool(found.across) == across


def test_an_atomic_orders_what_it_touches() -> None:
    added = "atom.shared.add.u32 %r5, [%r1], 1;"
    found = traced(WarpExchange(), exchange(1, added), block=(128, 1, 1))
    assert not found.lanes


def test_a_word_that_several_lanes_store_at_once() -> None:
    """Whose store it is that a lane finds is not known: they may all have stored the same."""
    found = traced(WarpExchange(), exchange(1).replace("%i, 2", "%i, 0").replace("bar.sync 0;", ""))
    assert not found.lanes


def test_lanes_are_counted_not_words() -> None:
    body = exchange(1, "").replace("st.shared.u32 [%r1], %i", "st.shared.v2.u32 [%r1], {%i, %i}")
    body = body.replace("ld.shared.u32 %r4", "ld.shared.v2.u32 {%r4, %r5}")
    body = body.replace("%i, 2;", "%i, 3;").replace("%r3, 2;", "%r3, 3;")
    found = traced(WarpExchange(), body, block=(64, 1, 1))
    assert sum(found.lanes.values()) == 64
