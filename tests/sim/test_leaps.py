"""Turns of long loops passed over: what is made of a loop is what a whole run makes there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from perflint.analysis.model import KernelFacts
from perflint.grammar.model import Module
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import UNBOUNDED, Budget, Buffer, Launch, Run
from perflint.sim.leaps import FEWEST, MADE
from perflint.sim.trace import MemoryBatch, Tracing
from tests.sim.kernels import kernel
from tests.sim.traces import experiments

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*(ROOT / "sim" / "cuda").glob("*.cu"), *(ROOT / "rules").glob("CU[1-9]*/*.cu")])
PLENTY = Budget(UNBOUNDED, UNBOUNDED, seconds=60, requests_per_site=UNBOUNDED)

Requests = dict[tuple[int, int, int], list[bytes]]


class Addresses(Tracing):
    """By instruction, block and warp: the addresses of each request, in their order."""

    def __init__(self) -> None:
        self.seen: Requests = {}

    def memory(self, batch: MemoryBatch) -> None:
        where = np.where(batch.mask, (batch.region.astype(np.int64) << 40) + batch.offset, -1)
        for row, (block, warp) in enumerate(zip(batch.block, batch.warp, strict=True)):
            key = (batch.pc, int(block), int(warp))
            self.seen.setdefault(key, []).append(where[row].tobytes())


def both(module: Module, launch: Launch, name: Any = "k", **options: Any) -> list[tuple[Run, Any]]:
    """A run of every turn, and one that passes some over."""
    out = []
    for leap in (False, True):
        tracer = Addresses()
        run = simulate(
            module,
            name,
            launch,
            SimulationOptions(slice_only=True, skip_counted_loops=leap, budget=PLENTY, **options),
            tracers=(tracer,),
        )
        out.append((run, tracer.seen))
    return out


def is_part_of(some: list[bytes], whole: list[bytes]) -> bool:
    """Whether `some` are what is left of `whole` when others are taken out."""
    rest = iter(whole)
    return all(each in rest for each in some)


def loop(body: str, test: str, before: str = "", after: str = "") -> Module:
    return kernel(
        f"{before}\nLOOP:\n{body}\n{test}\n@%p0 bra LOOP;\n{after}\n", directives=".maxntid 64"
    )


LAUNCH = Launch((2, 1, 1), (64, 1, 1), (Buffer("in", limit=64), Buffer("out")))
TOUCH = "mul.wide.s32 %rd1, %r1, 4;\nadd.s64 %rd2, %in, %rd1;\nld.global.f32 %f1, [%rd2];\n"
AFTER = "mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %out, %rd3;\nst.global.f32 [%rd4], %f1;\n"

steps = st.integers(1, 9)
turns = st.integers(1, 700)


@given(steps, turns, st.integers(-50, 50), st.sampled_from(["lt", "le", "gt", "ge", "ne"]),
       st.sampled_from(["s32", "u32"]), st.booleans())  # fmt: skip
def test_a_counter_is_what_it_is_there(
    step: int, count: int, first: int, comparison: str, kind: str, lanes_differ: bool
) -> None:
    """Up or down, from any number, to an end that the lanes share or do not."""
    down = comparison in ("gt", "ge")
    last = first - step * count if down else first + step * count
    if kind == "u32":
        assume(first >= 0 and last - step >= 0)
    start = f"mov.u32 %r1, {first};\nmov.u32 %r2, {last};\n"
    if lanes_differ:
        start += f"mul.lo.s32 %r3, %i, {step};\nadd.s32 %r2, %r2, %r3;\n"
        assume(not down)
    module = loop(
        f"{TOUCH}add.s32 %r1, %r1, {-step if down else step};",
        f"setp.{comparison}.{kind} %p0, %r1, %r2;",
        start,
        AFTER,
    )
    (whole, every), (run, some) = both(module, LAUNCH)
    assert every.keys() == some.keys()
    assert all(is_part_of(some[key], every[key]) for key in every)
    assert all(some[key][-MADE:] == every[key][-MADE:] for key in every)
    assert whole.stop is None and run.stop is None
    assert run.warp_instructions <= whole.warp_instructions
    if not lanes_differ:
        assert run.requests == whole.requests


def test_a_long_loop_is_made_in_three_parts() -> None:
    module = loop(f"{TOUCH}add.s32 %r1, %r1, 3;", "setp.lt.s32 %p0, %r1, 30000;",
                  "mov.u32 %r1, 0;")  # fmt: skip
    (whole, every), (run, some) = both(module, LAUNCH)
    (key, requests), *_ = some.items()
    numbers = [every[key].index(each) for each in requests]
    assert numbers[:MADE] == list(range(MADE))
    assert len(numbers) < 5 * MADE
    assert any(len(every[key]) // 3 < n < 2 * len(every[key]) // 3 for n in numbers)
    assert numbers[-MADE:] == list(range(len(every[key]) - MADE, len(every[key])))
    assert run.passed > 9000
    assert run.requests == whole.requests


@pytest.mark.parametrize("by", ["-1", "32", "0xffffffff", "2"])
def test_a_shift_takes_any_number(by: str) -> None:
    """It is an unsigned one of 32 bits: one beyond the register's width leaves nothing."""
    body = f"{TOUCH}shl.b32 %r5, %r1, {by};\nadd.s32 %r1, %r1, 1;"
    after = "mul.wide.u32 %rd3, %r5, 4;\nadd.s64 %rd4, %out, %rd3;\nst.global.f32 [%rd4], %f1;"
    module = loop(body, "setp.lt.s32 %p0, %r1, 900;", "mov.u32 %r1, 0;\nmov.u32 %r5, 1;", after)
    (_, every), (_, some) = both(module, LAUNCH)
    assert all(some[key][-1] == every[key][-1] for key in every)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("ld.global.u32 %r4, [%rd2];\nadd.s32 %r5, %r5, %r4;", "a sum of indices"),
        ("shl.b32 %r5, %r5, 1;", "a register that is shifted"),
        ("ld.global.u32 %r5, [%rd2];\nadd.s32 %r4, %r5, 1;\nst.global.u32 [%rd2], %r4;", "stores"),
    ],
)
def test_what_counters_do_not_tell_is_run(body: str, why: str) -> None:
    """Registers that end up in an address, and memory from which they are loaded."""
    after = "mul.wide.u32 %rd3, %r5, 4;\nadd.s64 %rd4, %out, %rd3;\nst.global.f32 [%rd4], %f1;"
    module = loop(f"{TOUCH}{body}\nadd.s32 %r1, %r1, 1;", "setp.lt.s32 %p0, %r1, 900;",
                  "mov.u32 %r1, 0;\nmov.u32 %r5, 1;", after)  # fmt: skip
    (_, every), (run, some) = both(module, LAUNCH)
    assert run.passed == 0, why
    assert some == every


