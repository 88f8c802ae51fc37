"""What structs are made of: their data members, with types and defaults."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.declarators import (
    declarator_of,
    default_value,
    is_method,
    type_words,
)
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.trees import Source


def is_number(kind: str, place: Environment) -> bool:
    """Whether a type's words name an arithmetic one."""
    found = type_of_words(kind.split(), place) if kind else None
    return found is not None and found.kind != "opaque" and found != c_types.POINTER


#: Names of one type that lead to each other: `typedef layer dropout_layer;`.
_ALIASES = 4


def struct_of(name: str, place: Environment) -> tuple[Node, Environment] | None:
    """A struct by name, and where it is declared; None where it is not in sight."""
    for _ in range(_ALIASES):
        alias = ""
        for file in place.file.family:
            node = file.declarations.structs.get(name)
            listed = file.declarations.typedefs.get(name, ()) if node is None else ()
            inner = listed[0].child_by_field_name("type") if len(listed) == 1 else None
            if inner is not None and inner.child_by_field_name("body") is not None:
                node = inner  # `typedef struct {…} Config;`
            elif inner is not None:
                alias = alias or type_words(file.source.text_of(inner)).split()[-1]
            if node is not None:
                return node, place.elsewhere(file, node.start_byte)
        if alias in ("", name):
            return None
        name = alias
    return None


@dataclass(frozen=True, eq=False)
class Field:
    """A data member of a class."""

    name: str
    type: str
    pointers: int
    reference: bool
    extents: tuple[Node | None, ...]
    default: Node | None
    constant: bool = False  #: a number or an object that nothing may write to


@lru_cache(maxsize=512)
def fields(node: Node, source: Source) -> tuple[Field, ...]:
    """The data members of a class, in order, without static ones."""
    result: list[Field] = []
    for member in children_of(node.child_by_field_name("body")):
        kind = member.child_by_field_name("type")
        if member.type != "field_declaration" or kind is None:
            continue
        if "static" in source.slice(member.start_byte, kind.start_byte).split():
            continue
        constant = any(source.text_of(c) == "const" for c in member.children)
        for declarator in member.children_by_field_name("declarator"):
            name, pointers, reference, extents = declarator_of(declarator)
            if name is None or is_method(declarator):
                continue
            result.append(
                Field(
                    source.text_of(name),
                    source.text_of(kind),
                    pointers,
                    reference,
                    tuple(extents),
                    default_value(member, declarator),
                    constant and not pointers and not reference,
                )
            )
    return tuple(result)


def fields_named(name: str, place: Environment) -> list[tuple[str, str, str | None]]:
    """As `fields_of`, of the struct of a name; [] where it is not in sight."""
    found = struct_of(name, place)
    return fields_of(*found) if found is not None else []


def fields_of(node: Node, place: Environment) -> list[tuple[str, str, str | None]]:
    """(name, type, default) of a struct's data members, in order."""
    source = place.file.source
    return [
        (
            each.name,
            type_words(each.type),
            source.text_of(each.default) if each.default is not None else None,
        )
        for each in fields(node, source)
    ]


def declares_constructor(node: Node, place: Environment) -> bool:
    """Whether a struct says that constructors make it, which may be defined out of sight."""
    name, source = node.child_by_field_name("name"), place.file.source
    if name is None:
        return False
    for member in children_of(node.child_by_field_name("body")):
        if member.type not in ("declaration", "function_definition", "template_declaration"):
            continue
        if any(c.type == "default_method_clause" for c in children_of(member)):
            continue
        if member.type == "template_declaration":
            member = children_of(member)[-1]
        declared = member.child_by_field_name("declarator")
        if declared is not None and declared.type == "function_declarator":
            written = declared.child_by_field_name("declarator")
            if written is not None and source.text_of(written) == source.text_of(name):
                return True
    return False
