"""Structs passed by value that are read through a register: their fields are the parameter's."""

from __future__ import annotations

import pytest

from perflint.analysis import analyse
from perflint.analysis.model import KernelFacts
from perflint.analysis.symbols import Parameter
from perflint.grammar import parse

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .align 8 .b8 shape[32])
{{
	.reg .pred %p<2>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 4;
	mov.b64 %rd1, shape;
{address}
	ld.param.v2.u32 {{%r2, %r3}}, [%rd2+4];
	ld.param.u64 %rd3, [%rd2+12];
	cvta.to.global.u64 %rd3, %rd3;
	mul.lo.s32 %r4, %r1, %r3;
	mul.wide.s32 %rd4, %r4, 4;
	add.s64 %rd5, %rd3, %rd4;
	st.global.u32 [%rd5], %r2;
	ret;
}}
"""


def facts(address: str) -> KernelFacts:
    module = parse(KERNEL.format(address=address))
    return analyse(module, module.functions["k"])


def fields(told: KernelFacts) -> set[tuple[int, int]]:
    """The fields in the address of the one store: (parameter, byte offset)."""
    (site,) = told.sites
    assert site.address is not None
    atoms = (symbol for monomial in site.address.terms for symbol in monomial)
    return {(each.index, each.offset) for each in atoms if isinstance(each, Parameter)}


def test_fields_through_a_register() -> None:
    told = facts("	add.s64 %rd2, %rd1, 4;")
    assert fields(told) == {(0, 12), (0, 16)}
    assert told.pointer_fields[0] == (16,)


@pytest.mark.parametrize(
    "address",
    [
        "	add.s64 %rd2, %rd1, 4;\n	@%p1 add.s64 %rd2, %rd1, 8;",  # one of two places
        "	cvt.u64.u32 %rd6, %r1;\n	add.s64 %rd2, %rd1, %rd6;",  # a lane's own field
        "	add.s64 %rd2, %rd1, 4096;",  # beyond its end
    ],
)
def test_addresses_that_are_not_one_field(address: str) -> None:
    assert not fields(facts(address))
