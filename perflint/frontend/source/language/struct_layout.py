"""How plain structs lie in memory."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import (
    ALIGNED,
    declarator_of,
    is_method,
    type_words,
)
from perflint.frontend.source.language.lookup import Names, type_of_words
from perflint.frontend.source.language.trees import Source, children_of

if TYPE_CHECKING:
    from tree_sitter import Node

#: What a struct's body may hold that takes no room.
_NO_ROOM = (
    *("function_definition", "access_specifier", "declaration", "comment", "alias_declaration"),
    *("friend_declaration", "template_declaration", "static_assert_declaration", "type_definition"),
)


@dataclass(frozen=True)
class Field:
    """One field of a struct."""

    name: str
    type: CType  #: of one element
    offset: int  #: bytes from the struct's start
    extents: tuple[int, ...] = ()
    words: str = ""  #: its type as written, pointers aside

    @property
    def is_nested(self) -> bool:
        """Whether it is a struct or a vector."""
        return self.type.kind == "opaque" and self.type != c_types.POINTER

    @property
    def end(self) -> int:
        """Where it ends, in bytes from the struct's start."""
        return self.offset + self.type.size * prod(self.extents)


@dataclass(frozen=True)
class Layout:
    """The fields of a struct, in order, and the room that it takes."""

    fields: tuple[Field, ...]
    size: int  #: bytes, the padding at its end included
    alignment: int


def struct_layout(source: Source, node: Node, names: Names) -> CType | None:
    """A plain struct as a type of which the size is known; None where that is not."""
    found = layout_of(source, node, names)
    if found is None or not found.size:
        return None
    return CType("struct", "opaque", found.size, alignment=found.alignment)


def layout_of(source: Source, node: Node, names: Names) -> Layout | None:
    """Where a struct's fields lie (System V ABI, which host and device share).

    None with bases, virtual functions, bit-fields, unions without a name and an alignment of its
    own, and where a type or an extent is not known.
    """
    body = node.child_by_field_name("body")
    if body is None or any(c.type == "base_class_clause" for c in children_of(node)):
        return None
    head = source.slice(node.start_byte, body.start_byte)
    if node.type == "union_specifier" or ALIGNED.search(head):
        return None
    offset, alignment = 0, 1
    found: list[Field] = []
    for member in children_of(body):
        words = {source.text_of(c) for c in member.children if "specifier" in c.type}
        if "virtual" in words | {source.text_of(c) for c in member.children if not c.is_named}:
            return None
        if member.type in _NO_ROOM:
            continue
        kind = member.child_by_field_name("type")
        declarators = member.children_by_field_name("declarator")
        if member.type != "field_declaration" or kind is None:
            return None
        if any(map(is_method, declarators)) or "static" in words:
            continue
        if not declarators and kind.child_by_field_name("name") is None:
            return None  # its members are this struct's
        if any("bitfield" in c.type for c in children_of(member)):
            return None
        written = type_words(source.text_of(kind))
        base = type_of_words(written.split(), names)
        for declarator in declarators:
            name, pointers, _, extents = declarator_of(declarator)
            type_ = c_types.POINTER if pointers else base
            counts = [None if e is None else fold(source.text_of(e), names) for e in extents]
            known = tuple(int(c.number) for c in counts if c is not None)
            if name is None or type_ is None or len(known) < len(counts):
                return None
            step = type_.alignment or type_.size
            offset = -(-offset // step) * step
            found.append(Field(source.text_of(name), type_, offset, known, written))
            offset = found[-1].end
            alignment = max(alignment, step)
    return Layout(tuple(found), -(-offset // alignment) * alignment, alignment)
