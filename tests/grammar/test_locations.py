"""`.loc`, its inlining chains and the names in `.debug_str` (PTX ISA 11.5)."""

from __future__ import annotations

import pytest

from perflint.grammar import parse
from perflint.grammar.model import Location

TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
    ret;
    .loc 1 20 3
    ret;
    .loc 2 5 7, function_name $L__info_string0, inlined_at 1 20 3
    ret;
    .loc 2 9 1, function_name $L__info_string1, inlined_at 2 5 7
    ret;
    .loc 1 21 1
    ret;
    .loc 2 9 1, function_name $L__info_string0+2, inlined_at 2 5 7
    .loc 2 9 2 inlined_at 1 21 1 function_name .debug_str
    ret;
    .loc 3 1 1
    ret;
}
.visible .entry other()
{
    .loc 2 9 1, function_name $L__info_string1, inlined_at 2 5 7
    ret;
}
.file 1 "main.cu"
.file 2 "helper.cuh"
.section .debug_str
{
$L__info_string0:
.b8 102,111,111,0
$L__info_string1:
.b8 98, 97
.b8 114,0
}
.section .debug_info { .b32 12 + 4, .debug_abbrev, $L__info_string1 - $L__info_string0
.b64 .debug_loc+8
.b8 1 }
"""

MAIN = Location("main.cu", 20, 3)
FOO = Location("helper.cuh", 5, 7, "foo", MAIN)


@pytest.mark.parametrize("cache", [True, False])
def test_chains_are_linked_and_named(cache: bool) -> None:
    module = parse(TEXT, cache=cache)
    found = [each.location for each in module.functions["k"].instructions]
    assert found == [
        None,
        MAIN,
        FOO,
        Location("helper.cuh", 9, 1, "bar", FOO),
        Location("main.cu", 21, 1),
        Location("helper.cuh", 9, 2, "foo", Location("main.cu", 21, 1)),
        Location("file 3", 1, 1),
    ]
    # A chain belongs to its function.
    (other,) = module.functions["other"].instructions[:1]
    assert other.location == Location("helper.cuh", 9, 1, "bar", Location("helper.cuh", 5, 7))


def test_a_position_inlined_at_itself_ends() -> None:
    again = ".loc 1 1 1, function_name $f, inlined_at 1 1 1\nret;\n" * 500
    body = ".version 8.0\n.target sm_80\n.entry k() {\n" + again + "}"
    last = parse(body).kernels[0].instructions[-1].location
    assert last is not None
    assert len(last.chain()) <= 64
    deepest = max(len(each.location.chain()) for each in parse(body).kernels[0].instructions
                  if each.location)  # fmt: skip
    assert deepest == 64


ASSEMBLY = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
    .reg .b32 %r<3>;
    .loc 1 20 3
    // begin inline asm
    .loc 1 20 3
    mov.u32 %r1, 0x0;
    .loc 1 21 3
    mov.u32 %r2, 0x0;

    // end inline asm
    mov.u32 %r0, %r1;
    .loc 1 30 3
    ret;
}
.file 1 "main.py"
"""


@pytest.mark.parametrize("cache", [True, False])
def test_a_statement_of_assembly_stands_where_it_begins(cache: bool) -> None:
    module = parse(ASSEMBLY, cache=cache)
    found = [each.location for each in module.functions["k"].instructions]
    assert found == [Location("main.py", 20, 3)] * 3 + [Location("main.py", 30, 3)]
    assert [each.line for each in module.functions["k"].instructions] == [11, 13, 16, 18]
