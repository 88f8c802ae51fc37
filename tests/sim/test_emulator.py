"""The SIMT machine: divergence, barriers, spinning, warps, memory spaces, budgets."""

from __future__ import annotations

import numpy as np
import pytest

from perflint.grammar import PtxSyntaxError, parse
from perflint.sim import LaunchError, simulate
from perflint.sim.emulator import choose_blocks
from perflint.sim.launch import (
    Aggregate,
    Budget,
    Buffer,
    Fill,
    Launch,
    Scalar,
    UnsupportedInstructionError,
)
from tests.sim.kernels import HEADER, kernel, launch, result

COLLATZ = """
    ld.global.u32 %r1, [%mine_in];
    mov.u32 %r2, 0;
LOOP:
    setp.eq.s32 %p1, %r1, 1;
    @%p1 bra DONE;
    and.b32 %r3, %r1, 1;
    setp.eq.s32 %p2, %r3, 0;
    @%p2 bra EVEN;
    mad.lo.s32 %r1, %r1, 3, 1;
    bra NEXT;
EVEN:
    shr.u32 %r1, %r1, 1;
NEXT:
    add.s32 %r2, %r2, 1;
    bra LOOP;
DONE:
    st.global.u32 [%mine_out], %r2;
"""


def collatz(value: int) -> int:
    steps = 0
    while value != 1:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        steps += 1
    return steps


@pytest.mark.parametrize("threads", [32, 50, 256])
def test_lanes_that_diverge_compute_what_they_would_alone(threads: int) -> None:
    data = np.arange(1, 2 * threads + 1, dtype=np.int32)
    run = launch(kernel(COLLATZ), data, grid=(2, 1, 1), block=(threads, 1, 1))
    assert result(run)[: 2 * threads].tolist() == [collatz(int(v)) for v in data]
    assert run.thread_instructions < 32 * run.warp_instructions


def test_lanes_meet_again_at_the_post_dominator() -> None:
    """Behind an if, a nested if and a loop left at different times, all 32 lanes vote."""
    body = """
    and.b32 %r1, %i, 7;
    setp.lt.u32 %p1, %r1, 4;
    @%p1 bra LOOP;
    add.s32 %r2, %r1, 5;
    setp.eq.u32 %p2, %r1, 6;
    @!%p2 bra MEET;
    add.s32 %r2, %r2, 100;
    bra MEET;
LOOP:
    add.s32 %r2, %r2, 1;
    setp.lt.u32 %p3, %r2, %r1;
    @%p3 bra LOOP;
MEET:
    activemask.b32 %r3;
    st.global.u32 [%mine_out], %r3;
"""
    assert set(result(launch(kernel(body)), "u4")[:32].tolist()) == {0xFFFFFFFF}


def test_early_exits_leave_the_others_running() -> None:
    body = """
    setp.ge.u32 %p1, %i, 5;
    @%p1 ret;
    activemask.b32 %r1;
    st.global.u32 [%mine_out], %r1;
"""
    out = np.zeros(64, np.uint32)
    run = launch(kernel(body), block=(64, 1, 1), out=out)
    assert result(run, "u4").tolist() == [31] * 5 + [0] * 59


def test_guards_on_any_instruction() -> None:
    body = """
    setp.lt.u32 %p1, %i, 7;
    mov.u32 %r1, 1;
    @%p1 add.s32 %r1, %r1, 10;
    @!%p1 mov.u32 %r1, %i;
    @%p1 st.global.u32 [%mine_out], %r1;
    @!%p1 st.global.u32 [%mine_out], %r1;
"""
    assert result(launch(kernel(body)))[:32].tolist() == [11] * 7 + list(range(7, 32))


def test_indirect_branch() -> None:
    body = """
    and.b32 %r1, %i, 3;
    mov.u32 %r2, 7;
TABLE: .branchtargets A, B, C, D;
    brx.idx %r1, TABLE;
A:  mov.u32 %r2, 10;
    bra E;
B:  mov.u32 %r2, 20;
    bra E;
C:  mov.u32 %r2, 30;
    bra E;
D:  mov.u32 %r2, 40;
E:  st.global.u32 [%mine_out], %r2;
"""
    assert result(launch(kernel(body)))[:8].tolist() == [10, 20, 30, 40] * 2


