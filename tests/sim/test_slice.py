"""A run that computes only what decides addresses and branches shows what a whole one shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from perflint.grammar import parse
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Buffer, Launch
from perflint.sim.program import build
from perflint.sim.slice import Part
from perflint.sim.trace import MemoryBatch, Tracing
from tests.sim.kernels import HEADER, kernel
from tests.sim.test_plain import START, programs, text
from tests.sim.traces import difference, experiments, seen, unlike

ROOT = Path(__file__).parents[1]
#: Kernels of the tests: of the emulator's, and those on which rules are tried.
SOURCES = sorted([*(ROOT / "sim" / "cuda").glob("*.cu"), *(ROOT / "rules").glob("CU[1-9]*/*.cu")])


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_traces_of_test_kernels_are_the_same(source: Path) -> None:
    for name, facts, condition in experiments(source):
        assert unlike(facts, condition) == "", name


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs)
def test_traces_of_random_programs_are_the_same(nodes: list[Any]) -> None:
    module = kernel(START + text(nodes, [0]))
    launch = Launch((2, 1, 1), (48, 1, 1), (Buffer("in", limit=64), Buffer("out")))
    whole = seen(module, "k", launch)
    assert difference(whole, seen(module, "k", launch, slice_only=True)) == ""


def parts(body: str, parameters: str = ".param .u64 a, .param .u64 b") -> dict[str, Part]:
    """The part of each instruction of a kernel, by opcode and the register it writes first."""
    module = parse(
        f"{HEADER}.visible .entry k({parameters}) {{\n.reg .pred %p<4>; .reg .b32 %r<9>; "
        f".reg .f32 %f<9>; .reg .b64 %a, %b, %rd<9>; .shared .align 4 .b8 s[256];\n"
        f"ld.param.u64 %a, [a];\nld.param.u64 %b, [b];\n{body}\nret;\n}}"
    )
    program = build(module.functions["k"], module, slice_only=True)
    return {
        " ".join(map(str, (i.name, *(getattr(o, "name", "") for o in i.operands[:1])))).strip():
        program.part(at)
        for at, i in enumerate(program.kernel.instructions)
    }  # fmt: skip


def test_plain_data_is_not_computed() -> None:
    found = parts(
        "ld.global.f32 %f1, [%a];\nfma.rn.f32 %f2, %f1, %f1, %f1;\nst.global.f32 [%b], %f2;"
    )
    assert found["ld.global.f32 %f1"] is Part.ADDRESS
    assert found["fma.rn.f32 %f2"] is Part.NOTHING
    assert found["st.global.f32"] is Part.ADDRESS


def test_an_index_through_memory_is_computed() -> None:
    """The index is stored by one thread and loaded by another: through shared memory."""
    found = parts(
        "ld.global.u32 %r1, [%a];\nadd.u32 %r2, %r1, 1;\nst.shared.u32 [s], %r2;\nbar.sync 0;\n"
        "ld.shared.u32 %r3, [s+4];\nmul.wide.u32 %rd1, %r3, 4;\nadd.s64 %rd2, %b, %rd1;\n"
        "ld.global.f32 %f1, [%rd2];"
    )
    for name in ("ld.global.u32 %r1", "add.u32 %r2", "st.shared.u32", "ld.shared.u32 %r3"):
        assert found[name] is Part.WHOLE, name
    assert found["ld.global.f32 %f1"] is Part.ADDRESS


def test_a_store_to_another_allocation_is_not_computed() -> None:
    """What is wanted of `a` are its own contents; a store to `b` cannot change them."""
    body = (
        "ld.global.u32 %r1, [%a];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [{}], %r2;\n"
        "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\nst.global.u32 [%b+8], %r1;\nE:"
    )
    assert parts(body.format("%b"))["add.u32 %r2"] is Part.NOTHING
    assert parts(body.format("%a"))["add.u32 %r2"] is Part.WHOLE


def test_a_fetch_is_computed_where_its_texel_is_an_index() -> None:
    """No fetch is traced: one whose texel only becomes a result is as good as arithmetic."""
    body = (
        "tex.2d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%a, {%r5, %r6}];\nmul.wide.s32 %rd1, %r1, 4;\n"
        "add.s64 %rd2, %b, %rd1;\nst.global.u32 [{}], %r1;"
    )
    assert parts(body.replace("{}", "%rd2"))["tex.2d.v4.s32.s32"] is Part.WHOLE
    assert parts(body.replace("{}", "%b"))["tex.2d.v4.s32.s32"] is Part.NOTHING


def test_an_atomic_is_computed_where_its_result_is_an_index() -> None:
    body = (
        "mov.u32 %r1, 1;\natom.global.add.u32 %r2, [%a], %r1;\nmul.wide.u32 %rd1, %r2, 4;\n"
        "add.s64 %rd2, %b, %rd1;\nst.global.u32 [{}], %r1;"
    )
    assert parts(body.format("%rd2"))["atom.global.add.u32 %r2"] is Part.WHOLE
    assert parts(body.format("%b"))["atom.global.add.u32 %r2"] is Part.ADDRESS


@pytest.mark.parametrize("at", [0, 4, 1, -64, 960, 964, 4096])
@pytest.mark.parametrize("stride", ["16", "%t", "600"])
@pytest.mark.parametrize("memory", ["shared", "window", "global", "constant"])
@pytest.mark.parametrize("move", ["load.a", "store.d"])
def test_matrices_that_nobody_wants_are_checked(
    move: str, memory: str, stride: str, at: int
) -> None:
    """1,088 bytes of each kind of memory: inside, across its ends, and at odd places."""
    space = {"shared": ".shared", "global": ".global"}.get(memory, "")
    begin = {"shared": "s", "window": "%w", "constant": "%c", "global": "%in"}[memory]
    regs = "{" + ", ".join(f"%f{n}" for n in range(8)) + "}"
    regs = regs if move == "store.d" else regs.replace("f", "b")
    kind = "f32" if move == "store.d" else "f16"
    operands = [f"[{begin}+{at}]", regs]
    first, second = operands if move == "store.d" else reversed(operands)
    module = parse(
        f"{HEADER}.const .align 4 .b8 table[1088];\n"
        ".visible .entry k(.param .u64 in) {\n.reg .b32 %b<9>, %t; .reg .f32 %f<9>;"
        ".reg .b64 %in, %w, %c; .shared .align 4 .b8 s[1088];\nld.param.u64 %in, [in];\n"
        "mov.u32 %t, %tid.x;\nmov.u64 %w, s;\ncvta.shared.u64 %w, %w;\nmov.u64 %c, table;\n"
        "cvta.const.u64 %c, %c;\n"
        f"wmma.{move}.sync.aligned.row.m16n16k16{space}.{kind} {first}, {second}, {stride};\n"
        "ret;\n}"
    )
    launch = Launch((2, 1, 1), (64, 1, 1), (Buffer("in", size=1088),))
    whole, part = (
        simulate(module, "k", launch, SimulationOptions(slice_only=cut)) for cut in (False, True)
    )
    # What is read of a table that nobody filled is told only where it decides something.
    faults = tuple(f for f in whole.faults if f.kind != "unwritten-constant")
    assert faults == part.faults
    assert bool(faults) == (at not in (0, 4) or stride != "16")


def test_tracers_that_want_values_get_them() -> None:
    """Such a run is whole, whatever was asked."""

    module = kernel("st.global.u32 [%mine_out], %t;")
    launch = Launch((1, 1, 1), (32, 1, 1), (Buffer("in"), Buffer("out")))

    class Stored(Tracing):
        wants_values = True
        total = 0

        def memory(self, batch: MemoryBatch) -> None:
            assert batch.values is not None
            self.total += int(batch.values.view("u4").sum())

    tracer = Stored()
    simulate(module, "k", launch, SimulationOptions(slice_only=True), tracers=(tracer,))
    assert tracer.total == sum(range(32))
