"""The names by which a text refers to what is declared outside of its functions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tree_sitter import Node

from perflint.frontend.source.language.node_kinds import kinds, nodes_of

#: Members of classes are no names of their own. A prototype's parameters are its own, too.
_KINDS = kinds(
    name="identifier type_identifier namespace_identifier",
    scope="function_definition template_declaration function_declarator",
    declarator="init_declarator declaration parameter_declaration optional_parameter_declaration "
    "for_range_loop pointer_declarator array_declarator",
    reference="reference_declarator",
    type="type_parameter_declaration",
    default="optional_type_parameter_declaration",
)

#: (a stretch of the text, where it begins) → the names in it
References = Callable[[bytes, int], frozenset[bytes]]


def references(root: Node, text: bytes) -> References:
    """What stretches of a text refer to, whose tree is `root`.

    `text` may have spaces where the tree has code: that counts for nothing. A name that a function
    or a template declares for itself is none to what stands outside; that of a variable may be a
    type's beside it, as in `pair &pair`.
    """
    nodes = nodes_of(root, _KINDS)
    scopes = _outermost(nodes.get("scope", ()))
    starts = [start for start, _ in scopes]

    def scope(node: Node) -> int:
        """The scope around a node; -1 if there is none."""
        index = bisect_right(starts, node.start_byte) - 1
        return index if index >= 0 and node.end_byte <= scopes[index][1] else -1

    def of_scopes(nodes: Iterable[Node]) -> set[tuple[int, bytes]]:
        return {(i, node.text or b"") for node in nodes if (i := scope(node)) >= 0}

    types = of_scopes(_declared_types(nodes))
    local = types | of_scopes(_declared(nodes))
    found = [
        (node.start_byte, name)
        for node in nodes.get("name", ())
        if (name := node.text or b"") == text[node.start_byte : node.end_byte]
        and (scope(node), name) not in (types if node.type == "type_identifier" else local)
    ]
    at = [start for start, _ in found]

    def of(piece: bytes, start: int) -> frozenset[bytes]:
        inside = found[bisect_left(at, start) : bisect_left(at, start + len(piece))]
        return frozenset(n for s, n in inside if piece[s - start : s - start + len(n)] == n)

    return of


def _declared(nodes: Mapping[str, Sequence[Node]]) -> Iterator[Node]:
    """The names of variables that declarations among some nodes declare."""
    for node in nodes.get("declarator", ()):
        named = node.children_by_field_name("declarator")
        yield from (n for n in named if n.type == "identifier")
    for node in nodes.get("reference", ()):
        yield from (n for n in node.children if n.type == "identifier")


def _declared_types(nodes: Mapping[str, Sequence[Node]]) -> Iterator[Node]:
    """The names of types that templates among some nodes declare."""
    for node in nodes.get("type", ()):
        yield from (n for n in node.children if n.type == "type_identifier")
    for node in nodes.get("default", ()):
        name = node.child_by_field_name("name")
        if name is not None and name.type == "type_identifier":
            yield name


def _outermost(nodes: Iterable[Node]) -> list[tuple[int, int]]:
    """The spans of the nodes that lie in no other of them, in the text's order."""
    spans: list[tuple[int, int]] = []
    for node in nodes:
        if not spans or node.start_byte >= spans[-1][1]:
            spans.append((node.start_byte, node.end_byte))
    return spans