REDUCTION = """
    .shared .align 4 .b8 s[1024];
    mul.lo.u32 %r1, %i, 4;
    mov.u32 %r2, s;
    add.u32 %r3, %r2, %r1;
    ld.global.u32 %r4, [%mine_in];
    st.shared.u32 [%r3], %r4;
    bar.sync 0;
    mov.u32 %r5, 128;
LOOP:
    setp.ge.u32 %p1, %i, %r5;
    @%p1 bra WAIT;
    shl.b32 %r6, %r5, 2;
    add.u32 %r6, %r3, %r6;
    ld.shared.u32 %r7, [%r6];
    ld.shared.u32 %r8, [%r3];
    add.s32 %r7, %r7, %r8;
    st.shared.u32 [%r3], %r7;
WAIT:
    bar.sync 0;
    shr.u32 %r5, %r5, 1;
    setp.ne.u32 %p2, %r5, 0;
    @%p2 bra LOOP;
    setp.ne.u32 %p3, %i, 0;
    @%p3 bra DONE;
    ld.shared.u32 %r9, [s];
    mov.u32 %r10, %ctaid.x;
    mul.wide.u32 %rd1, %r10, 4;
    add.s64 %rd1, %out, %rd1;
    st.global.u32 [%rd1], %r9;
DONE:
"""


def test_barriers_order_shared_memory_of_each_block() -> None:
    data = np.random.default_rng(0).integers(0, 1000, 1024).astype(np.int32)
    run = launch(kernel(REDUCTION), data, grid=(4, 1, 1), block=(256, 1, 1))
    assert result(run)[:4].tolist() == data.reshape(4, 256).sum(axis=1).tolist()


def test_a_barrier_that_some_never_reach_is_a_deadlock() -> None:
    body = """
    setp.lt.u32 %p1, %i, 16;
    @%p1 bra SKIP;
    bar.sync 0;
SPIN:
    bra SPIN;
SKIP:
    bar.sync 1;
"""
    stop = launch(kernel(body), block=(64, 1, 1)).stop
    assert stop is not None
    assert stop.reason == "deadlock"


def test_lanes_that_left_do_not_hold_a_barrier_up() -> None:
    body = """
    setp.ge.u32 %p1, %i, 40;
    @%p1 exit;
    bar.sync 0;
    st.global.u32 [%mine_out], %i;
"""
    assert result(launch(kernel(body), block=(64, 1, 1)))[:40].tolist() == list(range(40))


def test_barrier_reductions() -> None:
    body = """
    setp.lt.u32 %p1, %i, 10;
    bar.red.popc.u32 %r1, 0, %p1;
    bar.red.and.pred %p2, 0, %p1;
    bar.red.or.pred %p3, 0, !%p1;
    selp.u32 %r2, 100, 0, %p2;
    selp.u32 %r3, 1000, 0, %p3;
    add.u32 %r1, %r1, %r2;
    add.u32 %r1, %r1, %r3;
    st.global.u32 [%mine_out], %r1;
"""
    run = launch(kernel(body), grid=(2, 1, 1), block=(64, 1, 1))
    assert set(result(run)[:128].tolist()) == {1010}


def test_named_barriers_with_producers_and_consumers() -> None:
    """The second warp arrives without waiting; the first waits for both."""
    body = """
    .shared .align 4 .b8 s[128];
    setp.lt.u32 %p1, %i, 32;
    and.b32 %r1, %i, 31;
    shl.b32 %r1, %r1, 2;
    mov.u32 %r2, s;
    add.u32 %r2, %r2, %r1;
    @%p1 bra CONSUME;
    st.shared.u32 [%r2], %i;
    bar.arrive 1, 64;
    bra DONE;
CONSUME:
    bar.sync 1, 64;
    ld.shared.u32 %r3, [%r2];
    st.global.u32 [%mine_out], %r3;
DONE:
"""
    run = launch(kernel(body), block=(64, 1, 1))
    assert result(run)[:32].tolist() == list(range(32, 64))


SPIN_LOCK = """
LOCK:
    atom.global.cas.b32 %r1, [%in], 0, 1;
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra LOCK;
    ld.volatile.global.u32 %r2, [%out];
    add.s32 %r2, %r2, 1;
    st.volatile.global.u32 [%out], %r2;
    atom.global.exch.b32 %r3, [%in], 0;
"""


