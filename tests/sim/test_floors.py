"""Floors: no schedule of a trace beats them, and where one unit binds, the best one meets them."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.base.floor import OF_MACHINE_CODE, UNITS, Floor
from perflint.grammar.model import Instruction
from perflint.sim import SimulationOptions, floors, simulate
from perflint.sim.architecture import Architecture, Rate, load
from perflint.sim.floors import COUNTS, counted_as, weight
from perflint.sim.launch import Buffer, Launch
from perflint.sim.tracers.unit_work import UnitWork
from tests.sim.kernels import kernel

AMPERE = load("sm_80")


def floor(counts: np.ndarray, arch: Architecture) -> Floor:
    return Floor(floors.floor(counts, arch))


#: One warp instruction of each kind: what it adds to the counts, and the cycles for which it keeps
#: its unit on an A100. Written down here, from the guides, and nowhere else.
KINDS: dict[str, tuple[dict[str, int], str, int]] = {
    "fma": ({"fma32": 2}, "fp32", 1),  # two of them: 64 lanes for 2 × 32 results
    "double": ({"fma64": 1}, "fp64", 1),
    "sine": ({"special": 1}, "special", 2),
    "mma": ({"tensor": 16 * 16 * 8 * 16}, "tensor", 2),  # 2,048 products, 1,024 a cycle
    "coalesced load": ({"lsu": 1, "tags": 1, "data": 1}, "tags", 1),
    "scattered load": ({"lsu": 1, "tags": 8, "data": 1}, "tags", 8),
    "conflict": ({"lsu": 1, "shared": 5}, "shared", 5),
}
warps = st.lists(st.lists(st.sampled_from(sorted(KINDS)), max_size=8), min_size=1, max_size=5)


def counts(work: Sequence[Sequence[str]]) -> np.ndarray:
    """The counts of one block whose warps do this."""
    out = np.zeros(len(COUNTS), np.int64)
    for warp in work:
        for kind in warp:
            for name, number in KINDS[kind][0].items():
                out[COUNTS.index(name)] += number
    return out


def makespan(work: Sequence[Sequence[str]], order: Sequence[int], latency: int) -> int:
    """Cycles that one schedule takes: warps take their turns in `order`, units one at a time.

    A warp's next operation begins `latency` cycles after its last one; a unit is busy for as long
    as its operation keeps it; at most four operations begin in a cycle.
    """
    left = [list(warp) for warp in work]
    ready = [0] * len(work)
    free: dict[str, int] = {}
    begun: dict[int, int] = {}
    turns = [(0, rank, warp) for rank, warp in enumerate(order)]
    heapq.heapify(turns)
    end = 0
    while turns:
        at, rank, warp = heapq.heappop(turns)
        if not left[warp]:
            continue
        _, unit, cycles = KINDS[left[warp][0]]
        start = max(at, ready[warp], free.get(unit, 0))
        while begun.get(start, 0) >= 4:
            start += 1
        if start > at:
            heapq.heappush(turns, (start, rank, warp))
            continue
        left[warp].pop(0)
        begun[start] = begun.get(start, 0) + 1
        free[unit] = start + cycles
        ready[warp] = start + latency
        end = max(end, start + cycles)
        heapq.heappush(turns, (ready[warp], rank, warp))
    return end


@given(warps, st.randoms(use_true_random=False), st.integers(0, 3))
def test_no_schedule_beats_the_floor(work: list[list[str]], random: object, latency: int) -> None:
    order = list(range(len(work)))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert makespan(work, order, latency) >= floor(counts(work), AMPERE).value


@given(st.sampled_from(sorted(KINDS)), st.integers(1, 3), st.integers(1, 4))
def test_the_best_schedule_meets_it_where_one_unit_binds(kind: str, each: int, many: int) -> None:
    work = [[kind] * each for _ in range(many)]
    best = min(makespan(work, order, 0) for order in permutations(range(many)))
    assert best == floor(counts(work), AMPERE).value


@given(st.lists(warps, min_size=1, max_size=7), st.integers(1, 4))
def test_blocks_are_not_split(blocks: list[list[list[str]]], multiprocessors: int) -> None:
    """However blocks are dealt out, some multiprocessor is as long at it as the launch's floor."""
    arch = replace(AMPERE, multiprocessors=multiprocessors)
    by_block = np.stack([counts(block) for block in blocks])
    shares = [by_block[start::multiprocessors] for start in range(multiprocessors)]
    longest = max(floor(share, arch).value for share in shares if len(share))
    assert Floor(floors.of_launch(by_block, arch)).value <= longest


def test_what_is_only_recalled_bounds_nothing() -> None:
    unsure = {**AMPERE.rates, "tags": Rate(4, "recalled", "nobody")}
    found = floor(counts([["scattered load"]]), replace(AMPERE, rates=unsure))
    assert "tags" not in found.cycles and found.value == 1
    assert set(floor(counts([]), AMPERE).cycles) == set(UNITS) - OF_MACHINE_CODE
    assert floor(counts([]), AMPERE).unit == ""


def test_a_product_and_a_sum_may_be_one_instruction() -> None:
    of = dict.fromkeys(COUNTS, 0) | {"add32": 6, "mul32": 4, "fma32": 2}
    assert floor(np.array([*of.values()]), AMPERE).cycles["fp32"] == (2 + 6) * 32 / 64


