"""Where variables get values, and the regions of code that run under a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflint.frontend.source.declarators import declarator_of, type_words
from perflint.frontend.source.trees import Source, children_of

if TYPE_CHECKING:
    from tree_sitter import Node


_LEAVES = ("return_statement", "break_statement", "throw_statement")


_SPACES = {"__shared__": "shared", "__constant__": "constant", "__device__": "global"}


_CASE_LIMIT = 5_000


_EXITS = ("exit", "abort", "_exit", "usage")


@dataclass(frozen=True, eq=False)
class Definition:
    """One place where a variable gets a value, or may."""

    name: str
    start: int  #: byte offset
    member: str | None = None  #: `x` in `block.x = 4`
    value: Node | None = None  #: the value's expression, argument list or initialiser list
    known: bool = True  #: False: written in a way that tells nothing of the value
    declares: bool = False
    type: str = ""  #: the declared type's words
    pointers: int = 0
    extents: tuple[Node | None, ...] = ()
    constant: bool = False  #: const or constexpr
    static: bool = False
    space: str = ""  #: `shared`, `constant`, `global` by `__shared__` and its kin
    scope_end: int = 0  #: for declarations: where the name goes out of scope


@dataclass(frozen=True, eq=False)
class Region:
    """Code that runs under a condition, any number of times, or later."""

    kind: str  #: `then`, `else`, `loop`, `case`, `lambda`, `other`
    start: int
    end: int
    node: Node
    group: int = 0  #: the statement it belongs to
    leaves: bool = False  #: control never falls out of its end


def declared(source: Source, node: Node, scope_end: int) -> list[Definition]:
    """The variables of a declaration."""
    kind = node.child_by_field_name("type")
    if kind is None:
        return []
    words = type_words(source.text_of(kind))
    head = set(source.slice(node.start_byte, kind.start_byte).split())
    head |= {source.text_of(c) for c in node.children if c.type == "type_qualifier"}
    space = next((s for word, s in _SPACES.items() if word in head), "")
    result = []
    for child in node.children_by_field_name("declarator"):
        value = child.child_by_field_name("value")
        inner = (
            child.child_by_field_name("declarator") if child.type == "init_declarator" else child
        )
        if inner is not None and inner.type == "function_declarator":
            # `dim3 grid(w, h)` with names for arguments reads as a function's declaration.
            parameters = inner.child_by_field_name("parameters")
            if words == "dim3" and value is None:
                value, inner = parameters, inner.child_by_field_name("declarator")
        name, pointers, reference, extents = declarator_of(inner)
        if name is None:
            continue
        if node.type == "field_declaration":
            value = _default_value(node, child)
        result.append(
            Definition(
                source.text_of(name),
                child.start_byte,
                value=value,
                known=not reference or "const" in head,
                declares=True,
                type=words,
                pointers=pointers,
                extents=tuple(extents),
                constant=bool(head & {"const", "constexpr"}),
                static="static" in head,
                space=space,
                scope_end=scope_end,
            )
        )
        if reference and "const" not in head and value is not None and value.type == "identifier":
            # Through `int &alias = n`, n may change unseen.
            result.append(Definition(source.text_of(value), child.start_byte, known=False))
    return result


def _default_value(member: Node, declarator: Node) -> Node | None:
    """The initialiser of one of a member declaration's declarators: `int a = 1, b = 2;`"""
    following = member.children[member.children.index(declarator) + 1 :]
    value = next((c for c in following if c.type in (",", ";") or c.is_named), None)
    if value is not None and value.type == "bitfield_clause":
        return None
    return value if value is not None and value.is_named else None


def shifted(node: Node) -> list[Node]:
    """The right operands of `stream >> a >> b`."""
    result = []
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        right = current.child_by_field_name("right")
        if right is not None:
            result.append(right)
        current = current.child_by_field_name("left")
    return result


_WHOLE_REGIONS = {
    **{"while": "loop", "do": "loop", "range": "loop", "lambda": "lambda"},
    **{"catch": "other", "preproc": "other", "conditional": "other"},
}


def regions_of(source: Source, found: dict[str, list[Node]]) -> list[Region]:
    """The regions of a function, from its captured statements, in text order."""
    result = []
    for node in found.get("if", ()):
        for kind, part in (("then", "consequence"), ("else", "alternative")):
            child = node.child_by_field_name(part)
            if child is not None:
                leaves = _leaves(source, child)
                result.append(Region(kind, child.start_byte, child.end_byte, node, node.id, leaves))
    for node in found.get("for", ()):
        first = node.child_by_field_name("initializer")
        start = first.end_byte if first is not None else node.start_byte
        result.append(Region("loop", start, node.end_byte, node, node.id))
    for node in found.get("case", ())[:_CASE_LIMIT]:
        parent = node.parent
        group = parent.id if parent is not None else node.id
        leaves = _leaves(source, node)
        result.append(Region("case", node.start_byte, node.end_byte, node, group, leaves))
    for name, kind in _WHOLE_REGIONS.items():
        result += (
            Region(kind, node.start_byte, node.end_byte, node, node.id)
            for node in found.get(name, ())
        )
    return sorted(result, key=lambda r: (r.start, -r.end))


def _leaves(source: Source, node: Node) -> bool:
    """Whether a statement ends in return, break, throw or exit()."""
    for _ in range(8):
        children = children_of(node)
        if node.type in _LEAVES:
            return True
        if node.type == "expression_statement" and children:
            call = children[0].child_by_field_name("function")
            return call is not None and source.text_of(call) in _EXITS
        if node.type not in ("compound_statement", "else_clause", "case_statement") or not children:
            return False
        node = children[-1]
    return False