def test_a_spin_lock_ends() -> None:
    run = launch(
        kernel(SPIN_LOCK), np.zeros(1, np.int32), out=np.zeros(1, np.int32), grid=(2, 1, 1)
    )
    assert result(run)[0] == 64
    assert run.schedule_dependent


def test_a_lane_that_waits_for_another_lets_it_run() -> None:
    """Lane 0 spins on a flag that lane 31 of the same warp sets."""
    body = """
    setp.ne.u32 %p1, %i, 0;
    @%p1 bra OTHER;
SPIN:
    ld.volatile.global.u32 %r1, [%in];
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra SPIN;
    st.global.u32 [%out], %r1;
    bra DONE;
OTHER:
    setp.ne.u32 %p3, %i, 31;
    @%p3 bra DONE;
    st.volatile.global.u32 [%in], 5;
DONE:
"""
    assert result(launch(kernel(body), np.zeros(1, np.int32)))[0] == 5


def test_what_does_not_steer_is_not_schedule_dependent() -> None:
    run = launch(kernel("atom.global.add.u32 %r1, [%out], 1;\n st.global.u32 [%mine_out], %r1;"))
    assert not run.schedule_dependent


def test_vectors_and_all_widths() -> None:
    body = """
    mul.wide.u32 %rd1, %i, 16;
    add.s64 %rd2, %in, %rd1;
    add.s64 %rd3, %out, %rd1;
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];
    add.s32 %r1, %r1, 1;
    st.global.v4.u32 [%rd3], {%r4, %r3, %r2, %r1};
    ld.global.s8 %r5, [%rd2+3];
    st.global.u16 [%rd3+2], %r5;
"""
    data = np.random.default_rng(1).integers(0, 256, 512).astype(np.uint8)
    words = data.view(np.uint32).reshape(32, 4)
    want = words[:, ::-1].copy()
    want[:, 3] += 1
    want.view(np.uint16)[:, 1] = data.reshape(32, 16)[:, 3].astype(np.int8).astype(np.uint16)
    run = launch(kernel(body), data)
    assert np.array_equal(result(run, "u4")[:128].reshape(32, 4), want)


def test_misaligned_accesses_work_and_are_faults() -> None:
    run = launch(
        kernel("ld.global.u32 %r1, [%mine_in+1];\n st.global.u32 [%mine_out+2], %r1;"),
        np.arange(256, dtype=np.uint8),
    )
    got = run.buffers["out"][2:130].view(np.uint8)
    assert got.tolist() == list(range(1, 129))
    assert {f.kind for f in run.faults} == {"misaligned"}


GENERIC = """
    .shared .align 4 .b8 s[128];
    .local .align 4 .b8 depot[16];
    mov.u32 %r1, s;
    mul.lo.u32 %r2, %i, 4;
    add.u32 %r1, %r1, %r2;
    cvt.u64.u32 %rd1, %r1;
    cvta.shared.u64 %rd1, %rd1;
    mov.u64 %rd2, depot;
    cvta.local.u64 %rd2, %rd2;
    and.b32 %r3, %i, 1;
    setp.eq.u32 %p1, %r3, 0;
    selp.b64 %rd3, %rd1, %rd2, %p1;
    st.u32 [%rd3], %i;
    bar.sync 0;
    isspacep.shared %p2, %rd3;
    ld.u32 %r4, [%rd3];
    selp.u32 %r5, 1000, 0, %p2;
    add.u32 %r4, %r4, %r5;
    cvta.global.u64 %rd4, %mine_out;
    st.u32 [%rd4], %r4;
"""


def test_generic_addresses_lead_to_their_spaces() -> None:
    want = [t + (1000 if t % 2 == 0 else 0) for t in range(32)]
    assert result(launch(kernel(GENERIC)))[:32].tolist() == want


def test_shared_atomics_count() -> None:
    body = """
    .shared .align 4 .b8 s[32];
    and.b32 %r1, %i, 7;
    shl.b32 %r1, %r1, 2;
    mov.u32 %r2, s;
    add.u32 %r2, %r2, %r1;
    atom.shared.add.u32 %r3, [%r2], 2;
    bar.sync 0;
    setp.ge.u32 %p1, %i, 8;
    @%p1 bra DONE;
    ld.shared.u32 %r4, [%r2];
    st.global.u32 [%mine_out], %r4;
DONE:
"""
    assert result(launch(kernel(body), block=(96, 1, 1)))[:8].tolist() == [24] * 8