def test_a_second_exit_is_waited_for() -> None:
    """A search may end at any turn."""
    body = f"{TOUCH}ld.global.u32 %r4, [%rd2];\nsetp.eq.u32 %p1, %r4, 12345;\n@%p1 bra DONE;\n"
    module = loop(f"{body}add.s32 %r1, %r1, 1;", "setp.lt.s32 %p0, %r1, 900;",
                  "mov.u32 %r1, 0;", "DONE:")  # fmt: skip
    (_, every), (run, some) = both(module, LAUNCH)
    assert run.passed == 0 and some == every


def test_buffers_that_take_turns_and_pointers_behind_are_right() -> None:
    """A double buffer's stage, a pointer of the turn before, and one that strides by a register."""
    before = "mov.u32 %r1, 0;\nmov.u32 %r6, 0;\nmov.u64 %rd5, %in;\nmov.u64 %rd6, %in;\n" \
             "mul.wide.u32 %rd7, %r0, 4;"  # fmt: skip
    body = (
        "ld.global.f32 %f2, [%rd6];\nld.global.f32 %f3, [%rd5];\nmov.u64 %rd6, %rd5;\n"
        "add.s64 %rd5, %rd5, %rd7;\nmul.wide.u32 %rd8, %r6, 128;\nadd.s64 %rd9, %out, %rd8;\n"
        "st.global.f32 [%rd9], %f2;\nxor.b32 %r6, %r6, 1;\nadd.s32 %r1, %r1, 1;"
    )
    module = loop(body, "setp.lt.s32 %p0, %r1, 1001;", before)
    (whole, every), (run, some) = both(module, LAUNCH)
    assert run.passed > 800
    assert all(is_part_of(some[key], every[key]) for key in every)
    assert all(some[key][-MADE:] == every[key][-MADE:] for key in every)
    assert run.requests == whole.requests


@pytest.mark.parametrize("sign", ["s32", "u32"])
@pytest.mark.parametrize("rows", [-3, 5, 0x7FFFFFFF])
def test_a_pointer_strides_by_a_product_that_is_widened(sign: str, rows: int) -> None:
    """`b += 8 * n` with an `int n`: what is added is the same each turn, and no 64-bit register."""
    body = (
        f"ld.global.f32 %f1, [%rd5];\nshl.b32 %r5, %r4, 2;\nmul.wide.{sign} %rd7, %r5, 4;\n"
        "add.s64 %rd5, %rd5, %rd7;\nadd.s32 %r1, %r1, 1;"
    )
    before = f"mov.u32 %r1, 0;\nmov.u32 %r4, {rows};\n{TOUCH}add.s64 %rd5, %rd2, 4096;"
    after = "st.global.f32 [%rd5], %f1;"
    module = loop(body, "setp.lt.s32 %p0, %r1, 400;", f"mov.u32 %r1, 0;\n{before}", after)
    (whole, every), (run, some) = both(module, LAUNCH)
    assert run.passed > 300
    assert all(is_part_of(some[key], every[key]) for key in every)
    assert all(some[key][-MADE:] == every[key][-MADE:] for key in every)
    assert run.requests == whole.requests


