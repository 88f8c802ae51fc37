"""CacheRecorder: what a replay is given of a kernel's run."""

from __future__ import annotations

import numpy as np

from perflint.sim import SimulationOptions, simulate
from perflint.sim.cache_trace import ATOMIC, LOAD, STORE, CacheTrace
from perflint.sim.launch import Buffer, Launch
from perflint.sim.tracers.cache_recorder import CacheRecorder
from tests.sim import kernels


def record(body: str, block: int = 64, grid: int = 2, outside: str = "") -> CacheTrace:
    recorder = CacheRecorder()
    arguments = (Buffer("in", size=1 << 16, limit=64), Buffer("out", size=1 << 16))
    launch = Launch((grid, 1, 1), (block, 1, 1), arguments)
    run = simulate(
        kernels.kernel(body, outside),
        "k",
        launch,
        SimulationOptions(blocks=[(x, 0, 0) for x in range(grid)]),
        tracers=[recorder],
    )
    assert run.stop is None
    return recorder.trace


def test_requests_by_warp_and_in_order() -> None:
    trace = record("ld.global.f32 %f0, [%mine_in]; st.global.f32 [%mine_out], %f0;")
    assert trace.warp.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert trace.kind.tolist() == [LOAD, STORE] * 4
    assert trace.sizes == {1: 1 << 16, 2: 1 << 16} and trace.names == {1: "in", 2: "out"}
    # the prologue has 11 instructions; the store, the next one, needs what is loaded
    assert trace.position.tolist() == [11, 12] * 4
    assert trace.use.tolist() == [1, 0] * 4
    # 32 lanes of 4 bytes are four sectors of 8 lanes, of one line
    s = trace.sectors
    assert np.diff(s.first).tolist() == [4] * 8
    assert s.lanes[:4].tolist() == [0xFF, 0xFF00, 0xFF0000, 0xFF000000]
    assert s.piece[:8].tolist() == [0, 1, 2, 3] * 2 and s.region[:8].tolist() == [1] * 4 + [2] * 4
    assert trace.lines.piece.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert (trace.lines.lanes == 0xFFFFFFFF).all()


def test_scattered_lanes_are_sorted_by_sector() -> None:
    """Lanes 0 to 31 read backwards, 64 bytes apart: a sector each, the last lane's first."""
    trace = record(
        "sub.u32 %r1, 63, %i; mul.wide.u32 %rd1, %r1, 64; add.s64 %rd1, %in, %rd1;"
        "ld.global.f32 %f0, [%rd1];",
        block=32, grid=1,
    )  # fmt: skip
    s = trace.sectors
    assert (np.diff(s.piece) == 2).all() and len(s.piece) == 32
    assert s.lanes.tolist() == [1 << lane for lane in reversed(range(32))]


def test_positions_count_the_warps_own_instructions() -> None:
    """Warp 0 takes an arm of three more instructions before the load; warp 1 does not."""
    trace = record(
        "setp.ge.u32 %p1, %i, 32; @%p1 bra L;"
        "add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1;"
        "L: ld.global.f32 %f0, [%mine_in];",
        grid=1,
    )
    assert trace.position.tolist() == [16, 13]


def test_barriers_part_phases() -> None:
    trace = record(
        "ld.global.f32 %f0, [%mine_in]; bar.sync 0; ld.global.f32 %f1, [%mine_in]; bar.sync 0;"
        "st.global.f32 [%mine_out], %f1;"
    )
    assert trace.phase.tolist() == [0, 1, 2] * 4
    assert sorted(
        zip(trace.barriers.warp.tolist(), trace.barriers.phase.tolist(), strict=True)
    ) == [(warp, phase) for warp in range(4) for phase in (0, 1)]
    assert sorted(set(trace.barriers.position.tolist())) == [12, 14]


def test_what_goes_past_l1() -> None:
    trace = record(
        "ld.global.f32 %f0, [%mine_in]; ld.global.cg.f32 %f1, [%mine_in];"
        "ld.volatile.global.f32 %f2, [%mine_in]; atom.global.add.u32 %r1, [%mine_out], 1;"
        "st.global.f32 [%mine_out], %f0;",
        block=32, grid=1,
    )  # fmt: skip
    assert trace.cached.tolist() == [True, False, False, False, True]
    assert trace.kind.tolist() == [LOAD, LOAD, LOAD, ATOMIC, STORE]


def test_the_same_addresses_again() -> None:
    trace = record(
        "ld.global.f32 %f0, [%mine_in]; ld.global.f32 %f1, [%mine_in];"
        "ld.global.f32 %f2, [%mine_in+4];",
        grid=1,
    )
    first, again, other = trace.addresses[:3].tolist()
    assert first == again != other
    assert trace.addresses[3] != first  # another warp's


def test_the_head_of_a_trace() -> None:
    trace = record("ld.global.f32 %f0, [%mine_in]; bar.sync 0; st.global.f32 [%mine_out], %f0;")
    assert trace.head(10_000) is trace
    head = trace.head(20)
    assert head.kind.tolist() == [LOAD] * 4 and head.warp.tolist() == [0, 1, 2, 3]
    assert np.diff(head.sectors.first).tolist() == [4] * 4
    assert head.sectors.request.tolist() == np.repeat(range(4), 4).tolist()
    assert len(head.barriers.warp) == 4  # they came to the barrier


def test_shared_memory_is_no_request() -> None:
    trace = record(
        "mov.u64 %rd1, tile; mul.wide.u32 %rd2, %i, 4; add.s64 %rd1, %rd1, %rd2;"
        "st.shared.u32 [%rd1], %i; ld.global.f32 %f0, [%mine_in];",
        outside=".shared .align 4 .b8 tile[256];", grid=1,
    )  # fmt: skip
    assert trace.requests == 2 and trace.shared_bytes == 256