def test_warp_operations() -> None:
    body = """
    setp.lt.u32 %p1, %i, 3;
    vote.sync.ballot.b32 %r1, %p1, 0xffffffff;
    vote.sync.any.pred %p2, %p1, -1;
    vote.sync.all.pred %p3, %p1, -1;
    shfl.sync.down.b32 %r2|%p4, %i, 4, 0x1f, -1;
    redux.sync.add.s32 %r3, %i, -1;
    and.b32 %r4, %i, 1;
    match.any.sync.b32 %r5, %r4, -1;
    selp.u32 %r6, 1, 0, %p2;
    selp.u32 %r7, 2, 0, %p3;
    selp.u32 %r8, 4, 0, %p4;
    add.u32 %r6, %r6, %r7;
    add.u32 %r6, %r6, %r8;
    mul.wide.u32 %rd1, %i, 20;
    add.s64 %rd1, %out, %rd1;
    st.global.u32 [%rd1], %r1;
    st.global.u32 [%rd1+4], %r2;
    st.global.u32 [%rd1+8], %r3;
    st.global.u32 [%rd1+12], %r5;
    st.global.u32 [%rd1+16], %r6;
"""
    rows = result(launch(kernel(body)), "u4")[:160].reshape(32, 5)
    lanes = np.arange(32)
    assert rows[:, 0].tolist() == [7] * 32
    assert rows[:, 1].tolist() == np.where(lanes < 28, lanes + 4, lanes).tolist()
    assert rows[:, 2].tolist() == [496] * 32
    assert rows[:, 3].tolist() == np.where(lanes % 2, 0xAAAAAAAA, 0x55555555).tolist()
    assert rows[:, 4].tolist() == np.where(lanes < 28, 5, 1).tolist()


def test_asynchronous_copies_zero_what_they_do_not_read() -> None:
    body = """
    .shared .align 16 .b8 s[512];
    mul.lo.u32 %r1, %i, 16;
    mov.u32 %r2, s;
    add.u32 %r2, %r2, %r1;
    mul.wide.u32 %rd1, %i, 16;
    add.s64 %rd1, %in, %rd1;
    mov.u32 %r3, 8;
    cp.async.ca.shared.global [%r2], [%rd1], 16, %r3;
    cp.async.commit_group;
    cp.async.wait_group 0;
    bar.sync 0;
    ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2];
    mul.wide.u32 %rd2, %i, 16;
    add.s64 %rd2, %out, %rd2;
    st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7};
"""
    data = np.arange(1, 129, dtype=np.uint32).reshape(32, 4)
    want = data.copy()
    want[:, 2:] = 0
    got = result(launch(kernel(body), data), "u4")[:128].reshape(32, 4)
    assert np.array_equal(got, want)


def test_special_registers_of_a_three_dimensional_launch() -> None:
    body = """
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %tid.z;
    mov.u32 %r4, %ctaid.y;
    mov.u32 %r5, %laneid;
    mov.u32 %r6, %lanemask_lt;
    mad.lo.u32 %r7, %r2, 4, %r1;
    mad.lo.u32 %r7, %r3, 12, %r7;
    mad.lo.u32 %r8, %r4, 24, %r7;
    mul.wide.u32 %rd1, %r8, 8;
    add.s64 %rd1, %out, %rd1;
    popc.b32 %r9, %r6;
    st.global.v2.u32 [%rd1], {%r5, %r9};
"""
    run = launch(kernel(body), grid=(1, 2, 1), block=(4, 3, 2))
    got = result(run)[:96].reshape(48, 2)
    assert got[:, 0].tolist() == list(range(24)) * 2
    assert got[:, 1].tolist() == list(range(24)) * 2


OUTSIDE = """
.const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
.const .align 4 .u32 unset;
.global .align 4 .u32 counter;
.global .align 8 .u64 pointer = counter;
"""


def test_module_variables() -> None:
    body = """
    and.b32 %r1, %i, 3;
    mul.wide.u32 %rd1, %r1, 4;
    mov.u64 %rd2, table;
    add.s64 %rd2, %rd2, %rd1;
    ld.const.u32 %r2, [%rd2];
    ld.global.u64 %rd3, [pointer];
    red.global.add.u32 [%rd3], %r2;
    bar.sync 0;
    ld.global.u32 %r3, [counter];
    st.global.u32 [%mine_out], %r3;
"""
    run = launch(kernel(body, OUTSIDE))
    assert set(result(run)[:32].tolist()) == {80}
    assert not run.faults


