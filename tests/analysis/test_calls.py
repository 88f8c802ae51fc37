"""Functions that were not inlined: their accesses are sites, in the context of each call."""

from __future__ import annotations

from perflint.analysis import analyse
from perflint.grammar import parse
from perflint.lint.experiment import plans
from tests.analysis.probes import compare

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
ADD = """
.func (.param .b32 result) add(.param .b64 where, .param .align 4 .b8 pair[8])
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [where];
	ld.param.u32 %r1, [pair];
	ld.param.u32 %r2, [pair+4];
	mul.wide.s32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r3, [%rd3+16];
	add.s32 %r3, %r3, %r2;
	st.param.b32 [result], %r3;
	ret;
}
"""
KERNEL = """
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [a];
	cvta.to.global.u64 %rd1, %rd1;
	ld.param.u64 %rd2, [b];
	cvta.to.global.u64 %rd2, %rd2;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mul.lo.s32 %r3, %r2, %r1;
	{
	.param .b64 where;
	.param .align 4 .b8 pair[8];
	.param .b32 got;
	st.param.b64 [where], %rd1;
	st.param.v2.b32 [pair], {%r3, %r2};
	call.uni (got), CALLEE, (where, pair);
	ld.param.b32 %r4, [got];
	}
	setp.lt.s32 %p1, %r2, 20;
	{
	.param .b64 where;
	.param .align 4 .b8 pair[8];
	.param .b32 got;
	st.param.b64 [where], %rd2;
	st.param.b32 [pair], %r2;
	st.param.b32 [pair+4], 7;
	@%p1 call (got), CALLEE, (where, pair);
	ld.param.b32 %r5, [got];
	}
	mul.wide.s32 %rd4, %r2, 4;
	add.s64 %rd5, %rd2, %rd4;
	st.global.u32 [%rd5], %r5;
	ret;
}
"""


def test_accesses_of_callees_are_sites() -> None:
    module = parse(HEAD + ADD + KERNEL.replace("CALLEE", "add"), "k.ptx")
    facts = analyse(module, module.kernels[0])
    assert [(s.kind, s.array.name, s.address.text if s.address else "") for s in facts.sites] == [
        ("load", "a", "16 + 4*%tid.x*param(2, 0) + param(0, 0)"),
        ("load", "b", "16 + 4*%tid.x + param(1, 0)"),
        ("store", "b", "4*%tid.x + param(1, 0)"),
    ]
    assert not facts.unseen
    assert [i.index for i in facts.kernel.instructions] == [*range(len(facts.kernel.instructions))]
    names = ("a", "b", "n")
    compared = compare(facts, plans(facts, names)[0][0].conditions[0].launch)
    assert sorted(compared) == [s.pcs[0] for s in facts.sites]
    assert all(c.equal == c.requests for c in compared.values())


def test_recursive_functions_are_named() -> None:
    body = ADD.replace("ld.global.u32 %r3, [%rd3+16];", """
	.param .b64 where2;
	.param .align 4 .b8 pair2[8];
	.param .b32 got2;
	st.param.b64 [where2], %rd3;
	st.param.b32 [pair2], %r1;
	st.param.b32 [pair2+4], %r1;
	call.uni (got2), add, (where2, pair2);
	ld.param.b32 %r3, [got2];""")  # fmt: skip
    module = parse(HEAD + body + KERNEL.replace("CALLEE", "add"), "k.ptx")
    facts = analyse(module, module.kernels[0])
    assert facts.unseen == ("add",)
    assert [s.kind for s in facts.sites] == ["store"]
