"""The access counter over whole runs: figures that the CUDA guides give for such patterns."""

from __future__ import annotations

import pytest

from perflint.sim.accesses import AccessCount
from perflint.sim.launch import Budget
from perflint.sim.tracers.accesses import AccessCounter
from tests.sim.kernels import kernel, launch


def counted(body: str, **options: object) -> AccessCount:
    """The only access of a kernel."""
    counter = AccessCounter()
    run = launch(kernel(body), tracers=(counter,), **options)
    assert run.stop is None
    assert counter in run.tracers
    (found,) = counter.counts.values()
    return found


STRIDED = """
    mul.lo.u32 %r1, %t, {stride};
    mul.wide.u32 %rd1, %r1, {size};
    add.s64 %rd1, %in, %rd1;
    {load}
"""


@pytest.mark.parametrize(
    ("stride", "load", "size", "measured", "golden"),
    [
        (1, "ld.global.f32 %f1, [%rd1];", 4, 4, 4),
        (2, "ld.global.f32 %f1, [%rd1];", 4, 8, 4),
        (32, "ld.global.f32 %f1, [%rd1];", 4, 32, 4),
        (0, "ld.global.f32 %f1, [%rd1];", 4, 1, 4),
        (1, "ld.global.f32 %f1, [%rd1+4];", 4, 5, 4),
        (1, "ld.global.f64 %fd1, [%rd1];", 8, 8, 8),
        (1, "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", 16, 16, 16),
        (1, "ld.global.u8 %h1, [%rd1];", 1, 1, 1),
        (1, "st.global.f32 [%rd1], %f1;", 4, 4, 4),
        (1, "red.global.add.u32 [%rd1], %r1;", 4, 4, 4),
    ],
)
def test_sectors(stride: int, load: str, size: int, measured: int, golden: int) -> None:
    body = STRIDED.format(stride=stride, size=size, load=load)
    found = counted(body, grid=(2, 1, 1), block=(64, 1, 1))
    assert (found.space, found.size, found.requests, found.lanes) == ("global", size, 4, 128)
    assert (found.measured, found.golden) == (4 * measured, 4 * golden)
    assert found.excess == 4 * max(0, measured - golden)
    assert found.full_requests == 4
    assert found.witness.measured == measured


SHARED = """
    .shared .align 16 .b8 s[8192];
    mul.lo.u32 %r1, %i, {step};
    mov.u32 %r2, s;
    add.u32 %r2, %r2, %r1;
    {load}
"""


@pytest.mark.parametrize(
    ("step", "load", "measured", "golden", "ways"),
    [
        (4, "ld.shared.f32 %f1, [%r2];", 1, 1, 1),
        (8, "ld.shared.f32 %f1, [%r2];", 2, 1, 2),
        (128, "ld.shared.f32 %f1, [%r2];", 32, 1, 32),
        (132, "ld.shared.f32 %f1, [%r2];", 1, 1, 1),
        (0, "ld.shared.f32 %f1, [%r2];", 1, 1, 1),
        (0, "ld.shared.f64 %fd1, [%r2];", 1, 1, 1),
        (8, "ld.shared.f64 %fd1, [%r2];", 2, 2, 1),
        (16, "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r2];", 4, 4, 1),
        (2, "st.shared.u16 [%r2], %h1;", 1, 1, 1),
    ],
)
def test_wavefronts(step: int, load: str, measured: int, golden: int, ways: int) -> None:
    found = counted(SHARED.format(step=step, load=load))
    assert (found.space, found.measured, found.golden) == ("shared", measured, golden)
    assert (found.excess, found.ways) == (measured - golden, ways)


def test_generic_accesses_count_where_they_lead() -> None:
    body = """
    .shared .align 4 .b8 s[4096];
    mov.u64 %rd1, s;
    cvta.shared.u64 %rd1, %rd1;
    mul.wide.u32 %rd2, %i, 128;
    add.s64 %rd1, %rd1, %rd2;
    ld.f32 %f1, [%rd1];
"""
    found = counted(body)
    assert (found.space, found.measured, found.ways) == ("shared", 32, 32)


def test_the_witness_can_be_checked_by_hand() -> None:
    body = """
    setp.lt.u32 %p1, %i, 3;
    @!%p1 bra DONE;
    mul.wide.u32 %rd1, %i, 100;
    add.s64 %rd1, %in, %rd1;
    ld.global.u32 %r1, [%rd1];
DONE:
"""
    found = counted(body)
    assert found.witness.lanes == (0, 100, 200, *[None] * 29)
    assert (found.witness.measured, found.witness.golden, found.full_requests) == (3, 1, 0)


def test_tracing_stops_at_the_cap_and_the_run_goes_on() -> None:
    counter = AccessCounter()
    run = launch(
        kernel("ld.global.u32 %r1, [%mine_in];\n st.global.u32 [%mine_out], %r1;"),
        grid=(4, 1, 1),
        block=(256, 1, 1),
        tracers=(counter,),
        budget=Budget(requests_per_site=5),
    )
    assert run.stop is None
    assert [c.requests for c in counter.counts.values()] == [5, 5]
    assert len(run.buffers["out"]) == 4096


def test_constant_and_local_memory_are_not_counted() -> None:
    counter = AccessCounter()
    body = """
    .local .align 4 .b8 depot[8];
    ld.const.u32 %r1, [c];
    mov.u64 %rd1, depot;
    st.local.u32 [%rd1], %r1;
"""
    launch(kernel(body, ".const .align 4 .u32 c = 5;"), tracers=(counter,))
    assert not counter.counts


NOWHERE = """
    cvt.u64.u32 %rd1, %t;
    shl.b64 %rd1, %rd1, 41;
    add.s64 %rd1, %rd1, 0x400000000000;
    {access}
    ld.global.u32 %r2, [%rd1];
    setp.eq.u32 %p1, %r2, %t;
    mul.wide.u32 %rd2, %i, 4;
    add.s64 %rd2, %out, %rd2;
    selp.u32 %r3, 1, 0, %p1;
    st.global.u32 [%rd2], %r3;
"""


@pytest.mark.parametrize(
    "access", ["st.global.u32 [%rd1], %t;", "atom.global.exch.b32 %r4, [%rd1], %t;"]
)
def test_addresses_all_over_the_place(access: str) -> None:
    """They are no pattern of the kernel's; what was stored there is there all the same."""
    counter = AccessCounter()
    run = launch(kernel(NOWHERE.format(access=access)), tracers=(counter,), block=(64, 1, 1))
    assert [(fault.kind, fault.count) for fault in run.faults] == [("out-of-region", 64)] * 2
    *nowhere, out = (found for _, found in sorted(counter.counts.items()))
    assert [(f.requests, f.lanes, f.measured, f.golden) for f in nowhere] == [(2, 2, 2, 2)] * 2
    assert (out.requests, out.lanes) == (2, 64)
    assert run.buffers["out"].view("u4")[:64].tolist() == [1] * 64
