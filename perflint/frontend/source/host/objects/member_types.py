"""What type a member of an object has: `in.data()` is a `float *` where `in` is a `Buffer<float>`.

Read from the class in sight: a data member's declaration, or what all methods of a name return.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source.host.objects.structs import struct_of
from perflint.frontend.source.language.declarators import declarator_of, template_parameters
from perflint.frontend.source.language.tokens import (
    Token,
    closing_angle,
    inside_angles,
    spell,
    split,
    tokenize,
)
from perflint.frontend.source.language.trees import Source, children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment

_ALIASES = 4  #: names of one type that lead to each other
_DROPPED = ("const", "constexpr", "volatile", "struct", "typename", "&")
#: Containers of C++ and Thrust, of which `data()` points to what their first argument says; and
#: those where it is an object of Thrust's that stands for a pointer.
_CONTAINERS = ("vector", "array", "span", "host_vector")
_ON_DEVICE = ("device_vector",)
POINTER = "thrust::device_ptr"  #: that object's class


def member_of(tokens: Sequence[Token]) -> tuple[str, str, bool] | None:
    """(`a.b`, `data`, whether it is called) of `a.b.data()`; None for any other expression."""
    called = [t.text for t in tokens[-2:]] == ["(", ")"]
    rest = tokens[:-2] if called else tokens
    if len(rest) < 3 or rest[-1].kind != "name" or rest[-2].text not in (".", "->"):
        return None
    if any(t.kind != "name" and t.text not in (".", "->", "(", ")") for t in rest):
        return None
    return spell(rest[:-2]), rest[-1].text, called


def member_type(kind: str, name: str, called: bool, place: Environment) -> Sequence[Token] | None:
    """The type, as written outside of the class `kind`, of its member, or of what that returns."""
    given = tokenize(kind)
    start = next((i for i, t in enumerate(given) if t.text == "<"), len(given))
    end = closing_angle(given, start) if start < len(given) else None
    arguments = split(inside_angles(given, start, end), angles=True) if end is not None else []
    class_ = given[start - 1].text if start else ""
    found = struct_of(class_, place)
    if found is None:
        if not (called and name == "data" and arguments):
            return None
        if class_ in _ON_DEVICE:
            return tokenize(f"{POINTER}<{spell(arguments[0])}>")
        return [*arguments[0], *tokenize("*")] if class_ in _CONTAINERS else None
    node, there = found
    source = there.file.source
    written = {tuple(t.text for t in types) for types in _types(source, node, name, called)}
    if len(written) != 1:
        return None
    head = node.parent if node.parent and node.parent.type == "template_declaration" else None
    parameters = [p.name for p in template_parameters(source, head)]
    bound = dict(zip(parameters, arguments, strict=False))
    return _outside(tokenize(" ".join(*written)), bound, parameters, node, there)


def _types(source: Source, node: Node, name: str, called: bool) -> Iterator[list[Token]]:
    """What the members of a name are declared as, without qualifiers."""
    for member in children_of(node.child_by_field_name("body")):
        kind = member.child_by_field_name("type")
        for declarator in member.children_by_field_name("declarator") if kind is not None else ():
            named, _, _, extents = declarator_of(declarator)
            if named is None or kind is None or source.text_of(named) != name:
                continue
            if _is_function(declarator) == called and not extents:
                marks = source.slice(declarator.start_byte, named.start_byte)
                words = tokenize(f"{source.text_of(kind)} {marks}")
                yield [t for t in words if t.text not in _DROPPED]


def _is_function(declarator: Node | None) -> bool:
    while declarator is not None and declarator.type != "function_declarator":
        inner = declarator.child_by_field_name("declarator")
        declarator = inner or next((c for c in children_of(declarator) if "decl" in c.type), None)
    return declarator is not None


def _outside(
    tokens: Sequence[Token],
    bound: Mapping[str, Sequence[Token]],
    parameters: Collection[str],
    node: Node,
    place: Environment,
) -> Sequence[Token] | None:
    """A type of a class without names that only the class knows; None if one is not known."""
    aliases = _own_aliases(place.file.source, node)
    for _ in range(_ALIASES):
        if {t.text for t in tokens}.isdisjoint(aliases):
            break
        tokens = [x for t in tokens for x in aliases.get(t.text, (t,))]
    names = {t.text for t in tokens if t.kind == "name"}
    nested = {place.file.source.text_of(n) for n in _nested(node)}
    if names & (nested | aliases.keys() | {"auto", "decltype"} | (set(parameters) - bound.keys())):
        return None
    return [x for t in tokens for x in bound.get(t.text, (t,))]


def _own_aliases(source: Source, node: Node) -> dict[str, list[Token]]:
    """`using pointer = T *;` of a class."""
    found = {}
    for member in children_of(node.child_by_field_name("body")):
        name, kind = member.child_by_field_name("name"), member.child_by_field_name("type")
        if member.type == "alias_declaration" and name is not None and kind is not None:
            words = tokenize(source.text_of(kind))
            found[source.text_of(name)] = [t for t in words if t.text not in _DROPPED]
    return found


def _nested(node: Node) -> Iterator[Node]:
    """The names of the types that a class declares within itself."""
    for member in children_of(node.child_by_field_name("body")):
        kind = member.child_by_field_name("type")
        for each in (member, kind):
            if each is None or not each.type.endswith("_specifier"):
                continue
            name = each.child_by_field_name("name")
            if name is not None and each.child_by_field_name("body") is not None:
                yield name