def test_constants_that_nobody_wrote_are_told() -> None:
    run = launch(kernel("ld.const.u32 %r1, [unset];\nst.global.u32 [%mine_out], %r1;", OUTSIDE))
    assert [f.kind for f in run.faults] == ["unwritten-constant"]


def test_overrunning_shared_memory_is_told() -> None:
    body = """
    .shared .align 4 .b8 s[64];
    mov.u32 %r1, s;
    mad.lo.u32 %r1, %i, 4, %r1;
    st.shared.u32 [%r1], %i;
"""
    fault = launch(kernel(body)).faults[0]
    assert (fault.kind, fault.count) == ("shared-overrun", 16)
    assert not launch(kernel(body), block=(16, 1, 1)).faults


@pytest.mark.parametrize("reference", [False, True])
def test_leaving_the_array_that_an_access_is_to_is_told(reference: bool) -> None:
    body = """
    .shared .align 4 .b8 s[64];
    .shared .align 4 .b8 others[64];
    mov.u32 %r1, s;
    mad.lo.u32 %r1, %i, 4, %r1;
    st.shared.u32 [%r1], %i;
    st.shared.u32 [others], %r1;
"""
    module = kernel(body)
    (function,) = module.kernels
    stores = [i.index for i in function.instructions if i.opcode == "st"]
    arrays = dict(zip(stores, ("s", "others"), strict=True))
    (fault,) = launch(module, reference=reference, arrays=arrays).faults
    assert (fault.kind, fault.pc) == ("array-overrun", stores[0])
    assert not launch(module, block=(16, 1, 1), reference=reference, arrays=arrays).faults
    assert not launch(module, reference=reference).faults


def test_dynamic_shared_memory_lies_behind_the_static() -> None:
    body = """
    .shared .align 4 .b8 s[100];
    mov.u32 %r1, dynamic;
    mad.lo.u32 %r2, %i, 4, %r1;
    st.shared.u32 [%r2], %i;
    ld.shared.u32 %r3, [%r2];
    add.u32 %r3, %r3, %r1;
    mov.u32 %r4, s;
    ld.shared.u32 %r5, [s];
    st.global.u32 [%mine_out], %r3;
"""
    module = kernel(body, ".extern .shared .align 16 .b8 dynamic[];")
    run = launch(module, shared=128)
    assert result(run)[:32].tolist() == [112 + t for t in range(32)]
    assert not run.faults
    assert launch(module, shared=64).faults[0].kind == "shared-overrun"


@pytest.mark.parametrize(
    ("body", "budget", "reason"),
    [
        ("L: add.s32 %r1, %r1, 1;\n bra L;", Budget(warp_instructions=500), "instruction budget"),
        ("L: add.s32 %r1, %r1, 1;\n bra L;", Budget(seconds=0.05, warp_instructions=10**9),
         "time budget"),
        ("L: add.s64 %mine_out, %mine_out, 65536;\n st.global.u32 [%mine_out], 1;\n bra L;",
         Budget(memory=4 << 20), "memory budget"),
        ("trap;", Budget(), "trap"),
    ],
)  # fmt: skip
def test_runs_end_at_their_budget(body: str, budget: Budget, reason: str) -> None:
    run = launch(kernel(body), budget=budget)
    assert run.stop is not None
    assert run.stop.reason == reason
    assert run.warp_instructions > 0


def test_unsupported_instructions_are_refused_before_the_launch() -> None:
    module = parse(
        HEADER + ".visible .entry k(.param .u64 p)\n{\n .reg .b32 %r<2>;\n"
        " mov.u32 %r1, %envreg3;\n ret;\n}\n"
    )
    with pytest.raises(UnsupportedInstructionError, match=r"mov\.u32") as caught:
        simulate(module, "k", Launch((1, 1, 1), (1, 1, 1), (Buffer("p"),)))
    assert caught.value.name == "mov.u32"
    assert caught.value.ptx_line == 7


