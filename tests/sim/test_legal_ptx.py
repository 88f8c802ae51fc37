"""PTX that ptxas takes and few compilers write: vector registers, old calls, names of variables."""

from __future__ import annotations

import numpy as np
import pytest

from perflint.analysis import analyse
from perflint.grammar import parse
from perflint.grammar.model import Module
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Buffer, Launch

LANE = np.arange(32)
ADD = "{ add.u32 a, x, 1; ret; }"
TWO = """.func (.reg .u32 a, .reg .f32 b) two(.reg .u32 x, .reg .u32 y)
{ .reg .u32 t; add.u32 t, x, y; add.u32 a, t, 1; cvt.rn.f32.u32 b, t; ret; }"""
OVER = ".func (.reg .pred a) over(.reg .u32 x, .reg .u32 y) { setp.gt.u32 a, x, y; ret; }"
MIXED = """.func (.reg .v2 .u32 r) mixed(.reg .u32 k, .reg .v2 .f32 v)
{ .reg .u32 t; cvt.rni.u32.f32 t, v.y; add.u32 r.x, t, k; cvt.rni.u32.f32 r.y, v.x; ret; }"""
TABLE = ".global .align 4 .u32 table[4] = {1, 2, 3, 4};"

#: name: (before the kernel, body, behind the kernel, what each lane has in %r9)
CASES: dict[str, tuple[str, str, str, np.ndarray]] = {
    "elements of a vector register": (
        "", ".reg .v2 .u32 v; mov.u32 v.x, %r1; mov.u32 v.y, 5; add.u32 %r9, v.x, v.y;", "",
        LANE + 5,
    ),
    "elements as colours": (
        "", ".reg .v4 .u32 v; mov.u32 v.r, %r1; mov.u32 v.a, 7; add.u32 %r9, v.x, v.w;", "",
        LANE + 7,
    ),
    "numbered vector registers": (
        "", ".reg .v2 .f32 %v<3>; mov.f32 %v1.y, 0f40400000; cvt.rni.u32.f32 %r9, %v1.y;", "",
        0 * LANE + 3,
    ),
    "a vector register loaded and stored whole": (
        "", """.reg .v4 .u32 v; .shared .align 16 .b8 s[512]; shl.b32 %r2, %r1, 4; mov.u32 %r3, s;
        add.u32 %r2, %r2, %r3; mov.v4.u32 v, {%r1, 1, 2, 3}; st.shared.v4.u32 [%r2], v;
        bar.sync 0; xor.b32 %r2, %r2, 16; ld.shared.v4.u32 v, [%r2]; mad.lo.u32 %r9, v.x, v.w, v.y;
        """, "", (LANE ^ 1) * 3 + 1,
    ),
    "one vector register moved to another": (
        "", """.reg .v2 .u32 v, w; mov.u32 v.x, %r1; mov.u32 v.y, 7; mov.v2.u32 w, v;
        mov.v2.u32 v, {w.y, w.x}; sub.u32 %r9, v.x, v.y;""", "", 7 - LANE,
    ),
    "a vector register as a word": (
        "", """.reg .v2 .u32 v; mov.u32 v.x, %r1; mov.u32 v.y, 7; mov.b64 %rd5, v;
        shr.u64 %rd5, %rd5, 32; cvt.u32.u64 %r9, %rd5;""", "", 0 * LANE + 7,
    ),
    "several results in registers": (
        TWO, """mov.u32 %r9, 0; call (%r8, %f1), two, (%r1, 10); cvt.rni.u32.f32 %r7, %f1;
        add.u32 %r9, %r7, %r8;""", "", 2 * LANE + 21,
    ),
    "a result that nobody wants": (TWO, "call (%r9, _), two, (%r1, %r1);", "", 2 * LANE + 1),
    "a call for some lanes": (
        TWO, "mov.u32 %r9, 99; setp.gt.u32 %p1, %r1, 3; @%p1 call (%r9, %f1), two, (%r1, 0);", "",
        np.where(LANE > 3, LANE + 1, 99),
    ),
    "vector registers as parameters and result": (
        MIXED, """.reg .v2 .u32 r; .reg .v2 .f32 f;
        mov.f32 f.x, 0f40400000; mov.f32 f.y, 0f41200000;
        call (r), mixed, (%r1, f); mad.lo.u32 %r9, r.x, 100, r.y;""", "", (LANE + 10) * 100 + 3,
    ),
    "a vector result that nobody wants": (
        MIXED, ".reg .v2 .f32 f; mov.u32 %r9, 4; mov.f32 f.x, 0f40400000; mov.f32 f.y, f.x;"
        " call (_), mixed, (%r1, f);", "", 0 * LANE + 4,
    ),
    "vector registers handed on": (
        MIXED + """.func (.reg .v2 .u32 r) outer(.reg .v2 .f32 v)
        { .reg .v2 .u32 t; call (t), mixed, (5, v); mov.v2.u32 r, {t.y, t.x}; ret; }""",
        """.reg .v2 .u32 r; .reg .v2 .f32 f; cvt.rn.f32.u32 f.x, %r1; mov.f32 f.y, 0f41200000;
        call (r), outer, (f); mad.lo.u32 %r9, r.x, 100, r.y;""", "", LANE * 100 + 15,
    ),
    "a carry that sub.cc leaves for addc": (  # no borrow is a carry
        "", "sub.cc.u32 %r2, %r1, 9; addc.u32 %r9, %r1, 0;", "", LANE + (LANE >= 9),
    ),
    "a carry that add.cc leaves for subc": (
        "", "add.cc.u32 %r2, %r1, 0xfffffff0; subc.u32 %r9, 100, 7;", "", 92 + (LANE >= 16),
    ),
    "a predicate returned": (
        OVER, "call (%p1), over, (%r1, 3); selp.u32 %r9, 1, 0, %p1;", "", (LANE > 3) + 0,
    ),
    "a function behind its use": (
        ".func (.reg .u32 a) f(.reg .u32 x);", "call (%r9), f, (%r1);",
        f".func (.reg .u32 a) f(.reg .u32 x) {ADD}", LANE + 1,
    ),
    "a function with variables behind its use": (
        ".func (.param .b32 a) f(.param .b32 x);",
        """{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), f, (p);
        ld.param.b32 %r9, [q]; }""",
        """.func (.param .b32 a) f(.param .b32 x)
        { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r1, %r1, 5; st.param.b32 [a], %r1; ret; }
        """, LANE + 5,
    ),
    "a shared variable's name, generic": (
        "", """.shared .align 4 .b8 s[128]; shl.b32 %r3, %r1, 2; mov.u32 %r2, s;
        add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], %r1; bar.sync 0; ld.u32 %r9, [s+12];""", "",
        0 * LANE + 3,
    ),
    "a shared variable of the module, generic": (
        ".shared .align 4 .b8 s[128];",
        "setp.eq.u32 %p1, %r1, 9; @%p1 st.u32 [s+4], %r1; bar.sync 0; ld.shared.u32 %r9, [s+4];",
        "", 0 * LANE + 9,
    ),
    "an atomic on a shared variable's name": (
        "", """.shared .align 4 .u32 s; setp.eq.u32 %p1, %r1, 0; @%p1 st.u32 [s], 5; bar.sync 0;
        atom.add.u32 %r8, [s], 1; bar.sync 0; ld.u32 %r9, [s];""", "", 0 * LANE + 37,
    ),
    "a local variable's name, generic": (
        "", ".local .align 4 .b8 l[16]; st.u32 [l+4], %r1; ld.local.u32 %r9, [l+4];", "", LANE,
    ),
    "a global variable's name, generic": (TABLE, "ld.u32 %r9, [table+8];", "", 0 * LANE + 3),
    "a variable of 128-bit words": (
        ".global .align 16 .b128 words[2];",
        "st.global.u32 [words+20], 4; bar.sync 0; ld.global.u32 %r9, [words+20];", "", 0 * LANE + 4,
    ),
}  # fmt: skip


