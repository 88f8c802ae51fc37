"""Register pressure against counts by hand."""

from __future__ import annotations

import pytest

from perflint.analysis.pressure import register_pressure
from perflint.grammar import parse

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
DECLARED = ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"


@pytest.mark.parametrize(
    ("body", "most"),
    [
        # the pointer alone
        ("ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 0; ret;", 2),
        # the pointer and three values
        (
            "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];"
            "ld.global.u32 %r3, [%rd1+8]; add.u32 %r4, %r1, %r2; add.u32 %r4, %r4, %r3;"
            "st.global.u32 [%rd1], %r4; ret;",
            5,
        ),
        # a value that is needed round a loop; predicates take no register
        (
            "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; mov.u32 %r2, 0;"
            "L: add.u32 %r2, %r2, %r1; setp.lt.u32 %p1, %r2, 99; @%p1 bra L;"
            "st.global.u32 [%rd1], %r2; ret;",
            4,
        ),
        # a guarded write keeps the old value alive
        (
            "ld.param.u64 %rd1, [p]; mov.u32 %r1, 7; ld.global.u32 %r2, [%rd1];"
            "setp.lt.u32 %p1, %r2, 99; @%p1 mov.u32 %r1, 8; st.global.u32 [%rd1], %r1; ret;",
            4,
        ),
    ],
)
def test_pressure(body: str, most: int) -> None:
    (kernel,) = parse(f"{HEAD}{DECLARED}{body}\n}}\n").kernels
    assert register_pressure(kernel) == most