TYPED = (
    HEADER
    + """
.visible .entry k(.param .u64 out, .param .u32 a, .param .f32 b, .param .s8 c,
                  .param .align 8 .b8 d[24]) .maxntid 64, 1, 1
{
    .reg .b32 %r<8>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [a];
    ld.param.f32 %f1, [b];
    ld.param.s8 %r2, [c];
    ld.param.u64 %rd2, [d+8];
    ld.param.u32 %r3, [d+16];
    st.global.u32 [%rd1], %r1;
    st.global.f32 [%rd1+4], %f1;
    st.global.u32 [%rd1+8], %r2;
    ld.global.u32 %r4, [%rd2];
    st.global.u32 [%rd1+12], %r4;
    st.global.u32 [%rd1+16], %r3;
    ret;
}
"""
)


def test_arguments_are_encoded_by_their_parameters() -> None:
    inner = Buffer("inner", data=np.array([77], np.uint32))
    data = bytes(16) + (9).to_bytes(4, "little")
    run = simulate(
        parse(TYPED),
        "k",
        Launch((1, 1, 1), (1, 1, 1), (Buffer("out"), Scalar(-1), Scalar(3), Scalar(-2),
                                       Aggregate(data, ((8, inner),)))),
    )  # fmt: skip
    words = run.buffers["out"].view(np.int32)[:5].tolist()
    assert words == [-1, int(np.float32(3).view(np.int32)), -2, 77, 9]
    assert not run.faults


OK = (Buffer("out"), Scalar(1), Scalar(1.5), Scalar(1), Aggregate(b""))


@pytest.mark.parametrize(
    ("grid", "block", "arguments", "shared", "message"),
    [
        ((1, 1, 1), (128, 1, 1), OK, 0, "bounded to 64 threads"),
        ((1, 1, 1), (32, 32, 2), OK, 0, "2048 threads"),
        ((0, 1, 1), (32, 1, 1), OK, 0, "at least 1"),
        ((1, 1, 1), (32, 1, 1), OK[:3], 0, "5 parameters"),
        ((1, 1, 1), (32, 1, 1), OK, 1 << 20, "shared memory"),
        ((1, 1, 1), (32, 1, 1), (*OK[:2], Buffer("x"), *OK[3:]), 0, "cannot hold a pointer"),
        ((1, 1, 1), (32, 1, 1), (*OK[:4], Aggregate(bytes(99))), 0, "99 bytes"),
        ((1, 1, 1), (32, 1, 1), (*OK[:4], Scalar(1)), 0, "needs an Aggregate"),
        ((1, 1, 1), (32, 1, 1), (*OK[:2], Scalar(1e99), *OK[3:]), 0, "cannot hold 1e"),
    ],
)
def test_launches_that_do_not_fit(
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    arguments: tuple[object, ...],
    shared: int,
    message: str,
) -> None:
    with pytest.raises(LaunchError, match=message):
        simulate(parse(TYPED), "k", Launch(grid, block, arguments, shared))  # type: ignore[arg-type]


def test_unknown_kernels_list_the_known() -> None:
    with pytest.raises(LaunchError, match=r"it has k"):
        simulate(parse(TYPED), "nope", Launch((1, 1, 1), (1, 1, 1), OK))


def test_fills_decide_what_is_read() -> None:
    module = kernel("ld.global.u32 %r1, [%mine_in];\n st.global.u32 [%mine_out], %r1;")
    block = (256, 1, 1)
    identity = result(launch(module, block=block, fill=Fill.IDENTITY))[:256]
    assert identity.tolist() == [i % 64 for i in range(256)]
    random = result(launch(module, block=block, fill=Fill.RANDOM))[:256]
    assert 0 <= random.min() < random.max() < 64
    assert random.tolist() != identity.tolist()
    assert not result(launch(module, block=block, fill=Fill.ZERO))[:256].any()


@pytest.mark.parametrize(
    ("grid", "contiguous", "expected"),
    [
        ((2, 2, 1), False, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]),
        ((64, 1, 1), False, [(0, 0, 0), (1, 0, 0), (32, 0, 0), (63, 0, 0)]),
        ((8, 8, 1), False, [(0, 0, 0), (1, 1, 0), (4, 4, 0), (7, 7, 0)]),
        ((3, 8, 1), True, [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0)]),
    ],
)
def test_chosen_blocks(
    grid: tuple[int, int, int], contiguous: bool, expected: list[tuple[int, int, int]]
) -> None:
    assert list(choose_blocks(grid, contiguous)) == expected
    assert set(expected) == set(choose_blocks(grid, contiguous))


