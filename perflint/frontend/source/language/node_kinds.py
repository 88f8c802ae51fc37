"""The nodes of a tree by what they are.

The tree is walked. A query of tree-sitter's would find them faster, but to make one of this grammar
takes 10 ms, however short it is: as long as to walk the trees of a dozen files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

#: What lies deeper in the tree is not looked at: text so deeply nested is no program.
DEPTH_LIMIT = 1_000

Kinds = Mapping[str, tuple[str, ...]]  #: by the type of a node: what it is called


def kinds(**types: str) -> Kinds:
    """What nodes of some types are called: the types, with spaces between, by the name."""
    found: dict[str, tuple[str, ...]] = {}
    for name, listed in types.items():
        for type_ in listed.split():
            found[type_] = (*found.get(type_, ()), name)
    return found


def nodes_of(node: Node, called: Kinds) -> dict[str, list[Node]]:
    """The nodes that are `called` something, by the name: a node and all under it, in text order.

    A node stands before what is in it.
    """
    found: dict[str, list[Node]] = {}
    cursor, depth = node.walk(), 0
    below, beside, above = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    while True:
        here = cursor.node
        assert here is not None
        for name in called.get(here.type, ()):
            found.setdefault(name, []).append(here)
        if depth < DEPTH_LIMIT and below():
            depth += 1
            continue
        while not beside():
            if not depth:
                return found
            above()
            depth -= 1
