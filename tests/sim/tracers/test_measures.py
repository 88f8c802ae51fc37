"""What the tracers measure, against figures worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from perflint.sim import tracers
from perflint.sim.launch import Dim3
from perflint.sim.trace import Tracing
from tests.sim.kernels import kernel, launch

#: Instructions of the prologue that every body has before it, per thread (tests/sim/kernels.py).
PROLOGUE = 11


def traced(
    tracer: Any, body: str, *, grid: int = 1, block: Dim3 = (32, 1, 1), **options: Any
) -> Any:
    """The tracer after a run of `body`."""
    run = launch(kernel(body), grid=(grid, 1, 1), block=block, tracers=(tracer,), **options)
    assert run.stop is None
    return tracer


#: Lanes below the bound run `work` instructions that the others jump over.
def branching(bound: int, work: int) -> str:
    return f"""
    setp.ge.u32 %p1, %i, {bound};
    @%p1 bra SKIP;
    {"add.s32 %r1, %r1, 1;" * work}
SKIP:
"""


@pytest.mark.parametrize("bound", [0, 1, 16, 31, 32])
@pytest.mark.parametrize("work", [1, 5, 40])
def test_activity_factor_of_a_branch(bound: int, work: int) -> None:
    """11 + 2 + 1 instructions (setp, bra, ret) by 32 threads, `work` by `bound` of them."""
    found = traced(tracers.Branch(), branching(bound, work))
    executed = PROLOGUE + 3 + (work if bound else 0)
    active = 32 * (PROLOGUE + 3) + bound * work
    assert found.activity_factor == pytest.approx(active / (32 * executed))
    assert found.metrics()["branches"] == 1
    assert found.metrics()["divergent branches"] == (0 < bound < 32)


def test_a_branch_diverges_in_the_warps_that_it_splits_only() -> None:
    """Of 4 blocks with 4 warps, the bound 40 cuts through the second warp of each."""
    found = traced(tracers.Branch(), branching(40, 3), grid=4, block=(128, 1, 1))
    [sums] = found.sums().values()
    assert sums == {
        "branches": 16,
        "divergent_branches": 4,
        "branch_threads": 512,
        "branch_threads_taken": 4 * (128 - 40),
    }


def test_a_partial_warp_is_fully_active() -> None:
    assert traced(tracers.Branch(), branching(20, 1), block=(20, 1, 1)).activity_factor == 1.0


def test_instructions_by_class() -> None:
    body = """
    cvt.f64.s32 %fd1, %i;
    add.f64 %fd1, %fd1, %fd1;
    cvt.rn.f32.f64 %f1, %fd1;
    add.f32 %f2, %f1, %f1;
    st.global.f32 [%mine_out], %f2;
"""
    found = traced(tracers.Instruction(), body, grid=2, block=(48, 1, 1))
    assert found.static["f64"] == 3
    assert found.warp["f64"] == 3 * 2 * 2
    assert found.thread["f64"] == 3 * 2 * 48
    assert found.thread["f32"] == found.thread["store"] == 96
    assert found.thread.total() == 96 * (PROLOGUE + 6)
    assert found.warp.total() == 4 * (PROLOGUE + 6)


def test_instructions_of_a_loop_are_counted_as_often_as_it_runs() -> None:
    """Thread i leaves a loop of 3 instructions after i + 1 turns: n(n + 1) / 2 in all."""
    body = """
    mov.u32 %r1, 0;
LOOP:
    add.s32 %r1, %r1, 1;
    setp.le.u32 %p1, %r1, %i;
    @%p1 bra LOOP;
