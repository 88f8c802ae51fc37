"""Emulator speed: thread-instructions a second, and how that compares with NumPy's own additions.

    python benchmarks/emulator.py [--seconds 2]

Counted are the active lanes of executed PTX instructions, with the access counter attached, as
`perflint check` runs kernels; results are verified. The last column divides by the additions a
second of `np.add` over as many float32, measured in the same run: the machine cancels out.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from perflint.grammar import parse
from perflint.sim import simulate
from perflint.sim.launch import Budget, Buffer, Launch, Run, Scalar
from perflint.sim.tracers.accesses import AccessCounter

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry vecadd(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<11>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    ld.param.u32 %r2, [n];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r3, %r4, %r5;
    setp.ge.s32 %p1, %r1, %r2;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd4, %rd1;
    mul.wide.s32 %rd5, %r1, 4;
    add.s64 %rd6, %rd4, %rd5;
    cvta.to.global.u64 %rd7, %rd2;
    add.s64 %rd8, %rd7, %rd5;
    ld.global.f32 %f1, [%rd8];
    ld.global.f32 %f2, [%rd6];
    add.f32 %f3, %f2, %f1;
    cvta.to.global.u64 %rd9, %rd3;
    add.s64 %rd10, %rd9, %rd5;
    st.global.f32 [%rd10], %f3;
DONE:
    ret;
}
.visible .entry matmul(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<6>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<16>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    mov.u32 %r6, %ctaid.y;
    mov.u32 %r7, %ntid.y;
    mov.u32 %r8, %tid.y;
    mad.lo.s32 %r9, %r6, %r7, %r8;
    mul.lo.s32 %r10, %r9, %r1;
    mul.wide.s32 %rd4, %r10, 4;
    add.s64 %rd5, %rd1, %rd4;
    mul.wide.s32 %rd6, %r5, 4;
    add.s64 %rd7, %rd2, %rd6;
    mul.wide.s32 %rd8, %r1, 4;
    mov.f32 %f1, 0f00000000;
    mov.u32 %r11, 0;
LOOP:
    ld.global.f32 %f2, [%rd5];
    ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f1, %f2, %f3, %f1;
    add.s64 %rd5, %rd5, 4;
    add.s64 %rd7, %rd7, %rd8;
    add.s32 %r11, %r11, 1;
    setp.lt.s32 %p1, %r11, %r1;
    @%p1 bra LOOP;
    add.s32 %r12, %r10, %r5;
    mul.wide.s32 %rd9, %r12, 4;
    add.s64 %rd10, %rd3, %rd9;
    st.global.f32 [%rd10], %f1;
    ret;
}
"""


def additions_per_second(lanes: int) -> float:
    """Elements a second of `np.add` into a new float32 array."""
    a = np.random.default_rng(0).random(lanes, dtype=np.float32)
    repeat = max(1, 20_000_000 // lanes)
    start = time.perf_counter()
    for _ in range(repeat):
        np.add(a, a)
    return lanes * repeat / (time.perf_counter() - start)


def vecadd(lanes: int) -> Callable[[], Run]:
    module = parse(PTX)
    a, b = np.random.default_rng(1).random((2, lanes), dtype=np.float32)
    arguments = (Buffer("a", data=a), Buffer("b", data=b), Buffer("c"), Scalar(lanes))
    launch = Launch((lanes // 256, 1, 1), (256, 1, 1), arguments)

    def run() -> Run:
        blocks = [(x, 0, 0) for x in range(lanes // 256)]
        done = simulate(module, "vecadd", launch, blocks=blocks, tracers=(AccessCounter(),))
        assert np.array_equal(done.buffers["c"].view(np.float32)[:lanes], a + b)
        return done

    return run


def matmul(lanes: int) -> Callable[[], Run]:
    module = parse(PTX)
    side = round(lanes**0.5)
    a, b = np.random.default_rng(2).random((2, side, side), dtype=np.float32)
    arguments = (Buffer("a", data=a), Buffer("b", data=b), Buffer("c"), Scalar(side))
    tiles = side // 16
    launch = Launch((tiles, tiles, 1), (16, 16, 1), arguments)
    budget = Budget(warp_instructions=10**9, seconds=60)

    def run() -> Run:
        blocks = [(x, y, 0) for y in range(tiles) for x in range(tiles)]
        done = simulate(
            module, "matmul", launch, blocks=blocks, tracers=(AccessCounter(),), budget=budget
        )
        c = done.buffers["c"].view(np.float32)[: side * side].reshape(side, side)
        assert np.allclose(c, a @ b, rtol=1e-4)
        return done

    return run


def measured(run: Callable[[], Run], seconds: float) -> float:
    """Thread-instructions a second of the fastest of the runs that fit into the time."""
    best = 0.0
    end = time.perf_counter() + seconds
    while True:
        start = time.perf_counter()
        done = run()
        best = max(best, done.thread_instructions / (time.perf_counter() - start))
        if time.perf_counter() > end:
            return best


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=2.0, help="for each figure")
    seconds = options.parse_args().seconds
    print(f"{'kernel':8} {'lanes':>8} {'M thread-instr/s':>17} {'of np.add':>10}")
    for lanes in (256, 65_536):
        base = additions_per_second(lanes)
        for name, make in (("vecadd", vecadd), ("matmul", matmul)):
            speed = measured(make(lanes), seconds)
            print(f"{name:8} {lanes:8} {speed / 1e6:17.1f} {speed / base:10.3f}")


if __name__ == "__main__":
    main()
