"""A kernel's directives bound its special registers: masks that clear nothing are not seen."""

from __future__ import annotations

import pytest

from perflint.analysis import analyse
from perflint.grammar import parse

HEAD = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {directive}
{{
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    {statements}
    mul.wide.s32 %rd2, %r3, 2;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.v4.b32 {{%r4, %r5, %r6, %r7}}, [%rd3];
    ret;
}}
"""

#: What compilers make of `8 * (threadIdx.x % 256)`.
MASK = "shl.b32 %r2, %r1, 3; and.b32 %r3, %r2, 2040;"
PLAIN = "16"
MASKED = None


def stride(directive: str, statements: str) -> str | None:
    """What lies between neighbouring threads' bytes; None where that is not the same for all."""
    module = parse(HEAD.format(directive=directive, statements=statements))
    (site,) = (s for s in analyse(module, module.kernels[0]).sites if s.kind == "load")
    step = site.strides["x"]
    return None if step is None else step.describe(lambda s: None)


@pytest.mark.parametrize(
    ("directive", "wanted"),
    [
        (".reqntid 256", PLAIN),
        (".reqntid 256, 4", PLAIN),
        (".reqntid 128", PLAIN),
        (".reqntid 4, 256", PLAIN),
        (".reqntid 512", MASKED),
        (".reqntid 257", MASKED),
        # `.maxntid` bounds how many threads there are, not how they are laid out.
        (".maxntid 256", PLAIN),
        (".maxntid 16, 16", PLAIN),
        (".maxntid 32, 16", MASKED),
        ("", MASKED),
    ],
)
def test_a_mask_that_the_block_cannot_exceed_is_not_there(
    directive: str, wanted: str | None
) -> None:
    assert stride(directive, MASK) == wanted


@pytest.mark.parametrize(
    ("directive", "statements", "wanted"),
    [
        # A field that reaches to the highest bit is the shift, whatever its length says.
        (".reqntid 64", "bfe.u32 %r2, %r1, 0, 6; shl.b32 %r3, %r2, 3;", PLAIN),
        (".reqntid 128", "bfe.u32 %r2, %r1, 0, 6; shl.b32 %r3, %r2, 3;", MASKED),
        # Bits of a field, and bits above them: or is a sum.
        ("", "bfe.u32 %r4, %r1, 2, 4; shl.b32 %r5, %r4, 2; or.b32 %r6, %r5, 64;"
         " sub.s32 %r7, %r6, %r5; mad.lo.s32 %r3, %r1, 8, %r7;", PLAIN),
        ("", "bfe.u32 %r4, %r1, 2, 5; shl.b32 %r5, %r4, 2; or.b32 %r6, %r5, 64;"
         " sub.s32 %r7, %r6, %r5; mad.lo.s32 %r3, %r1, 8, %r7;", MASKED),
    ],
)  # fmt: skip
def test_fields_of_bits_are_shifts_and_sums_where_that_is_sure(
    directive: str, statements: str, wanted: str | None
) -> None:
    assert stride(directive, statements) == wanted
