"""Turns that are alike: tracers that are told of them find what a run of all turns shows."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.sim import SimulationOptions, simulate
from perflint.sim.accesses import AccessCount, Witness
from perflint.sim.launch import UNBOUNDED, Budget, Buffer, Launch, Run
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.addresses import AddressCount, Addresses
from perflint.sim.tracers.block_reuse import BlockReuse
from perflint.sim.tracers.branch import Branch
from perflint.sim.tracers.instruction import Instruction
from perflint.sim.tracers.lines import Lines
from perflint.sim.tracers.repeats import Repeats
from perflint.sim.tracers.unit_work import UnitWork
from tests.sim.kernels import kernel
from tests.sim.traces import experiments

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*(ROOT / "sim" / "cuda").glob("*.cu"), *(ROOT / "rules").glob("CU[1-9]*/*.cu")])
TRACERS = (AccessCounter, Addresses, BlockReuse, Branch, Instruction, Lines, Repeats, UnitWork)
LAUNCH = Launch((5, 1, 1), (64, 1, 1), (Buffer("in", limit=64), Buffer("out")))


def plain(value: Any) -> Any:
    """Something that compares, of a tracer's findings."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, Witness):  # one of those that are equally bad
        return value.measured, value.golden
    if isinstance(value, AccessCount | AddressCount):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value


def found(run: Run) -> dict[str, Any]:
    """All that the tracers and the run itself tell."""
    told = {
        f"{type(tracer).__name__}.{name}": plain(value)
        for tracer in run.tracers
        for name, value in vars(tracer).items()
        if not name.startswith("_")
    }
    for tracer in run.tracers:
        assert isinstance(tracer, TRACERS)
        told[type(tracer).__name__] = (tracer.metrics(), tracer.sums())
        if isinstance(tracer, Repeats):
            told["repeats"] = {pc: tracer.of([pc]) for pc in run.requests}
            told["repeats of all"] = tracer.of(sorted(run.requests))
    return told | {
        "executed": (run.warp_instructions, run.thread_instructions),
        "requests": run.requests,
        "faults": run.faults,
        "stop": run.stop,
    }


def ran(*what: Any, foresee: bool, tracers: Any = TRACERS, **options: Any) -> Run:
    """A run that foresees some turns, or none."""
    return simulate(
        *what,
        options=SimulationOptions(slice_only=True, batch_uniform_iterations=foresee, **options),
        tracers=[tracer() for tracer in tracers],
    )


def both(*what: Any, **options: Any) -> tuple[Run, Run]:
    """A run of every turn, and one that foresees some."""
    return ran(*what, foresee=False, **options), ran(*what, foresee=True, **options)


def budget(issued: int) -> Budget:
    return Budget(UNBOUNDED, issued, seconds=600, requests_per_site=UNBOUNDED)


ADDRESSES = {
    "row": "mul.wide.s32 %rd1, %i, {pitch};\nadd.s64 %rd{at}, %in, %rd1;",
    "column": "mul.wide.s32 %rd1, %i, 4;\nadd.s64 %rd{at}, %in, %rd1;",
    "shared by all": "mov.u64 %rd{at}, %in;",
    "next": "add.s64 %rd{at}, %in, 4;",
    "scattered": "xor.b32 %r9, %i, 21;\nmul.wide.s32 %rd1, %r9, 12;\nadd.s64 %rd{at}, %in, %rd1;",
}
STEPS = (0, 4, 8, 32, 100, 256, 2)
loads = st.tuples(
    st.sampled_from(sorted(ADDRESSES)), st.sampled_from(STEPS), st.sampled_from(["ld", "st"]),
    st.sampled_from([64, 260]),
)  # fmt: skip


