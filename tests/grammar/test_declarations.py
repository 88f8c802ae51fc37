"""Module directives, variables and function headers (PTX ISA 5, 7 and 11)."""

from __future__ import annotations

import pytest

from perflint.grammar import parse
from perflint.grammar.model import Function, Immediate, Module, Symbol, Variable

HEAD = ".version 8.7\n.target sm_90a, texmode_independent\n.address_size 64\n"


def one(text: str) -> Variable:
    (variable,) = parse(HEAD + text).variables.values()
    return variable


def kernel(header: str, body: str = "ret;") -> Function:
    return parse(f"{HEAD}{header}\n{{ {body} }}\n").kernels[0]


def test_module_directives() -> None:
    module = parse(HEAD + '.pragma "nounroll", "x";\n.file 1 "a.cu", 1700000000, 12\n.file 2 "b.h"')
    assert module.version == (8, 7)
    assert module.target == ("sm_90a", "texmode_independent")
    assert module.address_size == 64
    assert module.pragmas == ("nounroll", "x")
    assert module.files == {1: "a.cu", 2: "b.h"}


def test_addresses_have_32_bits_where_nothing_is_said() -> None:
    assert parse(".version 8.7 .target sm_80").address_size == 32


@pytest.mark.parametrize(
    ("text", "space", "type_", "align", "dimensions", "vector", "size"),
    [
        (".global .u32 x;", "global", "u32", 4, (), 1, 4),
        (".const .align 16 .b8 x[6];", "const", "b8", 16, (6,), 1, 6),
        (".extern .shared .align 8 .b8 x[];", "shared", "b8", 8, (0,), 1, 0),
        (".shared .f64 x[4][2+1];", "shared", "f64", 8, (4, 3), 1, 96),
        (".global .v4 .f32 x[2];", "global", "f32", 16, (2,), 4, 32),
        (".global .align 2*4 .v2 .b16 x;", "global", "b16", 8, (), 2, 4),
        (".visible .global .b128 x;", "global", "b128", 16, (), 1, 16),
        (".global .attribute(.managed) .b32 x;", "global", "b32", 4, (), 1, 4),
        (".global .attribute(.unified(19, 95)) .b32 x;", "global", "b32", 4, (), 1, 4),
        (".global .texref x;", "global", "texref", 8, (), 1, 8),
        (".tex .u32 x;", "tex", "u32", 4, (), 1, 4),
    ],
)
def test_variables(
    text: str,
    space: str,
    type_: str,
    align: int,
    dimensions: tuple[int, ...],
    vector: int,
    size: int,
) -> None:
    found = one(text)
    assert (found.space, found.type, found.align) == (space, type_, align)
    assert (found.dimensions, found.vector, found.size) == (dimensions, vector, size)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (".global .u32 x = 7;", [7]),
        (".global .b8 x[4] = {1, 2, 3};", [1, 2, 3]),
        (".global .b8 x[2] = {1, 2,};", [1, 2]),
        (".global .b32 x = (1<<3)|1;", [9]),
        (".global .b32 x[] = {WARP_SZ, WARP_SZ/2};", [32, 16]),
        (".global .s32 x[2][2] = {{-1, 0}, {0, 1}};", [-1, 0, 0, 1]),
        (".global .s32 x[3][2] = {{1}, {2}, {3}};", [1, 0, 2, 0, 3]),
        (".global .v2 .s32 x[2] = {{1, 2}, {3}};", [1, 2, 3]),
    ],
)
def test_initialisers_are_flat(text: str, values: list[int]) -> None:
    found = one(text).initialiser
    assert found == tuple(map(Immediate, values))


def test_a_missing_extent_is_counted() -> None:
    assert one(".global .b8 x[] = {1, 2, 3};").dimensions == (3,)
    assert one(".global .b8 x[][2] = {{1}, {2}, {3}};").dimensions == (3, 2)


def test_float_initialisers_keep_their_bits() -> None:
    assert one(".const .f32 x[] = {0f3F800000, -2.0};").initialiser == (
        Immediate(0x3F800000, "f32"),
        Immediate(0xC000000000000000, "f64"),
    )


def test_addresses_in_initialisers() -> None:
    module = parse(
        HEAD + ".func f();\n.global .b32 a[4];\n"
        ".global .u64 x[] = {a, a+4, generic(a)+8, f};\n.global .u8 y[] = {0xff(a), 0xff00(a)};"
    )
    assert module.variables["x"].initialiser == (
        Symbol("a"),
        Symbol("a", 4),
        Symbol("a", 8),
        Symbol("f"),
    )
    assert module.variables["y"].initialiser == (Symbol("a", 0, 0xFF), Symbol("a", 0, 0xFF00))


