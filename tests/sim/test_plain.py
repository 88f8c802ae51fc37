"""The short cuts of a run against a run without any, on random programs that diverge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perflint.sim import turns, waves
from perflint.sim.accesses import Witness
from perflint.sim.launch import Run
from perflint.sim.tracers.accesses import AccessCounter
from tests.sim.kernels import Budget, kernel, launch

WORDS = 256  #: of either buffer, and of shared memory

registers = st.sampled_from(["%r1", "%r2", "%r3", "%r4", "%t", "%i"])
targets = st.sampled_from(["%r1", "%r2", "%r3", "%r4"])
constants = st.sampled_from([0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 0x7FFFFFFF, 0xFFFFFFFF])
sources = st.one_of(registers, constants.map(lambda n: f"0x{n:08X}"))

_TWO = st.sampled_from(["add.u32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32",
                        "min.s32", "max.u32", "mul.hi.u32"])  # fmt: skip
two = st.builds(lambda op, d, a, b: f"{op} {d}, {a}, {b};", _TWO, targets, registers, sources)
shift = st.builds(
    lambda op, d, a, n: f"{op} {d}, {a}, {n};",
    st.sampled_from(["shl.b32", "shr.u32", "shr.s32"]), targets, registers, st.integers(0, 33),
)  # fmt: skip
specials = st.sampled_from(["%tid.x", "%tid.y", "%ctaid.x", "%ntid.x", "%laneid"])
index = st.builds(lambda d, s: f"mov.u32 {d}, {s};", targets, specials)


def _place(space: str, register: str, offset: int, wide: bool) -> str:
    """%rd1 or %r9 points to the word that a register and an offset choose."""
    mask = f"and.b32 %r8, {register}, {WORDS // 2 - 1};\n add.u32 %r8, %r8, {offset};\n"
    if space == "shared":
        return mask + " shl.b32 %r8, %r8, 2;\n mov.u32 %r9, s;\n add.u32 %r9, %r9, %r8;\n"
    base = "%in" if wide else "%out"
    return mask + f" mul.wide.u32 %rd1, %r8, 4;\n add.s64 %rd1, {base}, %rd1;\n"


def _load(space: str, target: str, register: str, offset: int) -> str:
    where = "%r9" if space == "shared" else "%rd1"
    return _place(space, register, offset, True) + f" ld.{space}.u32 {target}, [{where}];"


def _store(register: str, value: str) -> str:
    """To the thread's own words, so that no order of the lanes matters."""
    return (
        " mul.wide.u32 %rd1, %t, 4;\n add.s64 %rd1, %out, %rd1;\n"
        f" ld.global.u32 %r8, [%rd1+1024];\n xor.b32 %r8, %r8, {value};\n"
        f" add.u32 %r8, %r8, {register};\n st.global.u32 [%rd1+1024], %r8;"
    )


load = st.builds(_load, st.sampled_from(["global", "shared"]), targets, registers,
                 st.integers(0, 8))  # fmt: skip
store = st.builds(_store, registers, registers)
guarded = st.builds(
    lambda c, a, b, d, s: f"setp.{c}.s32 %p1, {a}, {b};\n @%p1 add.u32 {d}, {d}, {s};",
    st.sampled_from(["lt", "ge", "eq"]), registers, sources, targets, sources,
)  # fmt: skip
statements = st.one_of(two, shift, index, load, store, guarded)


def _choice(compare: str, a: str, b: str, yes: list[Any], no: list[Any]) -> tuple[Any, ...]:
    return ("if", compare, a, b, yes, no)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    body = st.lists(inner, min_size=1, max_size=3)
    branch = st.builds(
        _choice, st.sampled_from(["lt.s32", "ge.u32", "eq.s32", "ne.u32"]), registers, sources,
        body, body,
    )  # fmt: skip
    loop = st.tuples(st.just("loop"), st.sampled_from(["3", "%t", "%i", "%r1", "%r2"]), body)
    return st.one_of(branch, loop)


programs = st.lists(st.recursive(statements, _nested, max_leaves=12), min_size=2, max_size=6)