def test_of_turns_that_issue_much_fewer_are_made() -> None:
    body = TOUCH * 100 + "add.s32 %r1, %r1, 1;"
    module = loop(body, "setp.lt.s32 %p0, %r1, 400;", "mov.u32 %r1, 0;", AFTER)
    (whole, every), (run, some) = both(module, LAUNCH)
    turns = {len(requests) for (pc, _, _), requests in some.items() if len(every[pc, 0, 0]) == 400}
    assert turns and max(turns) < MADE
    assert all(some[key][-FEWEST:] == every[key][-FEWEST:] for key in every)
    assert run.requests == whole.requests


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_of_test_kernels_nothing_is_made_up(source: Path) -> None:
    """Every request of a run that passes turns over is one of the run that makes them."""
    short = Budget(issued_instructions=15_000, requests_per_site=UNBOUNDED, seconds=60)

    def requests(facts: KernelFacts, condition: Any, leap: bool) -> Requests | None:
        tracer = Addresses()
        options = SimulationOptions(
            fill=condition.fill, slice_only=True, skip_counted_loops=leap, budget=short
        )
        run = simulate(facts.module, facts.kernel, condition.launch, options, tracers=(tracer,))
        return tracer.seen if run.stop is None else None

    for name, facts, condition in experiments(source):
        every = requests(facts, condition, leap=False)
        if every is None:  # of a run that is cut short there is nothing to compare
            continue
        some = requests(facts, condition, leap=True)
        assert some is not None and every.keys() == some.keys(), name
        assert all(is_part_of(some[key], every[key]) for key in every), name


def test_a_run_that_cannot_end_in_its_budget_says_so_early() -> None:
    module = loop(f"{TOUCH}add.s32 %r1, %r1, 1;", "setp.lt.s32 %p0, %r1, 90000;",
                  "mov.u32 %r1, 0;")  # fmt: skip
    budget = Budget(issued_instructions=20_000)
    asked: list[int] = []

    def hopeless(issued: int) -> bool:
        asked.append(issued)
        return issued > 500

    run = simulate(module, "k", LAUNCH, SimulationOptions(budget=budget, give_up_when=hopeless))
    assert run.stop is not None and run.stop.reason == "instruction budget"
    assert 500 < run.warp_instructions / 4 < 2_000
    assert asked
    enough = Budget(issued_instructions=2_000_000, warp_instructions=UNBOUNDED)
    assert (
        simulate(module, "k", LAUNCH, SimulationOptions(budget=enough, give_up_when=hopeless)).stop
        is None
    )


def test_a_wait_for_a_block_that_is_not_run_ends() -> None:
    """One thread of a block spins until all blocks of the grid have arrived; the others wait."""
    module = kernel(
        "setp.ne.u32 %p0, %i, 0;\n@%p0 bra WAITED;\nSPIN:\nld.global.acquire.gpu.u32 %r1, [%in];\n"
        "setp.ne.u32 %p1, %r1, 123456;\n@%p1 bra SPIN;\nWAITED:\nbar.sync 0;\n"
        "st.global.u32 [%mine_out], %r1;"
    )
    launch = Launch((8, 1, 1), (64, 1, 1), (Buffer("in", limit=64), Buffer("out")))
    tracer = Addresses()
    run = simulate(module, "k", launch, tracers=(tracer,))
    assert run.stop is None
    assert [fault.kind for fault in run.faults] == ["waits-for-others"]
    assert len(tracer.seen[max(pc for pc, *_ in tracer.seen), 0, 1]) == 1
    whole = simulate(
        module,
        "k",
        launch,
        SimulationOptions(
            blocks=[(x, 0, 0) for x in range(8)], budget=Budget(issued_instructions=50_000)
        ),
    )
    assert whole.stop is not None and whole.stop.reason == "instruction budget"


def test_a_whole_block_that_waits_is_let_go() -> None:
    module = kernel(
        "SPIN:\nld.global.acquire.gpu.u32 %r1, [%in];\nsetp.ne.u32 %p1, %r1, 123456;\n"
        "@%p1 bra SPIN;\nst.global.u32 [%mine_out], %r1;"
    )
    launch = Launch((8, 1, 1), (64, 1, 1), (Buffer("in", limit=64), Buffer("out")))
    run = simulate(module, "k", launch)
    assert run.stop is None
    assert [fault.kind for fault in run.faults] == ["waits-for-others"]


def test_a_loop_that_only_ends_with_the_kernel_is_left_with_it() -> None:
    module = kernel(
        "FOREVER:\nbar.sync 0;\nld.global.u32 %r1, [%in];\nbar.sync 0;\nbra.uni FOREVER;"
    )
    launch = Launch((8, 1, 1), (64, 1, 1), (Buffer("in", limit=64), Buffer("out")))
    run = simulate(module, "k", launch)
    assert run.stop is None
    assert [fault.kind for fault in run.faults] == ["waits-for-others"]