BODY = """
mul.wide.s32 %rd1, %i, {stride};
add.s64 %rd2, %in, %rd1;
ld.global.f32 %f1, [%rd2];
mul.f32 %f2, %f1, %f1;
add.f32 %f3, %f2, %f1;
fma.rn.f32 %f4, %f3, %f2, %f1;
rsqrt.approx.f32 %f5, %f4;
mul.wide.s32 %rd3, %i, 4;
add.s64 %rd4, %out, %rd3;
st.global.f32 [%rd4], %f5;
"""


@pytest.mark.parametrize(
    ("stride", "tags", "banked"), [(4, 1, 1), (36, 3, 1), (64, 4, 16), (128, 8, 32), (512, 8, 32)]
)
def test_the_work_of_a_kernel(stride: int, tags: int, banked: int) -> None:
    """Three blocks of two warps: a load with a stride, four operations, and a store.

    The words of a load come out of banks: of one bank one line at a time.
    """
    launch = Launch((3, 1, 1), (64, 1, 1), (Buffer("in"), Buffer("out")))
    work = UnitWork()
    module = kernel(BODY.format(stride=stride))
    simulate(module, "k", launch, SimulationOptions(), tracers=(work,))
    expected = {"fma32": 2, "add32": 2, "mul32": 2, "special": 2, "lsu": 4,
                "tags": 2 * (tags + 1), "data": 2 * (banked + 1)}  # fmt: skip
    row = [expected.get(name, 0) for name in COUNTS]
    assert work.counts.tolist() == [row] * 3
    assert sum(work.by_position.values()).tolist() == [3 * n for n in row]  # type: ignore[union-attr]
    best = dict(zip(COUNTS, work.at_best(range(99)).sum(axis=0), strict=True))
    assert best["tags"] == 3 * 4 and best["lsu"] == 3 * 4


def test_what_ptxas_can_make_less_of_is_not_counted() -> None:
    module = kernel("mul.wide.s32 %rd1, %i, 4;\nmov.u32 %r1, 3;\ncvt.rn.f32.s32 %f1, %r1;\n")
    assert {counted_as(each) for each in module.functions["k"].instructions} == {""}


@pytest.mark.parametrize(
    ("name", "sixteenths"),
    [
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16 * 8 * 16 * 16),
        ("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 16 * 8 * 16 * 16),
        ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16 * 8 * 16 * 16),
        ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 16 * 8 * 8 * 32),
        ("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 16 * 8 * 32 * 8),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 16 * 16 * 16 * 16),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32", 16 * 16 * 16 * 8),
        ("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 0),
        ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 0),
        ("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", 0),
        ("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 16 * 8 * 256),
        ("wmma.load.a.sync.aligned.row.m16n16k16.f16", 0),
    ],
)
def test_products_of_matrices(name: str, sixteenths: int) -> None:
    opcode, *modifiers = name.split(".")
    instruction = Instruction(opcode, tuple(modifiers), (), 0, 1)
    assert (counted_as(instruction) == "tensor") == bool(sixteenths)
    assert weight(instruction) == (sixteenths or 1)


@pytest.mark.parametrize(
    "conversion",
    ["cvt.f64.f32 %fd1, %f1;", "cvt.rn.f32.f64 %f1, %fd1;"],
)
def test_conversions_of_doubles_are_the_special_units_work(conversion: str) -> None:
    module = kernel(f"{conversion}\n")
    assert "special" in {counted_as(each) for each in module.functions["k"].instructions}


SHARED = """
.shared .align 4 .b8 tile[2048];
mov.u32 %r1, tile;
add.f32 %f5, %f5, 0f7F800000;
mul.lo.s32 %r2, %i, {pitch};
add.s32 %r3, %r1, %r2;
ld.shared.f32 %f1, [%r3];
ld.shared.f32 %f2, [%r3+{apart}];
{between}
add.s32 %r4, %r3, 8;
ld.shared.f32 %f3, [%r4];
add.f32 %f4, %f1, %f2;
"""


@pytest.mark.parametrize(
    ("apart", "between", "requests"),
    [(4, "", 1), (64, "", 2), (4, "bar.sync 0;", 2)],
    ids=["neighbours", "one is far", "a barrier between"],
)
def test_ptxas_may_make_one_access_of_neighbours(apart: int, between: str, requests: int) -> None:
    """Three loads of a thread from shared memory: those within 16 bytes count as the dearest."""
    launch = Launch((1, 1, 1), (32, 1, 1), (Buffer("in"), Buffer("out")))
    work = UnitWork()
    body = SHARED.format(pitch=16, apart=apart, between=between)
    simulate(kernel(body), "k", launch, SimulationOptions(), tracers=(work,))
    found = dict(zip(COUNTS, work.counts[0].tolist(), strict=True))
    assert (found["lsu"], found["shared"]) == (requests, 4 * requests)  # 4 lanes to a bank


def test_turns_of_a_loop_may_be_one_access() -> None:
    """A load that moves on by a word each turn: ptxas unrolls the loop by four."""
    body = """
.shared .align 4 .b8 tile[2048];
mov.u32 %r1, tile;
mov.u32 %r2, 0;
TURN:
ld.shared.f32 %f1, [%r1];
add.s32 %r1, %r1, 4;
add.s32 %r2, %r2, 1;
setp.lt.s32 %p1, %r2, 16;
@%p1 bra TURN;
"""
    launch = Launch((1, 1, 1), (32, 1, 1), (Buffer("in"), Buffer("out")))
    work = UnitWork()
    simulate(kernel(body), "k", launch, SimulationOptions(), tracers=(work,))
    found = dict(zip(COUNTS, work.counts[0].tolist(), strict=True))
    assert (found["lsu"], found["shared"]) == (4, 4)