def text(nodes: list[Any], names: list[int], depth: int = 0) -> str:
    """PTX of a program; `names` counts labels. A loop runs at most 7 times."""
    out = []
    for node in nodes:
        if isinstance(node, str):
            out.append(node)
            continue
        names[0] += 1
        n = names[0]
        if node[0] == "if":
            _, compare, a, b, yes, no = node
            out.append(
                f"setp.{compare} %p2, {a}, {b};\n @%p2 bra L{n};\n{text(no, names, depth)}\n"
                f"bra M{n};\nL{n}:\n{text(yes, names, depth)}\nM{n}:"
            )
        else:
            counter = f"%r{10 + 2 * depth}"
            out.append(
                f"and.b32 {counter}, {node[1]}, 7;\nL{n}:\nsetp.eq.u32 %p3, {counter}, 0;\n"
                f"@%p3 bra M{n};\nsub.u32 {counter}, {counter}, 1;\n"
                f"{text(node[2], names, depth + 1)}\nbra L{n};\nM{n}:"
            )
    return "\n".join(out)


START = """
    .shared .align 4 .b8 s[1024];
    mov.u32 %r1, %tid.y;  // %i and %t: the thread's number in its block and in the grid
    mov.u32 %r2, %ntid.x;
    mad.lo.s32 %i, %r1, %r2, %i;
    mov.u32 %r3, %ctaid.y;
    mov.u32 %r4, %nctaid.x;
    mov.u32 %r5, %ctaid.x;
    mad.lo.s32 %r5, %r3, %r4, %r5;
    mov.u32 %r3, %ntid.y;
    mul.lo.s32 %r2, %r2, %r3;
    mad.lo.s32 %t, %r5, %r2, %i;
    mul.wide.u32 %rd1, %t, 4;
    add.s64 %mine_in, %in, %rd1;
    add.s64 %mine_out, %out, %rd1;
    mov.u32 %r1, 5;
    mov.u32 %r2, %t;
    mul.lo.s32 %r3, %i, 12;
    ld.global.u32 %r4, [%mine_in];
    mov.u32 %r8, s;
    shl.b32 %r9, %i, 2;
    add.u32 %r9, %r8, %r9;
    st.shared.u32 [%r9], %r4;
    st.shared.u32 [%r9+512], %t;
    bar.sync 0;
"""
NONE = Witness((0, 0, 0), 0, (), 0, 0)  # of like requests, which one comes first may differ
END = "\n".join(f"st.global.u32 [%mine_out+{4096 * k}], %r{k};" for k in range(1, 5))


def found(body: str, grid: tuple[int, int, int], block: tuple[int, int, int], plain: bool) -> Any:
    data = np.random.default_rng(3).integers(0, 1 << 32, 2 * WORDS, dtype=np.uint32)
    counter = AccessCounter()
    budget = Budget(seconds=60, requests_per_site=1 << 30)  # waves reach a cap at other requests
    run: Run = launch(
        kernel(body),
        data,
        grid=grid,
        block=block,
        reference=plain,
        tracers=(counter,),
        budget=budget,
    )
    assert run.stop is None
    return (
        run.buffers["out"].tobytes(),
        run.thread_instructions,
        run.warp_instructions,
        run.requests,
        run.faults,
        {key: replace(count, witness=NONE) for key, count in counter.by_space.items()},
    )


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    programs,
    st.sampled_from([((1, 1, 1), (48, 1, 1)), ((3, 1, 1), (64, 1, 1)), ((2, 2, 1), (8, 8, 1))]),
)
def test_short_cuts_change_nothing(
    program: list[Any], shape: tuple[tuple[int, int, int], tuple[int, int, int]]
) -> None:
    body = START + text(program, [0]) + "\n" + END
    with pytest.MonkeyPatch.context() as patch:
        # Turns for lanes that wait long come sooner or later by how many lanes run together.
        patch.setattr(turns, "_PATIENCE", 1 << 60)
        wanted = found(body, *shape, plain=True)
        assert found(body, *shape, plain=False) == wanted
        patch.setattr(waves, "LANES", 64)
        assert found(body, *shape, plain=False) == wanted