def module(before: str, body: str, behind: str) -> Module:
    return parse(
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        f"{before}\n.visible .entry k(.param .u64 o)\n{{ .reg .b64 %rd<9>; .reg .b32 %r<20>;"
        " .reg .pred %p<5>; .reg .f32 %f<9>; ld.param.u64 %rd1, [o]; mov.u32 %r1, %tid.x;"
        " mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;\n"
        f"{body}\nst.global.u32 [%rd1], %r9; ret; }}\n{behind}\n"
    )


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_it_runs(name: str, plain: bool) -> None:
    before, body, behind, wanted = CASES[name]
    launch = Launch((1, 1, 1), (32, 1, 1), (Buffer("o", size=128),))
    done = simulate(module(before, body, behind), "k", launch, SimulationOptions(reference=plain))
    assert (done.stop, done.faults) == (None, ())
    np.testing.assert_array_equal(done.buffers["o"].view(np.uint32)[:32], wanted.astype(np.uint32))


@pytest.mark.parametrize("name", CASES)
def test_the_analysis_knows_where_it_writes(name: str) -> None:
    read = module(*CASES[name][:3])
    facts = analyse(read, read.functions["k"])
    stores = [s for s in facts.sites if s.kind == "store" and s.array.kind == "parameter"]
    assert [site.strides["x"].constant for site in stores if site.strides["x"]] == [4]
