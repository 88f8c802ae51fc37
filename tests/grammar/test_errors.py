"""What is said about texts that are not PTX: where, what was found and what was expected."""

from __future__ import annotations

import pytest

from perflint.grammar import PtxSyntaxError, parse

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
BODY = (
    HEAD + ".visible .entry k(.param .u64 a)\n{\n"
    ".reg .b32 %r<4>; .reg .pred %p<2>; .reg .b64 %rd<3>; .reg .v4 .f32 v;\n"
)

#: Text, line, column, message, what was expected.
CASES = [
    ("", 1, 1, "this is not PTX: a module begins with `.version`", ("`.version`",)),
    ("// nothing\n\n", 1, 11, "this is not PTX", ("`.version`",)),
    ("\n __global__ void k() {}", 2, 2, "this is not PTX", ("`.version`",)),
    ("#include <x>\nint main() { return '\\0'; }", 2, 1, "this is not PTX", ("`.version`",)),
    ("\x7fELF\0\0\1", 1, 1, "this is not PTX", ("`.version`",)),
    (".target sm_80\n.version 8.0", 1, 1, "this is not PTX", ("`.version`",)),
    ("/* .version 8.0", 1, 1, "this comment is never closed", ("`*/`",)),
    (".version 8.0", 1, 1, "a PTX module names its `.target`", ()),
    (".version x", 1, 10, "unexpected `x`", ("a number such as 9.0",)),
    (".version 8.0 PTX", 1, 14, "unexpected `PTX`", ("a kernel, function or variable",)),
    (HEAD + "\n  .globl .b32 x;", 5, 3, "unexpected `.globl`", ("a kernel, function or variable",)),
    (HEAD + ".global .b32 x", 4, 15, "unexpected the end of the text", None),
    (HEAD + ".global x;", 4, 9, "`x` needs a type", ()),
    (HEAD + ".global .b32 x[2;", 4, 17, "unexpected `;`", ("`]`",)),
    (HEAD + ".reg .b32 x;", 4, 11, "registers are declared in functions", ()),
    (HEAD + ".global .b32 x;\n.global .b32 x;", 5, 14, "`x` is declared twice", ()),
    (HEAD + ".global .u64 x[1] = {nobody};", 4, 22, "`nobody` is not declared", ()),
    (HEAD + ".global .u32 x = 1/(2-2);", 4, 1, "division by zero", ()),
    (HEAD + ".func f() { ret; }\n.func f() { ret; }", 5, 7, "`f` is defined twice", ()),
    (HEAD + ".entry (", 4, 8, "unexpected `(`", ("a name",)),
    (HEAD + ".entry k(.param .u64 a, )", 4, 25, "unexpected `)`", ("a type or state space",)),
    (HEAD + '.file 1 "abc', 4, 9, "unexpected character '\"' (a string", ()),
    (BODY + "mov.u32 %r1, 12x;\n}", 7, 14, "`12x` is no number", ()),
    (BODY + "mov.u32 %r1, 0x1g;\n}", 7, 14, "`0x1g` is no number", ()),
    (BODY + "/* ret;\n}", 7, 1, "this comment is never closed", ("`*/`",)),
    (BODY + "ret; \N{LATIN SMALL LETTER E WITH ACUTE} }", 7, 6, "unexpected character", ()),
    (BODY + "ret;", 7, 5, "unexpected the end of the text", ("a statement", "`}`")),
    (BODY + "{ ret;\n}\n", 8, 2, "unexpected the end of the text", ("a statement", "`}`")),
    (BODY + "ret; } }", 7, 8, "unexpected `}`", ("a kernel, function or variable",)),
    (BODY + "add.s32 %r1, %r2, 1\nret;\n}", 8, 1, "unexpected `ret`", ("`,`", "`;`")),
    (BODY + "add.s32 %r1 %r2, 3;\n}", 7, 13, "unexpected `%r2`", ("`,`", "`;`")),
    (BODY + "mov.u32 %r1, (1+2;\n}", 7, 18, "unexpected `;`", ("`)`",)),
    (BODY + "ld.global.u32 %r1, [%rd1+;\n}", 7, 26, "unexpected `;`", ("a constant",)),
    (BODY + "ld.global.u32 %r1, [;\n}", 7, 21, "unexpected `;`", ("an operand",)),
    (BODY + ".loc 1 2;\n}", 7, 9, "unexpected `;`", ("a number",)),
    (BODY + "@ bra L;\n}", 7, 7, "unknown instruction `L`", ()),
    # What follows is syntax that means nothing.
    (BODY + "addd.s32 %r1, %r2, 3;\n}", 7, 1, "unknown instruction `addd.s32`", ()),
    (BODY + "\n  mbarrier.foo.b64 [%rd1];\n}", 8, 3, "unknown instruction", ()),
    (
        BODY + "ld.parm.u64 %rd1, [a];\n}",
        7,
        1,
        "`ld.parm.u64` has the unknown modifier `.parm`; did you mean `.param`?",
        (),
    ),
    (BODY + "ret;\n  add.s23 %r1, %r2, 3;\n}", 8, 3, "modifier `.s23`; did you mean `.s32`?", ()),
    (BODY + "st.globl.u32 [%rd1], %r1;\n}", 7, 1, "`.globl`; did you mean `.global`?", ()),
    (BODY + "ld.shared::ctaa.u32 %r1, [%rd1];\n}", 7, 1, "unknown modifier `.shared::ctaa`", ()),
    (BODY + "ld.global.v3.u32 %r1, [%rd1];\n}", 7, 1, "the unknown modifier `.v3`", ()),
    (BODY + "add.qwertyuiop %r1, %r2, 3;\n}", 7, 1, "the unknown modifier `.qwertyuiop`", ()),
    (BODY + "add.shared.f32 %r1, %r1, %r1;\n}", 7, 1, "`add` takes no `.shared`", ()),
    (BODY + "ret;\n add.lo.s32 %r1, %r2, 3;\n}", 8, 2, "`add` takes no `.lo` (`add.lo.s32`)", ()),
    (BODY + "add.b32 %r1, %r2, 3;\n}", 7, 1, "`add` takes no `.b32`", ()),
    (BODY + "shfl.sync.ballot.b32 %r1, %r2, 3, 4, 5;\n}", 7, 1, "takes no `.ballot`", ()),
    (BODY + "bar.sync.aligned 0;\n}", 7, 1, "`bar.sync` takes no `.aligned`", ()),
    (BODY + "setp.ge %p1, %r1, 5;\n}", 7, 1, "`setp.ge` names no type", ()),
    (BODY + "ld.global %r1, [%rd1];\n}", 7, 1, "`ld.global` names no type", ()),
    (BODY + "add.s32 %r1, %r2;\n}", 7, 1, "`add.s32` has 2 of its 3 operands (d, a, b)", ()),
    (BODY + "add.s32 %r1, %r9, 3;\n}", 7, 14, "register `%r9` is not declared", ()),
    (BODY + "add.s32 %r1, %r02, 3;\n}", 7, 14, "register `%r02` is not declared", ()),
    (BODY + "mov.f32 %r1, v.q;\n}", 7, 14, "`v.q` is not declared", ()),
    (BODY + "mov.u32 %r1, nobody;\n}", 7, 14, "`nobody` is not declared", ()),
    (BODY + "call nobody;\n}", 7, 6, "`nobody` is not declared", ()),
    (BODY + "bra L;\n}", 7, 5, "there is no label `L`", ()),
    (BODY + "bra a;\n}", 7, 5, "there is no label `a`", ()),
    (BODY + "bra %p1;\n}", 7, 1, "a branch leads to a label", ()),
    (BODY + "{ L: ret; }\nbra L;\n}", 8, 5, "there is no label `L`", ()),
    (BODY + "L: ret;\nL: ret;\n}", 8, 1, "`L` is declared twice", ()),
    (BODY + ".reg .b32 x;\n.reg .b32 x;\n}", 8, 11, "`x` is declared twice", ()),
    (BODY + ".branchtargets L;\n}", 7, 1, "`.branchtargets` needs a label", ()),
    (BODY + "@v.x bra L;\n}", 7, 2, "unexpected `v.x`", None),
    (BODY + "@a bra L;\n}", 7, 2, "`a` is no predicate register", ()),
    (BODY + "ld.global.u32 %r1, %rd1+4;\n}", 7, 1, "a register with an offset is an address", ()),
    (BODY + "ld.global.u32 %r1, [%tid.x];\n}", 7, 21, "an address begins with", ()),
    (BODY + "mov.u32 %r1, 99999999999999999999;\n}", 7, 14, "does not fit in 64 bits", ()),
    (BODY + "mov.u32 %r1, 089;\n}", 7, 14, "an octal number", ()),
    (BODY + "mov.u32 %r1, 1.0 << 2;\n}", 7, 1, "`<<` needs integers", ()),
    (BODY + "mov.u32 %r1, " + "(" * 3000 + "1" + ")" * 3000 + ";\n}", 1, 1, "nested too", ()),
]


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize(("text", "line", "column", "message", "expected"), CASES)
def test_errors_say_what_where_and_what_instead(
    text: str, line: int, column: int, message: str, expected: tuple[str, ...] | None, cache: bool
) -> None:
    with pytest.raises(PtxSyntaxError) as caught:
        parse(text, "bad.ptx", cache=cache)
    error = caught.value
    assert (error.path, error.line, error.column) == ("bad.ptx", line, column)
    assert message in error.message
    if expected is not None:
        assert error.expected == expected
    assert len(error.expected) <= 4
    assert "\n" not in str(error)
    assert str(error).startswith(f"bad.ptx:{line}:{column}: ")


def test_modifiers_of_a_later_version_are_not_held_against_the_list() -> None:
    text = BODY + "ld.global.hence.u32 %r1, [%rd1];\nret;\n}"
    with pytest.raises(PtxSyntaxError):
        parse(text)
    assert parse(text.replace(".version 8.0", ".version 12.4")).kernels