EXCHANGE = """
    .shared .align 4 .b8 s[128];
    shl.b32 %r1, %i, 2;
    mov.u32 %r2, s;
    add.u32 %r2, %r2, %r1;
    setp.lt.u32 %p1, %i, 16;
    {leave}
    @%p1 bra LOW;
    add.u32 %r3, %i, 200;
    st.shared.u32 [%r2], %r3;
    bar.warp.sync {mask};
    ld.shared.u32 %r4, [%r2-64];
    bra DONE;
LOW:
    add.u32 %r3, %i, 100;
    st.shared.u32 [%r2], %r3;
    bar.warp.sync {mask};
    ld.shared.u32 %r4, [%r2+64];
DONE:
    st.global.u32 [%mine_out], %r4;
"""


@pytest.mark.parametrize("plain", [False, True])
def test_a_warp_barrier_in_both_arms_makes_them_wait(plain: bool) -> None:
    body = EXCHANGE.format(leave="", mask="0xffffffff")
    run = launch(kernel(body), reference=plain)
    assert run.stop is None
    got = run.buffers["out"].view("u4")[:32].tolist()
    assert got == [216 + t for t in range(16)] + [100 + t for t in range(16)]


def test_a_warp_barrier_does_not_wait_for_lanes_that_left() -> None:
    leave = "setp.eq.u32 %p2, %i, 20;\n @%p2 bra END;"
    body = EXCHANGE.format(leave=leave, mask="0xffffffff") + "END:"
    run = launch(kernel(body), grid=(2, 1, 1), out=np.zeros(64, np.uint32))
    assert run.stop is None
    got = run.buffers["out"].view("u4")[:32].tolist()
    assert got == [216 + t if t != 4 else 0 for t in range(16)] + [
        100 + t if t != 4 else 0 for t in range(16)
    ]


def test_a_warp_barrier_that_some_never_reach_is_a_deadlock() -> None:
    body = (
        "setp.lt.u32 %p1, %i, 16;\n @%p1 bra LOW;\n bar.warp.sync 0xffffffff;\n bra DONE;\nLOW:\n"
    )
    body += " bar.sync 0;\nDONE:"
    stop = launch(kernel(body)).stop
    assert stop is not None
    assert stop.reason == "deadlock"


MANY = """
    .shared .align 4 .b8 s[256];
    .local .align 4 .b8 l[16];
    shl.b32 %r1, %i, 2;
    mov.u32 %r2, s;
    add.u32 %r3, %r2, %r1;
    ld.shared.u32 %r4, [%r3];
    add.u32 %r4, %r4, %t;
    st.local.u32 [l+4], %r4;
    st.shared.u32 [%r3], %r4;
    bar.sync 0;
    xor.b32 %r1, %r1, 252;
    add.u32 %r3, %r2, %r1;
    ld.shared.u32 %r5, [%r3];
    ld.local.u32 %r6, [l+4];
    add.u32 %r6, %r6, %r5;
    st.global.u32 [%mine_out], %r6;
    red.global.add.u32 [%in], 1;
"""


def test_every_wave_finds_shared_memory_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waves, "LANES", 128)
    counter = np.zeros(1, np.uint32)
    run = launch(kernel(MANY), counter, grid=(7, 1, 1), block=(64, 1, 1))
    assert run.stop is None
    assert run.buffers["in"].view("u4")[0] == 7 * 64
    wanted = [64 * b + t + 64 * b + 63 - t for b in range(7) for t in range(64)]
    assert run.buffers["out"].view("u4")[: 7 * 64].tolist() == wanted


def test_a_budget_says_how_far_the_run_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waves, "LANES", 64)
    body = "setp.lt.u32 %p1, %t, 192;\n @%p1 bra DONE;\nL: add.s32 %r1, %r1, 1;\n bra L;\nDONE:"
    run = launch(
        kernel(body), grid=(5, 1, 1), block=(64, 1, 1), budget=Budget(warp_instructions=900)
    )
    assert run.stop is not None
    assert run.stop.reason == "instruction budget"
    assert run.stop.detail.startswith("3 of 5 blocks done, 90")
