"""Ranges under loop bounds and guards; doubles that are made of floats and become floats."""

from __future__ import annotations

from math import inf

import pytest

from perflint.analysis import analyse
from perflint.analysis.cfg import control_flow
from perflint.analysis.precision import (
    COMPARED,
    DOUBLE,
    EXACT,
    INEXACT,
    INTEGER,
    KEPT,
    SINGLE,
    TO_SINGLE,
    double_uses,
)
from perflint.analysis.provenance import Scope
from perflint.analysis.ranges import value_ranges
from perflint.analysis.ssa import static_single_assignment
from perflint.analysis.uniformity import branch_conditions
from perflint.grammar import parse
from perflint.grammar.model import Function, Module

HEAD = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n, .param .f64 z)
{
	.reg .pred %p<4>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<8>;
	.reg .f32 %f<8>;
	.reg .f64 %fd<12>;
	ld.param.u64 %rd1, [a];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
"""


def module_of(body: str) -> tuple[Module, Function]:
    module = parse(HEAD + body + "\n\tret;\n}\n", "k.ptx")
    return module, module.kernels[0]


def ranges_of(body: str) -> dict[str, tuple[float, float, int]]:
    """By register, its last definition's bounds and stride."""
    module, kernel = module_of(body)
    flow = control_flow(kernel)
    ssa = static_single_assignment(kernel, flow)
    conditions = branch_conditions(Scope.of(module, kernel), flow, ssa)
    found = value_ranges(kernel, flow, ssa, conditions)
    out = {}
    for definition in ssa.definitions:
        state = found[definition.number]
        if state is not None and not definition.phi:
            out[definition.register] = (state.low, state.high, state.stride)
    return out


LOOP = """
	mov.u32 %r3, START;
TOP:
	shl.b32 %r4, %r3, 2;
	add.s32 %r3, %r3, STEP;
	setp.lt.s32 %p1, %r3, LIMIT;
	@%p1 bra TOP;
	mov.u32 %r5, %r3;
"""


@pytest.mark.parametrize(
    ("start", "step", "limit", "inside", "next"),
    [
        ("0", "4", "16", (0, 48, 16), (4, 19, 4)),
        ("2", "1", "9", (8, 32, 4), (3, 9, 1)),
        ("0", "1", "%r1", (0, inf, 4), (1, inf, 1)),
    ],
)
def test_loop_bounds(
    start: str, step: str, limit: str, inside: tuple[float, ...], next: tuple[float, ...]
) -> None:
    body = LOOP.replace("START", start).replace("STEP", step).replace("LIMIT", limit)
    found = ranges_of(body)
    low, high, stride = found["%r4"]
    assert (low, stride) == (inside[0], inside[2])
    assert high <= inside[1]
    assert found["%r3"][0] == next[0]
    assert found["%r3"][1] <= max(next[1], 19)


def test_guards() -> None:
    found = ranges_of("""
	setp.ge.s32 %p1, %r2, 20;
	@%p1 bra OUT;
	add.s32 %r3, %r2, 1;
	setp.eq.s32 %p2, %r2, 7;
	@!%p2 bra OUT;
	mul.lo.s32 %r4, %r2, 3;
OUT:
	mov.u32 %r5, %r2;""")
    assert found["%r3"] == (1, 20, 1)
    assert found["%r4"] == (21, 21, 0)
    assert found["%r5"] == (0, 1023, 1)


def test_combined_guards() -> None:
    found = ranges_of("""
	setp.lt.s32 %p1, %r1, 5;
	setp.gt.s32 %p2, %r1, 90;
	or.pred %p3, %p1, %p2;
	@%p3 bra OUT;
	add.s32 %r3, %r1, 10;
OUT:""")
    assert found["%r3"] == (15, 100, 1)


def test_signed_division_of_a_counter_is_a_shift() -> None:
    """`i / 4` for a counter `i`: the compiler's correction for negative numbers falls away."""
    module, kernel = module_of("""
	mov.u32 %r3, 0;
TOP:
	add.s32 %r4, %r3, %r2;
	shr.s32 %r5, %r4, 31;
	shr.u32 %r6, %r5, 30;
	add.s32 %r7, %r4, %r6;
	shr.s32 %r8, %r7, 2;
	mul.wide.s32 %rd2, %r8, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r1;
	add.s32 %r3, %r3, 1;
	setp.lt.s32 %p1, %r3, 100;
	@%p1 bra TOP;""")
    [site] = analyse(module, kernel).sites
    assert site.address is not None
    assert site.address.describe(lambda s: "a" if s.text.startswith("param") else None) == (
        "4*((threadIdx.x + turn) >> 2) + a"
    )


@pytest.mark.parametrize(
    ("body", "origins", "destination", "implicit"),
    [
        # f * 2.0 in double precision, back to float.
        ("cvt.f64.f32 %fd1, %f1;\n mul.f64 %fd2, %fd1, 0d4000000000000000;\n"
         "cvt.rn.f32.f64 %f2, %fd2;", SINGLE | EXACT, TO_SINGLE, True),
        # 0.1 is no float, but the user may well have meant 0.1f.
        ("cvt.f64.f32 %fd1, %f1;\n add.f64 %fd2, %fd1, 0d3FB999999999999A;\n"
         "cvt.rn.f32.f64 %f2, %fd2;", SINGLE | INEXACT, TO_SINGLE, True),
        ("ld.param.f64 %fd3, [z];\n cvt.f64.f32 %fd1, %f1;\n mul.f64 %fd2, %fd1, %fd3;\n"
         "cvt.rn.f32.f64 %f2, %fd2;", SINGLE | DOUBLE, TO_SINGLE, False),
        ("cvt.f64.f32 %fd1, %f1;\n mul.f64 %fd2, %fd1, %fd1;\n st.global.f64 [%rd1], %fd2;",
         SINGLE, KEPT, False),
        ("cvt.rn.f64.s32 %fd1, %r1;\n mul.f64 %fd2, %fd1, %fd1;\n cvt.rn.f32.f64 %f2, %fd2;",
         INTEGER, TO_SINGLE, True),  # float y = n * 0.5
        ("cvt.f64.f32 %fd1, %f1;\n setp.lt.f64 %p1, %fd1, 0d4000000000000000;",
         SINGLE | EXACT, COMPARED, True),
    ],
)  # fmt: skip
def test_doubles(body: str, origins: int, destination: int, implicit: bool) -> None:
    _, kernel = module_of("ld.global.f32 %f1, [%rd1];\n" + body)
    [use] = double_uses(kernel, static_single_assignment(kernel, control_flow(kernel)))
    assert (use.origin, use.destination, use.implicit) == (origins, destination, implicit)


def test_a_sum_over_a_loop_is_followed() -> None:
    _, kernel = module_of("""
	mov.f64 %fd1, 0d0000000000000000;
	mov.u32 %r3, 0;
TOP:
	ld.global.f32 %f1, [%rd1];
	cvt.f64.f32 %fd2, %f1;
	add.f64 %fd1, %fd1, %fd2;
	add.s32 %r3, %r3, 1;
	setp.lt.s32 %p1, %r3, %r1;
	@%p1 bra TOP;
	cvt.rn.f32.f64 %f2, %fd1;
	st.global.f32 [%rd1], %f2;""")
    [use] = double_uses(kernel, static_single_assignment(kernel, control_flow(kernel)))
    assert use.implicit
    assert use.origin == SINGLE | EXACT


def test_a_value_that_is_first_read_undefined_ends() -> None:
    """A register with one definition, behind its use in a loop, changes in every turn."""
    module, kernel = module_of("""
	mov.u32 %r3, 0;
TOP:
	setp.eq.s32 %p1, %r3, 1;
	selp.b32 %r4, %r3, %r6, %p1;
	mul.lo.s32 %r5, %r4, 3;
	add.s32 %r6, %r5, %r2;
	mul.wide.s32 %rd2, %r6, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r1;
	@%p1 add.s32 %r7, %r1, 1;
	add.s32 %r3, %r3, 1;
	setp.lt.s32 %p2, %r3, 100;
	@%p2 bra TOP;""")
    ssa = static_single_assignment(kernel, control_flow(kernel))
    assert {d.register for d in ssa.definitions if d.phi} >= {"%r3", "%r6"}
    assert len(analyse(module, kernel).sites) == 1
