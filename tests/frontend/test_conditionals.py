"""Conditional lines inside of functions are no lines to the parser; all others stay."""

from __future__ import annotations

import pytest

from perflint.frontend.nvrtc.blank import blank, host_cuts
from perflint.frontend.nvrtc.conditionals import without_conditionals

INSIDE = b"""\
#ifndef GUARD
namespace a {
struct S {
#ifdef X
  int x;
#endif
  int f(struct S *s) const {
    #  if A(1) /* a */
    if (s) { g("#endif }"); }
    #elif B
    h(); // {
    #else
    for (;;)
    #endif
    { k('}'); }
  }
};
}
#endif
"""
KEPT = {
    "an unclosed branch": b"void f() {\n#if A\n  if (a) {\n#else\n  {\n    {\n#endif\n  }\n}\n",
    "no other branch": b"void f() {\n#if A\n  if (a) {\n#endif\n  }\n}\n",
    "declarations behind comments": b"#if A\n// f(int)\nf();\n#else\n/*,*/ // (b)\nint b;\n#endif",
    "a declaration in each branch": b"f\n#if A\n(int);\n#else\nvoid g();\n#endif\n",
    "a branch that closes more": b"void f() {\n#if A\n  }\n  void g() {\n#endif\n}\n",
    "no code": b"void f() {\n#if 0\n  don't { parse\n#endif\n}\n",
    "at the level of declarations": b"#if A\nvoid f() {}\n#else\nvoid f() {}\n#endif\n",
}


def test_those_in_bodies_go() -> None:
    lines = without_conditionals(INSIDE).split(b"\n")
    assert [i for i, line in enumerate(lines) if b"#" in line] == [0, 3, 5, 8, 18]
    assert list(map(len, lines)) == list(map(len, INSIDE.split(b"\n")))


@pytest.mark.parametrize("case", KEPT)
def test_others_stay(case: str) -> None:
    assert without_conditionals(KEPT[case]) == KEPT[case]


def test_of_branches_that_open_the_same_one_is_left() -> None:
    code = b"#if A\nvoid f(int a) {\n#elif B\nvoid f() {\n#else\nvoid f(long a) {\n#endif\n}\n"
    assert without_conditionals(code).split() == b"void f(int a) { }".split()
    device = code.replace(b"void f()", b"__device__ void f()")
    assert without_conditionals(device).split() == b"__device__ void f() { }".split()


def test_of_branches_that_end_a_declaration_one_is_left_and_all_go_with_it() -> None:
    code = b"void f\n#if A\n(int a);\n#else\n();\n#endif\nint b;\n"
    assert without_conditionals(code).split() == b"void f (int a); int b;".split()
    assert blank(code, host_cuts(code)).split() == b"#if A #else #endif int b;".split()


def test_a_kernel_behind_such_branches_stays() -> None:
    code = b"void f\n#if A\n(int a);\n#else\n(int b);\n__global__ void k();\n#endif\n"
    assert b"__global__ void k();" in blank(code, host_cuts(code))