@given(st.lists(loads, min_size=1, max_size=4), st.integers(1, 200), st.integers(0, 2))
def test_loops_of_all_kinds(
    accesses: list[tuple[str, int, str, int]], turns: int, own: int
) -> None:
    """Of rows, columns and values that all share; lanes may have turns of their own."""
    before, body = "mov.u32 %r1, 0;\n", ""
    for number, (address, step, opcode, pitch) in enumerate(accesses, 10):
        before += ADDRESSES[address].format(at=number, pitch=pitch) + "\n"
        size = "u16" if step == 2 else "u32"
        register = "%h1" if size == "u16" else "%r5"
        operands = f"[%rd{number}], {register}" if opcode == "st" else f"{register}, [%rd{number}]"
        body += f"{opcode}.global.{size} {operands};\nadd.s64 %rd{number}, %rd{number}, {step};\n"
    before += f"shr.u32 %r2, %i, 5;\nmul.lo.u32 %r2, %r2, {own};\nadd.u32 %r2, %r2, {turns};\n"
    module = kernel(
        f"{before}LOOP:\n{body}add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p0, %r1, %r2;\n@%p0 bra LOOP;\n",
        directives=".maxntid 64",
    )
    whole, some = both(module, "k", LAUNCH, budget=budget(UNBOUNDED))
    assert found(some) == found(whole)
    if turns > 180:
        assert some.issued_instructions < whole.issued_instructions


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_of_test_kernels(source: Path) -> None:
    """UnitWork, the dearest, on some of them."""
    tracers = [t for t in TRACERS if t is not UnitWork or source.parent.name in ("cuda", "CU101")]
    for name, facts, condition in experiments(source):
        what = (facts.module, facts.kernel, condition.launch)
        options = {"tracers": tracers, "fill": condition.fill, "budget": budget(4_000)}
        whole = ran(*what, foresee=False, **options)
        if whole.stop is None:  # of a run that is cut short there is nothing to compare
            assert found(ran(*what, foresee=True, **options)) == found(whole), name


indices = st.tuples(
    st.sampled_from(["s32", "u32"]), st.integers(-40, 40), st.integers(-3, 3),
    st.sampled_from(["mul.wide.{0} %rd1, %r6, 4;", "mul.wide.{0} %rd1, %r6, -8;",
                     "shl.b32 %r6, %r6, 1;\nmul.lo.s32 %r6, %r6, 3;\ncvt.{1}.{0} %rd3, %r6;\n"
                     "shl.b64 %rd1, %rd3, 2;", "mad.wide.{0} %rd1, %r6, 4, %rd5;",
                     "mad.lo.s32 %r6, %r6, 5, %i;\nmul.wide.{0} %rd1, %r6, 4;"]),
    st.sampled_from(["add", "sub"]),
)  # fmt: skip


@given(indices, st.integers(40, 200), st.integers(0, 1 << 20))
def test_indices_of_32_bits(index: tuple[str, int, int, str, str], turns: int, offset: int) -> None:
    """Extended by their sign or by zeros, and scaled: some wrap around on their way."""
    kind, first, step, form, combine = index
    address = form.format(kind, kind.replace("32", "64"))
    module = kernel(
        f"mov.u32 %r1, 0;\nmov.u32 %r5, {first};\nadd.s32 %r5, %r5, %i;\nmov.u64 %rd5, 16;\n"
        f"add.s64 %rd4, %in, {offset * 4};\nLOOP:\nmov.u32 %r6, %r5;\n{address}\n"
        f"{combine}.s64 %rd2, %rd4, %rd1;\nld.global.u32 %r7, [%rd2];\n"
        f"add.s32 %r5, %r5, {step};\nadd.s32 %r1, %r1, 1;\n"
        f"setp.lt.s32 %p0, %r1, {turns};\n@%p0 bra LOOP;\n",
        directives=".maxntid 64",
    )
    whole, some = both(module, "k", LAUNCH, budget=budget(UNBOUNDED))
    assert found(some) == found(whole)


