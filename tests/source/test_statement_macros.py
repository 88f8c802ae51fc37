"""Macros that stand for whole statements do not keep the source from being read."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.frontend.source.project.sight import Project

HEAD = "#define STEP s = v - s;\n#define STEPS STEP STEP\n#define SIZE 64;\n#define EMPTY\n"


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("{ /* twice */ STEPS STEPS\n STEPS STEP }", "{ /* twice */ ;     ;    \n ;     ;    }"),
        ("{ for (;;) STEP s += v; }", "{ for (;;) ;    s += v; }"),
        ("{ STEP; STEPS ; }", "{ STEP; STEPS ; }"),
        ("{ s = SIZE }", "{ s = SIZE }"),
        ("{ s = STEP }", "{ s = STEP }"),
    ],
    ids=["a row", "behind a head", "with a semicolon", "a number", "no place for a statement"],
)
def test_a_macro_of_statements(body: str, read: str) -> None:
    source = Project(
        Path("a.cu"), f"{HEAD}__global__ void k(int s, int v) {body}\n", {}
    ).main.source
    assert source.text.split("int v) ")[1].rstrip("\n") == read


def test_a_row_is_understood() -> None:
    text = f"{HEAD}__global__ void k(int s, int v) {{ STEPS STEPS STEPS }}\n"
    assert not Project(Path("a.cu"), text, {}).main.source.tree.root_node.has_error
