"""Whose an error is: the user's, or what we lack."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perflint.frontend.nvrtc.diagnostics import parse
from perflint.frontend.nvrtc.enclosing_declaration import Declaration
from perflint.frontend.nvrtc.genuine import Doubts, is_genuine

DOUBTS = Doubts(
    missing=False, removed=frozenset(), macros=frozenset(), fragment=False, undefined=0, words={}
)


@pytest.mark.parametrize(
    ("code", "genuine"),
    [
        ("__device__ int f(int a, int b[;", True),
        # without `std::vector` the compiler wants a bracket where its `<` stands
        ("__device__ Geometry(const std::vector<char>& bytes);", False),
    ],
)
def test_expected_bracket(code: str, genuine: bool) -> None:
    [diagnostic] = parse('a.cu(1): error: expected a ")"\n')
    declaration = Declaration("device", "f", 0, len(code), 1, 1)
    assert is_genuine(diagnostic, declaration, code, DOUBTS) is genuine


@pytest.mark.parametrize("newer", [False, True])
def test_a_parser_that_stumbles_over_the_words_of_another_dialect(newer: bool) -> None:
    """Where both complain, what C++20 has may be what ours cannot read."""
    [diagnostic] = parse("a.cu(1): error: expected a declaration\n")
    declaration = Declaration("device", "f", 0, 1, 1, 1, (1,))
    assert is_genuine(diagnostic, declaration, "}", replace(DOUBTS, newer=newer)) is not newer
