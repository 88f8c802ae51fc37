"""The names by which a text refers to what is declared outside of its functions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable

from tree_sitter import Node

from perflint.frontend.source.language.trees import captures

#: Members of classes are no names of their own.
_NAMES = "[(identifier) (type_identifier) (namespace_identifier)] @name"
#: What declares names for itself. A prototype's parameters are its own, too.
_SCOPES = "[(function_definition) (template_declaration) (function_declarator)] @scope"
_LOCAL = """[
  (init_declarator declarator: (identifier) @local)
  (declaration declarator: (identifier) @local)
  (parameter_declaration declarator: (identifier) @local)
  (optional_parameter_declaration declarator: (identifier) @local)
  (for_range_loop declarator: (identifier) @local)
  (pointer_declarator declarator: (identifier) @local)
  (array_declarator declarator: (identifier) @local)
  (reference_declarator (identifier) @local)
]"""
_LOCAL_TYPE = """[
  (type_parameter_declaration (type_identifier) @type)
  (optional_type_parameter_declaration name: (type_identifier) @type)
]"""
_PATTERN = f"{_SCOPES}\n{_LOCAL}\n{_LOCAL_TYPE}\n{_NAMES}"  #: at once: to make a query takes long

#: (a stretch of the text, where it begins) → the names in it
References = Callable[[bytes, int], frozenset[bytes]]


def references(root: Node, text: bytes) -> References:
    """What stretches of a text refer to, whose tree is `root`.

    `text` may have spaces where the tree has code: that counts for nothing. A name that a function
    or a template declares for itself is none to what stands outside; that of a variable may be a
    type's beside it, as in `pair &pair`.
    """
    nodes = captures(root, _PATTERN)
    scopes = _outermost(nodes.get("scope", ()))
    starts = [start for start, _ in scopes]

    def scope(node: Node) -> int:
        """The scope around a node; -1 if there is none."""
        index = bisect_right(starts, node.start_byte) - 1
        return index if index >= 0 and node.end_byte <= scopes[index][1] else -1

    def of_scopes(nodes: Iterable[Node]) -> set[tuple[int, bytes]]:
        return {(i, node.text or b"") for node in nodes if (i := scope(node)) >= 0}

    types = of_scopes(nodes.get("type", ()))
    local = types | of_scopes(nodes.get("local", ()))
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


def _outermost(nodes: Iterable[Node]) -> list[tuple[int, int]]:
    """The spans of the nodes that lie in no other of them, in the text's order."""
    spans: list[tuple[int, int]] = []
    for node in nodes:
        if not spans or node.start_byte >= spans[-1][1]:
            spans.append((node.start_byte, node.end_byte))
    return spans
