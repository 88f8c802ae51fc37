"""How plain structs lie in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import CType
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.declarators import declarator_of, type_words
from perflint.frontend.source.lookup import Names, type_of_words
from perflint.frontend.source.trees import Source, children_of

if TYPE_CHECKING:
    from tree_sitter import Node


def struct_layout(source: Source, node: Node, names: Names) -> CType | None:
    """A plain struct's size and alignment (System V ABI); None with bases or bit-fields."""
    body = node.child_by_field_name("body")
    if body is None or any(c.type == "base_class_clause" for c in children_of(node)):
        return None
    offset, alignment = 0, 1
    for field in children_of(body):
        if field.type in ("function_definition", "access_specifier", "declaration"):
            continue
        kind = field.child_by_field_name("type")
        declarators = field.children_by_field_name("declarator")
        if field.type != "field_declaration" or kind is None:
            return None
        if any(d.type == "function_declarator" for d in declarators):
            continue
        if "static" in {source.text_of(c) for c in field.children if "specifier" in c.type}:
            continue
        base = type_of_words(type_words(source.text_of(kind)).split(), names)
        for declarator in declarators:
            _, pointers, _, extents = declarator_of(declarator)
            member = c_types.POINTER if pointers else base
            if member is None or any("bitfield" in c.type for c in children_of(field)):
                return None
            count = 1
            for extent in extents:
                value = None if extent is None else fold(source.text_of(extent), names)
                if value is None:
                    return None
                count *= int(value.number)
            step = member.alignment or member.size
            offset = -(-offset // step) * step + member.size * count
            alignment = max(alignment, step)
    size = -(-offset // alignment) * alignment
    return CType("struct", "opaque", size, alignment=alignment) if size else None
