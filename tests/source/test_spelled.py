"""Nodes that are found by their text: no comment, no string, no part of a longer name is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.frontend.source.language.node_kinds import kinds, nodes_of
from perflint.frontend.source.language.trees import Source, spelled

TEXT = """
struct S { int n; };
void f(int n, S s, int *nn) {
    // n, not this one
    int other_n = n + s.n; /* n */
    const char *text = "n";
    for (int i = 0; i < n; i++) nn[i] = n$ + n;
    n();
}
"""


@pytest.mark.parametrize("word", ["n", "s", "nn", "other_n", "i", "absent", ""])
def test_names_are_the_identifiers_of_that_text(word: str) -> None:
    source = Source(Path("a.cu"), TEXT, frozenset())
    root = source.tree.root_node
    every = nodes_of(root, kinds(name="identifier"))["name"]
    wanted = [n.start_byte for n in every if source.text_of(n) == word]
    found = [n for n in spelled(root, source.bytes, word) if n.type == "identifier"]
    assert [n.start_byte for n in found] == wanted
    assert bool(wanted) == (word not in ("absent", ""))


def test_only_what_stands_under_the_node_counts() -> None:
    source = Source(Path("a.cu"), "int f() { return 1; }\nint g() { return 2; }\n", frozenset())
    first = source.tree.root_node.children[0]
    assert len(list(spelled(first, source.bytes, "return"))) == 1
    assert len(list(spelled(source.tree.root_node, source.bytes, "return"))) == 2
