"""Asynchronous copies and mbarriers (PTX ISA 9.7.9.25 and 9.7.13.15)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim import atomics
from perflint.sim.mbarrier_emission import arrived as arrived_
from tests.sim.kernels import kernel, launch, result

BARRIER = ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 tile[2048];\n"

INIT = """
    setp.eq.u32 %p1, %i, 0;
    @%p1 mbarrier.init.shared.b64 [bar], COUNT;
    bar.sync 0;
"""


@given(
    expected=st.integers(1, 70),
    arrived=st.integers(0, 69),
    parity=st.booleans(),
    bytes_pending=st.sampled_from([0, 0, 16]),
    groups=st.lists(st.integers(1, 300), min_size=1, max_size=3),
)
def test_many_arrivals_are_as_so_many_one_by_one(
    expected: int, arrived: int, parity: bool, bytes_pending: int, groups: list[int]
) -> None:
    """What each thread gets is the state before its own arrival (PTX ISA 9.7.13.15.13)."""
    pending, phase = expected - arrived % expected, int(parity)
    if bytes_pending:  # the phase cannot end, and no more than are expected may arrive
        groups = [min(size, pending) for size in groups]
    made, seen = 0, []
    key = np.repeat(np.arange(len(groups)), groups)
    memory = np.full(len(key), _bits(expected, pending, phase, bytes_pending), np.uint64)
    for size in groups:
        made, now = pending, phase
        for _ in range(size):
            seen.append(_bits(expected, made, now, bytes_pending))
            made -= 1
            if made == 0 and not bytes_pending:
                made, now = expected, 1 - now
    old, final = atomics.apply(arrived_, key, memory, np.ones(len(key), np.uint64))
    assert old.tolist() == seen
    assert int(final[-1]) == _bits(expected, made, now, bytes_pending)


def _bits(expected: int, pending: int, phase: int, size: int) -> int:
    """As the module's docstring lays an object out."""
    return pending | expected << 20 | ((1 << 22) + size) << 40 | phase << 63


def test_producers_release_a_consumer_that_spins() -> None:
    """Warp 0 waits; warp 1's lanes write, then arrive: the sum is complete when warp 0 reads."""
    body = (
        INIT.replace("COUNT", "32")
        + """
    mov.u32 %r9, tile;
    and.b32 %r1, %i, 31;
    shl.b32 %r2, %r1, 2;
    add.u32 %r2, %r2, %r9;
    setp.lt.u32 %p2, %i, 32;
    @%p2 bra WAIT;
    mad.lo.u32 %r3, %r1, 3, 1;
    st.shared.u32 [%r2], %r3;
    mbarrier.arrive.shared.b64 %rd5, [bar];
    bra END;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;
    @!%p3 bra WAIT;
    ld.shared.u32 %r4, [%r2];
    st.global.u32 [%mine_out], %r4;
END:
"""
    )
    run = launch(kernel(body, BARRIER), block=(64, 1, 1))
    assert result(run)[:32].tolist() == [3 * k + 1 for k in range(32)]


def test_the_phase_ends_with_the_last_arrival_and_begins_anew() -> None:
    """Arrivals of 8 lanes at a time, of 16 expected: after the second the first phase is over."""
    body = (
        INIT.replace("COUNT", "16")
        + """
    setp.lt.u32 %p2, %i, 8;
    mov.u32 %r3, 0;
    mov.u64 %rd6, 0;
    @%p2 mbarrier.arrive.shared.b64 %rd6, [bar];
    @%p2 mbarrier.test_wait.shared.b64 %p3, [bar], %rd6;
    selp.u32 %r1, 1, 0, %p3;
    @%p2 mbarrier.arrive.shared.b64 %rd7, [bar];
    @%p2 mbarrier.test_wait.shared.b64 %p4, [bar], %rd6;
    selp.u32 %r2, 2, 0, %p4;
    mbarrier.test_wait.parity.shared.b64 %p5, [bar], 1;
    selp.u32 %r3, 4, 0, %p5;
    mbarrier.test_wait.parity.shared.b64 %p5, [bar], 0;
    selp.u32 %r4, 8, 0, %p5;
    or.b32 %r1, %r1, %r2;
    or.b32 %r1, %r1, %r3;
    or.b32 %r1, %r1, %r4;
    st.global.u32 [%mine_out], %r1;
"""
    )
    out = result(launch(kernel(body, BARRIER)))[:32].tolist()
    assert out == [2 + 8] * 8 + [8] * 24


def test_states_tell_pending_arrivals() -> None:
    body = (
        INIT.replace("COUNT", "40")
        + """
    mbarrier.arrive.shared.b64 %rd6, [bar];
    mbarrier.pending_count.b64 %r1, %rd6;
    st.global.u32 [%mine_out], %r1;
"""
    )
    out = result(launch(kernel(body, BARRIER)))[:32]
    assert sorted(out.tolist()) == list(range(9, 41))


def test_a_bulk_copy_completes_the_bytes_that_the_barrier_expects() -> None:
    body = (
        INIT.replace("COUNT", "1")
        + """
    @!%p1 bra WAIT;
    mbarrier.arrive.expect_tx.shared.b64 %rd6, [bar], 128;
    mbarrier.test_wait.shared.b64 %p3, [bar], %rd6;
    @%p3 trap;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%in], 128, [bar];
WAIT:
    mbarrier.test_wait.parity.shared.b64 %p3, [bar], 0;
    @!%p3 bra WAIT;
    shl.b32 %r2, %i, 2;
    mov.u32 %r9, tile;
    add.u32 %r2, %r2, %r9;
    ld.shared.u32 %r4, [%r2];
    st.global.u32 [%mine_out], %r4;
"""
    )
    data = np.arange(100, 164, dtype=np.int32)
    assert result(launch(kernel(body, BARRIER), data))[:32].tolist() == list(range(100, 132))


def test_asynchronous_copies_fill_with_zeros_behind_the_source_size() -> None:
    body = """
    mov.u32 %r9, tile;
    shl.b32 %r2, %i, 4;
    add.u32 %r2, %r2, %r9;
    mul.wide.u32 %rd5, %i, 16;
    add.s64 %rd5, %in, %rd5;
    and.b32 %r3, %i, 3;
    shl.b32 %r3, %r3, 2;
    cp.async.cg.shared.global [%r2], [%rd5], 16, %r3;
    cp.async.commit_group;
    cp.async.wait_group 0;
    ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2];
    add.u32 %r4, %r4, %r5;
    add.u32 %r4, %r4, %r6;
    add.u32 %r4, %r4, %r7;
    st.global.u32 [%mine_out], %r4;
"""
    data = np.ones(128, np.int32)
    assert result(launch(kernel(body, BARRIER), data))[:8].tolist() == [0, 1, 2, 3] * 2
