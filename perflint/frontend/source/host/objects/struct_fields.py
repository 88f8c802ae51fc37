"""The fields of plain structs: where they lie, and what an initialiser list gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.struct_layout import Field, Layout, layout_of
from perflint.frontend.source.language.trees import Source, children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment


#: Items of an initialiser list that stand for all of a nested struct or array.
_WHOLE = ("initializer_list", "call_expression", "identifier", "string_literal")


def fields_of(name: str, place: Environment) -> tuple[Field, ...] | None:
    """The fields of the struct of this name, in order; None where it is not plain or in sight.

    Plain is a struct that `layout_of` can lay out and of which an initialiser list shows all: one
    without methods, constructors among them, and without defaults.
    """
    for source, node in _of_name(name, place):
        if node.type == "struct_specifier" and _is_shown(node):
            found = layout_of(source, node, place)
            return None if found is None else found.fields
    return None


def laid_out(name: str, place: Environment) -> Layout | None:
    """How the first struct of this name lies in memory; None where that is not in sight."""
    return next((layout_of(source, node, place) for source, node in _of_name(name, place)), None)


def _of_name(name: str, place: Environment) -> Iterator[tuple[Source, Node]]:
    """The definitions of a struct, and of what a typedef calls so."""
    for file in place.file.family:
        node = file.declarations.structs.get(name) or _typedef(file.declarations.typedefs, name)
        if node is not None:
            yield file.source, node


def _typedef(typedefs: dict[str, list[Node]], name: str) -> Node | None:
    """`typedef struct {…} Name;`"""
    nodes = typedefs.get(name, [])
    return nodes[0].child_by_field_name("type") if len(nodes) == 1 else None


def _is_shown(node: Node) -> bool:
    """Whether an initialiser list shows all that a struct's fields are made with."""
    return all(
        member.type in ("access_specifier", "comment")
        or (
            member.type == "field_declaration"
            and member.child_by_field_name("default_value") is None
            and all(
                d.type != "function_declarator" for d in member.children_by_field_name("declarator")
            )
        )
        for member in children_of(node.child_by_field_name("body"))
    )


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