def test_a_definition_replaces_its_declaration() -> None:
    module = parse(
        HEAD + ".extern .func f();\n.extern .global .b32 v[];\n"
        ".global .b32 v[3];\n.func f() { ret; }\n.func f();"
    )
    assert not module.functions["f"].declaration
    assert module.variables["v"].dimensions == (3,)


def test_parameters() -> None:
    found = kernel(
        ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .u64 .ptr q,\n"
        " .param .align 8 .b8 s[24], .param .f32 x)"
    ).parameters
    assert [each.name for each in found] == ["p", "q", "s", "x"]
    assert (found[0].pointer, found[0].pointer_space, found[0].pointer_align) == (
        True,
        "global",
        16,
    )
    assert (found[1].pointer, found[1].pointer_space, found[1].pointer_align) == (True, None, None)
    assert (found[2].align, found[2].size, found[2].pointer) == (8, 24, False)
    assert found[0].align == 8


def test_headers() -> None:
    found = kernel(
        '.weak .entry k .maxntid 16, 16 .minnctapersm 2 .maxnreg 64 .pragma "nounroll";'
        " .reqnctapercluster 2, 1, 1 .explicitcluster",
        '.pragma "used_bytes_mask 1"; ret;',
    )
    assert (found.name, found.kind, found.linkage, found.parameters) == ("k", "entry", "weak", ())
    assert found.directives == {
        "maxntid": (16, 16),
        "minnctapersm": (2,),
        "maxnreg": (64,),
        "reqnctapercluster": (2, 1, 1),
        "explicitcluster": (),
    }
    assert found.pragmas == ("nounroll", "used_bytes_mask 1")


def test_functions() -> None:
    module: Module = parse(
        HEAD + ".extern .func (.param .b32 r) f (.param .b64 a, .param .align 4 .b8 b[8])\n;\n"
        ".func (.reg .u32 r) g (.reg .f64 d) .noreturn { ret; }\n.alias h, g;"
    )
    f, g = module.functions.values()
    assert (f.kind, f.declaration, f.linkage, f.line) == ("func", True, "extern", 4)
    assert [each.name for each in (*f.results, *f.parameters)] == ["r", "a", "b"]
    assert (g.declaration, g.directives, g.line) == (False, {"noreturn": ()}, 6)
    assert g.registers == {"r": "u32", "d": "f64"}


def test_a_directive_without_numbers_stands_before_the_body() -> None:
    found = kernel(".entry k() .reqntid WARP_SZ, 2 .noreturn", "trap;")
    assert found.directives == {"reqntid": (32, 2), "noreturn": ()}


@pytest.mark.parametrize("end", [";", " ;\n;", "", "\n"])
def test_a_declaration_may_lack_its_semicolon(end: str) -> None:
    module = parse(f"{HEAD}.extern .func f(.param .b32 x) .noreturn{end} .global .b32 y;")
    assert module.functions["f"].declaration
    assert module.functions["f"].directives == {"noreturn": ()}
    assert list(module.variables) == ["y"]


def test_registers_are_those_declared_singly_and_those_used() -> None:
    found = kernel(
        ".entry k()",
        ".reg .pred p; .reg .b32 %r<100>, a, b<4>; .reg .v4 .f32 v; .reg .b32 %r1x<12>;"
        " mov.u32 %r9, b3; mov.u32 %r99, %r1x11;",
    )
    assert found.registers == {
        "p": "pred",
        "a": "b32",
        "v": "v4.f32",
        "%r9": "b32",
        "b3": "b32",
        "%r99": "b32",
        "%r1x11": "b32",
    }


def test_labels_and_branch_targets() -> None:
    found = kernel(
        ".entry k()",
        ".reg .b32 %r<2>;\nA: B: mov.u32 %r1, 0;\nbrx.idx %r1, ts;\nts: .branchtargets A, $C;\n"
        "p: .callprototype _ ();\n$C: ret;\nEND:",
    )
    assert found.labels == {"A": 0, "B": 0, "$C": 2, "END": 3}
    assert found.branch_targets == {"ts": ("A", "$C")}


def test_comments_line_marks_and_blanks_mean_nothing() -> None:
    plain = kernel(".entry k()", ".reg .b32 %r<2>; add.s32 %r1, %r1, 1; ret;")
    odd = kernel(
        '# 1 "a.cu"\n/* a\n; */.entry\tk//()\n()\r\n',
        ".reg .b32 %r<2>;\nadd.s32 // x;\n%r1,/**/%r1 , 1\n;;ret;",
    )
    assert [i.operands for i in odd.instructions] == [i.operands for i in plain.instructions]
    assert [i.line for i in odd.instructions] == [10, 12]