def test_runs_are_reproducible() -> None:
    runs = [launch(kernel(COLLATZ), grid=(2, 1, 1), budget=Budget(5000)) for _ in range(2)]
    assert runs[0].warp_instructions == runs[1].warp_instructions
    assert np.array_equal(runs[0].buffers["out"], runs[1].buffers["out"])


CALLS = (
    HEADER
    + """
.func (.param .b32 result) twice(.param .b32 x, .param .align 4 .b8 pair[8])
{
    .reg .b32 %r<4>;
    .reg .pred %p<2>;
    ld.param.u32 %r1, [x];
    ld.param.u32 %r2, [pair+4];
    setp.gt.s32 %p1, %r1, 15;
    @%p1 bra BIG;
    add.s32 %r1, %r1, %r1;
    bra END;
BIG:
    mov.u32 %r1, 0;
END:
    add.s32 %r1, %r1, %r2;
    st.param.b32 [result], %r1;
    ret;
}
.func (.param .b32 result) forever(.param .b32 x)
{
    .reg .b32 %r<2>;
    .param .b32 inner;
    call (inner), forever, (x);
    ld.param.u32 %r1, [inner];
    st.param.b32 [result], %r1;
    ret;
}
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    {
    .param .b32 a;
    .param .align 4 .b8 b[8];
    .param .b32 c;
    st.param.b32 [a], %r1;
    st.param.b32 [b+4], 1000;
    call.uni (c), NAME, (ARGUMENTS);
    ld.param.b32 %r2, [c];
    }
    st.global.u32 [%rd1], %r2;
    ret;
}
"""
)


def test_calls_are_written_out() -> None:
    module = parse(CALLS.replace("NAME", "twice").replace("ARGUMENTS", "a, b"))
    run = simulate(module, "k", Launch((1, 1, 1), (32, 1, 1), (Buffer("out"),)))
    want = [1000 + (2 * t if t <= 15 else 0) for t in range(32)]
    assert result(run)[:32].tolist() == want


def test_endless_recursion_ends_with_the_stack() -> None:
    module = parse(CALLS.replace("NAME", "forever").replace("ARGUMENTS", "a"))
    run = simulate(module, "k", Launch((1, 1, 1), (32, 1, 1), (Buffer("out"),)))
    assert run.stop is not None
    assert run.stop.reason == "trap"
    assert run.faults == ()


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("bra NOWHERE;", r"bra"),
        ("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];", r"tex\.2d"),
        ("frobnicate.u32 %r1, %r2;", "frobnicate"),
        ("add.u32 %r1, %r2;", r"add\.u32"),
        ("shfl.sync.idx.b32 %r1, %r2;", r"shfl\.sync"),
        ("tcgen05.shift.cta_group::1.down [%r1];", r"tcgen05\.shift"),
        ("ld.global.v2.u32 %r1, [%rd1];", r"ld\.global\.v2"),
    ],
)
def test_what_has_no_meaning_is_refused(body: str, name: str) -> None:
    try:
        module = kernel(body)
    except PtxSyntaxError:
        return  # refused earlier still
    with pytest.raises(UnsupportedInstructionError, match=name):
        launch(module)


def test_local_memory_counts_against_the_budget() -> None:
    body = """
    .local .align 4 .b8 depot[1048576];
    mov.u64 %rd1, depot;
    st.local.u32 [%rd1], %i;
"""
    stop = launch(kernel(body), budget=Budget(memory=8 << 20)).stop
    assert stop is not None
    assert stop.reason == "memory budget"


def test_shared_memory_beyond_the_architecture_is_refused() -> None:
    with pytest.raises(LaunchError, match=r"sm_50 has 49152"):
        launch(kernel(".shared .align 4 .b8 s[60000];\nst.shared.u32 [s], %i;"), arch="sm_50")


def test_calls_that_lead_nowhere_are_refused_with_the_reason() -> None:
    outside = ".extern .func (.param .b64 r) elsewhere (.param .b64 n);"
    body = """
    { .param .b64 result; .param .b64 size;
    st.param.b64 [size], %rd1;
    call.uni (result), elsewhere, (size);
    ld.param.b64 %rd2, [result]; }
"""
    with pytest.raises(UnsupportedInstructionError, match="the body of elsewhere is not in this"):
        launch(kernel(body, outside))