"""
    found = traced(tracers.Instruction(), body)
    assert found.thread.total() == 32 * (PROLOGUE + 2) + 3 * 32 * 33 // 2
    assert found.warp.total() == PROLOGUE + 2 + 3 * 32
    by_position = found.sums()
    assert by_position[PROLOGUE + 1]["thread_instructions"] == 32 * 33 // 2


def test_instructions_agree_with_the_run() -> None:
    tracer = tracers.Instruction()
    module = kernel(branching(13, 7))
    run = launch(module, grid=(3, 1, 1), block=(70, 1, 1), tracers=(tracer,))
    assert tracer.thread.total() == run.thread_instructions
    assert tracer.warp.total() == run.warp_instructions
    plain = launch(module, grid=(3, 1, 1), block=(70, 1, 1))
    assert plain.thread_instructions == run.thread_instructions


def test_the_kernels_dimensions() -> None:
    found = traced(tracers.KernelDimension(), "", grid=3, block=(10, 5, 1)).metrics()
    assert found["grid"] == "3 x 1 x 1"
    assert found["block"] == "10 x 5 x 1"
    assert (found["threads"], found["warps per block"]) == (150, 2)


def test_the_machines_attributes() -> None:
    found = traced(tracers.MachineAttributes(), "", arch="sm_70")
    assert found.arch.compute_capability == (7, 0)
    assert found.metrics()["warp size"] == 32


def strided(stride: int) -> str:
    return f"""
    mul.wide.u32 %rd1, %t, {4 * stride};
    add.s64 %rd1, %in, %rd1;
    ld.global.f32 %f1, [%rd1];
"""


@pytest.mark.parametrize("stride", [1, 2, 4, 8, 16])
def test_memory_of_strided_loads(stride: int) -> None:
    """A warp's 32 loads lie in min(32, 4 stride) sectors; nothing is touched twice."""
    found = traced(tracers.Memory(), strided(stride), grid=2, block=(64, 1, 1))
    sectors = min(32, 4 * stride)
    metrics = found.metrics()
    assert metrics["global requests"] == 4
    assert metrics["sectors"] == 4 * sectors
    assert metrics["ideal sectors"] == 16
    assert metrics["memory efficiency"] == pytest.approx(4 / sectors)
    assert metrics["working set, bytes"] == 32 * 4 * sectors
    assert metrics["memory intensity"] == pytest.approx(1 / (PROLOGUE + 4))


def test_memory_efficiency_goes_by_the_architecture() -> None:
    """sm_20 moves lines of 128 bytes: 16 of them for a stride of 64 bytes (guide 4.2, F.4.2)."""
    metrics = traced(tracers.Memory(), strided(16), arch="sm_20").metrics()
    assert metrics["moved bytes"] == 16 * 128
    assert metrics["memory efficiency"] == pytest.approx(128 / (16 * 128))


SHARED = ".shared .align 4 .b8 s[512];"


def test_memory_of_shared_accesses() -> None:
    """Words 8 i of 32 lanes lie in 4 banks: 8 wavefronts; 16 lanes reach byte 484."""
    body = f"""
    {SHARED}
    setp.ge.u32 %p1, %i, 16;
    @%p1 bra DONE;
    shl.b32 %r1, %i, 5;
    mov.u32 %r2, s;
    add.u32 %r1, %r1, %r2;
    st.shared.u32 [%r1], %i;
DONE:
"""
    metrics = traced(tracers.Memory(), body).metrics()
    assert metrics["wavefronts"] == 4
    assert metrics["ideal wavefronts"] == 1
    assert metrics["shared bytes"] == 64
    assert metrics["shared memory touched per block, bytes"] == 64


def test_parallelism() -> None:
    """Block b runs a loop of 3 instructions b + 1 times, in 64 threads."""
    body = """
    mov.u32 %r1, 0;
    mov.u32 %r2, %ctaid.x;
LOOP:
    add.s32 %r1, %r1, 1;
    setp.le.u32 %p1, %r1, %r2;
    @%p1 bra LOOP;
"""
    found = traced(tracers.Parallelism(), body, grid=4, block=(64, 1, 1))
    lengths = [PROLOGUE + 3 + 3 * (b + 1) for b in range(4)]
    assert found.length.tolist() == lengths
    assert found.mimd == pytest.approx(sum(lengths) / max(lengths))
    assert found.simd == pytest.approx(64)


