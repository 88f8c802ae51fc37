"""The fields of plain structs: where they lie, and what an initialiser list gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import CType, Value
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.declarators import declarator_of, type_words
from perflint.frontend.source.lookup import Names, type_of_words
from perflint.frontend.source.trees import Source, children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.environment import Environment


#: Items of an initialiser list that stand for all of a nested struct or array.
_WHOLE = ("initializer_list", "call_expression", "identifier", "string_literal")


@dataclass(frozen=True)
class Field:
    """One field of a struct."""

    name: str
    type: CType  #: of one element
    offset: int  #: bytes from the struct's start
    extents: tuple[int, ...] = ()

    @property
    def is_nested(self) -> bool:
        """Whether it is a struct or a vector."""
        return self.type.kind == "opaque" and self.type != c_types.POINTER


def fields_of(name: str, place: Environment) -> tuple[Field, ...] | None:
    """The fields of the struct of this name, in order; None where it is not plain or in sight.

    Laid out as the System V ABI has it, which host and device share. Plain is a struct without
    bases, virtual functions, bit-fields and unions.
    """
    for file in place.file.family:
        node = file.declarations.structs.get(name) or _typedef(file.declarations.typedefs, name)
        if node is not None and node.type == "struct_specifier":
            return _fields(file.source, node, place)
    return None


def _typedef(typedefs: dict[str, list[Node]], name: str) -> Node | None:
    """`typedef struct {…} Name;`"""
    nodes = typedefs.get(name, [])
    return nodes[0].child_by_field_name("type") if len(nodes) == 1 else None


def _fields(source: Source, node: Node, names: Names) -> tuple[Field, ...] | None:
    body = node.child_by_field_name("body")
    if body is None or any(c.type == "base_class_clause" for c in children_of(node)):
        return None
    offset = 0
    found: list[Field] = []
    for member in children_of(body):
        if member.type in ("access_specifier", "comment"):
            continue
        kind = member.child_by_field_name("type")
        if (
            member.type != "field_declaration"
            or kind is None
            or "virtual" in _words(source, member)
        ):
            return None  # constructors may set what an initialiser list does not show
        if member.child_by_field_name("default_value") is not None:
            return None
        if "static" in _words(source, member):
            continue
        if any("bitfield" in c.type for c in children_of(member)):
            return None
        base = type_of_words(type_words(source.text_of(kind)).split(), names)
        for declarator in member.children_by_field_name("declarator"):
            name, pointers, _, extents = declarator_of(declarator)
            type_ = c_types.POINTER if pointers else base
            counts = [None if e is None else fold(source.text_of(e), names) for e in extents]
            known = tuple(int(c.number) for c in counts if c is not None)
            if name is None or type_ is None or len(known) < len(counts):
                return None
            step = type_.alignment or type_.size
            offset = -(-offset // step) * step
            found.append(Field(source.text_of(name), type_, offset, known))
            size = type_.size
            for count in known:
                size *= count
            offset += size
    return tuple(found)


def _words(source: Source, node: Node) -> set[str]:
    return {source.text_of(c) for c in node.children if "specifier" in c.type or not c.is_named}


def listed_field(place: Environment, kind: str, value: Node | None, field: str) -> Value | None:
    """What an initialiser list gives a scalar field of a struct; None where that is not known.

    `kind` is the struct's name, `place` where the list stands.
    """
    if value is None or value.type != "initializer_list":
        return None
    fields = fields_of(kind, place)
    position = next((n for n, f in enumerate(fields or ()) if f.name == field), None)
    if fields is None or position is None or fields[position].extents:
        return None
    items = children_of(value)
    own = fields[position]
    nested = [n for n, f in enumerate(fields[:position]) if f.extents or f.is_nested]
    if any(n < len(items) and items[n].type not in _WHOLE for n in nested):
        return None  # the braces around a nested list are left out
    text = _item(place.file.source, items, position, field)
    if text is None:
        return None
    return c_types.convert(fold(text, place), own.type)


def _item(source: Source, items: list[Node], position: int, field: str) -> str | None:
    """The text that an initialiser list has for a field: by its name or its position; else 0."""
    named = [i for i in items if i.type == "initializer_pair"]
    for item in named:
        designator = item.child_by_field_name("designator")
        value = item.child_by_field_name("value")
        if designator is not None and source.text_of(designator).strip(". ") == field:
            return source.text_of(value) if value is not None else None
    if named and len(named) < len(items):
        return None
    return "0" if named or position >= len(items) else source.text_of(items[position])