AFTER = {
    "a float that a loop carries": (
        "add.f32 %f1, %f1, 0f3F800000;",
        "cvt.rzi.s32.f32 %r5, %f1;\nmul.wide.s32 %rd5, %r5, 4;\nadd.s64 %rd5, %rd5, %in;\n"
        "ld.global.u32 %r6, [%rd5];",
    ),
    "what a loop takes": (
        "add.s32 %r5, %r5, 1;",
        "mov.u32 %r7, %clock;\nsub.u32 %r7, %r7, %r8;\nsetp.gt.u32 %p1, %r7, 1500;\n"
        "@%p1 bra DONE;\nld.global.u32 %r6, [%in];\nDONE:",
    ),
    "halves of an address": (
        "mul.wide.s32 %rd5, %r9, 4;\nmov.b64 {%r10, %r9}, %rd2;\nadd.s64 %rd5, %rd5, %in;",
        "ld.global.u32 %r6, [%rd5];",
    ),
    "a factor of 64 bits": (
        "cvt.u64.u32 %rd5, %r1;\nmul.lo.u64 %rd6, %rd5, -8;\nadd.s64 %rd7, %out, %rd6;\n"
        "ld.global.u32 %r6, [%rd7+8192];",
        "",
    ),
}


@pytest.mark.parametrize("what", AFTER)
@pytest.mark.parametrize("size", [None, 400])
@pytest.mark.parametrize("blind", [False, True])
def test_what_is_left_of_a_loop(what: str, size: int | None, blind: bool) -> None:
    """Registers, the clock, and faults that nobody's tracer sees."""
    body, after = AFTER[what]
    module = kernel(
        f"mov.u64 %rd2, %in;\nmov.u32 %r1, 0;\nmov.f32 %f1, 0f00000000;\nmov.u32 %r8, %clock;\n"
        f"mov.u32 %r9, 0;\nLOOP:\nld.global.u32 %r4, [%rd2];\nadd.s64 %rd2, %rd2, 4;\n{body}\n"
        f"add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p0, %r1, 500;\n@%p0 bra LOOP;\n{after}\n"
    )
    launch = Launch((2, 1, 1), (64, 1, 1), (Buffer("in", size=size, limit=64), Buffer("out")))
    tracers = (Branch, Instruction) if blind else TRACERS
    whole, some = both(module, "k", launch, budget=budget(UNBOUNDED), tracers=tracers)
    assert found(some) == found(whole)


def test_loops_without_an_end_are_not_foreseen() -> None:
    module = kernel(
        "mov.u32 %r1, 0;\nLOOP:\nld.global.u32 %r4, [%in];\nadd.s32 %r1, %r1, 1;\n"
        "setp.lt.s32 %p0, %r1, 2000000000;\n@%p0 bra LOOP;\n"
    )
    _, some = both(module, "k", LAUNCH, budget=budget(2_000))
    assert some.stop is not None and some.stop.reason == "instruction budget"


def test_a_search_ends_at_any_turn() -> None:
    """What loaded data decides is run, and an access that leaves its array is seen to."""
    body = "ld.global.u32 %r4, [%rd2];\nadd.s64 %rd2, %rd2, 4;\nadd.s32 %r1, %r1, 1;\n"
    search = "setp.eq.u32 %p1, %r4, 12345;\n@%p1 bra DONE;\n"
    end = "setp.lt.s32 %p0, %r1, 900;\n@%p0 bra LOOP;\nDONE:"
    for more, size in ((search, None), ("", 400)):
        module = kernel(f"mov.u64 %rd2, %in;\nmov.u32 %r1, 0;\nLOOP:\n{body}{more}{end}")
        launch = Launch((2, 1, 1), (64, 1, 1), (Buffer("in", size=size, limit=64), Buffer("out")))
        whole, some = both(module, "k", launch, budget=budget(UNBOUNDED))
        assert found(some) == found(whole)
        assert some.issued_instructions == whole.issued_instructions