def test_simd_parallelism_of_a_branch() -> None:
    found = traced(tracers.Parallelism(), branching(16, 10))
    assert found.simd == pytest.approx((32 * (PROLOGUE + 3) + 160) / (PROLOGUE + 13))


def exchange(distance: int, barrier: str = "bar.sync 0;") -> str:
    """Each of 128 threads stores a word and loads the one of the thread i ^ distance."""
    return f"""
    {SHARED}
    mov.u32 %r2, s;
    shl.b32 %r1, %i, 2;
    add.u32 %r1, %r1, %r2;
    st.shared.u32 [%r1], %i;
    {barrier}
    xor.b32 %r3, %i, {distance};
    shl.b32 %r3, %r3, 2;
    add.u32 %r3, %r3, %r2;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%mine_out], %r4;
"""


@pytest.mark.parametrize(
    ("distance", "flow", "across"), [(0, 0.0, 0.0), (1, 1.0, 0.0), (31, 1.0, 0.0), (32, 1.0, 1.0)]
)
def test_data_flow_among_threads(distance: int, flow: float, across: float) -> None:
    found = traced(tracers.SharedComputation(), exchange(distance), block=(128, 1, 1)).metrics()
    assert found == {"inter-thread data flow": flow, "inter-warp data flow": across}


@pytest.mark.parametrize(("distance", "fits"), [(1, True), (32, False)])
def test_regions_that_fit_warp_synchronous_execution(distance: int, fits: bool) -> None:
    found = traced(tracers.WarpSynchronous(), exchange(distance), block=(128, 1, 1))
    entry, behind = found.regions
    assert entry.barrier is None and not entry.loads
    assert (behind.loads, behind.warp_synchronous) == (128, fits)
    assert behind.warp_instructions == behind.whole_warps == 4 * 6


def test_whole_warps() -> None:
    found = traced(tracers.WarpSynchronous(), branching(16, 6), block=(64, 1, 1))
    whole = 2 * (PROLOGUE + 3)
    assert found.metrics()["instructions of whole warps"] == pytest.approx(whole / (whole + 6))


def test_watching_bytes() -> None:
    body = "st.global.u32 [%mine_out], %t; ld.global.u32 %r1, [%mine_out];"
    watch = traced(tracers.Watch("out", 40, 8), body, grid=2, block=(8, 1, 1))
    assert (watch.reads, watch.writes) == (2, 2)
    stores = [a for a in watch.accesses if a.kind == "store"]
    assert [(a.block[0], a.thread[0], a.offset) for a in stores] == [(1, 2, 40), (1, 3, 44)]
    assert [a.value for a in stores] == [np.int32(n).tobytes() for n in (10, 11)]


def test_watching_keeps_what_it_was_told_to() -> None:
    watch = traced(tracers.Watch("out", limit=3), "st.global.u32 [%mine_out], %t;")
    assert (watch.writes, len(watch.accesses)) == (32, 3)


def test_watching_what_is_not_there() -> None:
    with pytest.raises(ValueError, match="there is in, out, shared"):
        traced(tracers.Watch("nothing"), "")


def test_every_tracer_of_the_paper_is_found() -> None:
    """Table 1 of "GPU Application Development, Debugging, and Performance Tuning with Ocelot"."""
    assert {
        *("Branch", "Instruction", "KernelDimension", "MachineAttributes", "Memory"),
        *("MemoryChecker", "MemoryRaceDetector", "Parallelism", "SharedComputation"),
        *("WarpSynchronous", "Watch"),
    } <= tracers.found().keys()


def test_a_tracer_of_the_users() -> None:
    class Stores(Tracing):
        def __init__(self) -> None:
            self.lanes = 0

        def memory(self, batch: Any) -> None:
            if batch.kind == "store":
                self.lanes += int(batch.mask.sum())

    assert traced(Stores(), "st.global.u32 [%mine_out], %t;", grid=3).lanes == 96
