"""Conditional lines inside of functions are no lines to the parser; all others stay."""

from __future__ import annotations

import pytest

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
    "an unclosed branch": b"void f() {\n#if A\n  if (a) {\n#else\n  {\n#endif\n  }\n}\n",
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
