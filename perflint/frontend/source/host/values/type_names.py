"""The types that are written in the host code: of variables, and by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.calls.lambdas import lambda_parameter
from perflint.frontend.source.host.objects.class_templates import argument_of_object
from perflint.frontend.source.host.values.statement_macros import inside_macro
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.declarators import Definition, type_words
from perflint.frontend.source.language.lookup import Declared, type_of_words
from perflint.frontend.source.language.reaching_definitions import is_of_range

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.project.files import File

#: Types of 16 bits that no constant has: only their size is of use.
_TWO_BYTES = ("Half", "BFloat16", "__half", "half", "__nv_bfloat16", "nv_bfloat16")

#: What stands for a type parameter that nothing gives, where numbers are invented: kernels are
#: then compiled for `float` or `int`, which have its size. Of what is computed in such a type only
#: that of an index is known, by its name: `index_t`, `SizeT`.
ASSUMED = c_types.INT
INDEX_TYPE = pattern(r"(?i)(?:idx|ind|int|size|off|vert|count|ord|len|num|id)\w*")


def type_named(place: Environment, name: str) -> CType | None:
    """The scalar type of a name; None where it is none in sight."""
    function = place.function
    macro = place.macros.get(name)
    if macro is not None and macro.known and macro.parameters is None:
        words = [t.text for t in macro.body]
        return None if not words or words == [name] else type_of_words(words, place)
    if function is None or not place.is_template_type(name):
        if place.outer is not None:
            return place.outer.type(name)
        if (given := argument_of_object(name, place)) is not None:
            return _written_type(*given)
        text = place.dispatched(name)
        if text is not None and text != name:
            return c_types.POINTER if "*" in text else type_of_words(text.split(), place)
        return _named_type(place, name)
    with place.session.look_up(("type", function.node.id, name)) as allowed:
        if not allowed:
            return None
        found = _given_type(place, function, name)
        if found is None:
            return ASSUMED if place.inventing and INDEX_TYPE.match(name) else None
        return _written_type(*found)


def _written_type(text: str, place: Environment) -> CType | None:
    """The scalar type that a template argument is."""
    if "*" in text:
        return c_types.POINTER
    return type_of_words(type_words(text).split(), place)


def _given_type(
    place: Environment, function: Function, name: str
) -> tuple[str, Environment] | None:
    """What a call gives for a type parameter of the function around, and where that stands."""
    from perflint.frontend.source.host.calls.instances import deduced  # it looks names up here

    return deduced(name, function, place) or place.template_argument(function, name)


def assumes(place: Environment, name: str) -> bool:
    """Whether a name is a type parameter of the function around that no call in sight gives."""
    function = place.function
    if not place.inventing or function is None or not place.is_template_type(name):
        return False
    return _given_type(place, function, name) is None


def _named_type(place: Environment, name: str) -> CType | None:
    if name.rsplit("::", 1)[-1] in _TWO_BYTES:
        return CType(name, "opaque", 2)
    enumeration = place.session.project.enumeration(name.rsplit("::", 1)[-1], place.file)
    if enumeration is not None:
        base = enumeration[1].split()
        return type_of_words(base, place) if base and base != [name] else c_types.INT
    if name not in place.session.project.type_names(place.file):
        return c_types.PLATFORM.get(name.rsplit("::", 1)[-1])
    with place.session.look_up(("named type", name)) as allowed:
        if not allowed:
            return None
        found = _of_own_alias(place, name) or place.session.project.type(name, place, place.file)
    # `typedef typename Config::Index IndexType`, of a class that is not known
    is_assumed = found is None and place.inventing and INDEX_TYPE.match(name) is not None
    return ASSUMED if is_assumed and _is_of_another(place, name) else found


def _of_own_alias(place: Environment, name: str) -> CType | None:
    """The type of an alias of the function or class around, which others may have, too."""
    own = place.local_alias(name)
    words = type_words(own[0]).split() if own is not None else []
    if own is None or not words or words == [name]:
        return None
    return c_types.POINTER if "*" in own[0] else type_of_words(words, own[1])


def _is_of_another(place: Environment, name: str) -> bool:
    """Whether a name is an alias of what another type, `Config::Index`, declares."""
    return any(
        (target := node.child_by_field_name("type")) is not None
        and "::" in f.source.text_of(target)
        for f in place.file.family
        for node in f.declarations.typedefs.get(name, ())
    )


def declared_as(place: Environment, name: str) -> Declared | None:
    """What a variable is declared as; None where that is not in sight."""
    body, function = place.body(), place.function
    definition = body.visible(name, place.at) if body is not None else None
    there: Environment = place
    parameter = function.parameter(name) if function is not None else None
    if definition is None and parameter is not None:
        return Declared(place.parameter_type(parameter), parameter.pointers)
    if definition is None and place.outer is not None:
        return place.outer.declared(name)
    if definition is None:
        found = place.session.project.global_variable(name, place.file, place.place, written=True)
        if found is None:
            return None
        definition = found[1]
        there = place.elsewhere(found[0], definition.start)
    extents = []
    for node in definition.extents:
        value = None if node is None else fold(there.file.source.text_of(node), there)
        extents.append(None if value is None else int(value.number))
    kind = type_of_words(definition.type.split(), there)
    return Declared(kind, definition.pointers, tuple(extents))


def local_alias(place: Environment, name: str) -> tuple[str, Environment] | None:
    """What an alias inside a function or class stands for, and where it is declared."""
    found: list[tuple[File, Node]] = []
    for file in place.file.family:
        for node in file.declarations.typedefs.get(name, ()):
            around = file.declarations.function_at(node.start_byte)
            scopes = file.declarations.scopes_at(node.start_byte)
            own = around is not None and around is place.function
            if own or any(s.is_class and s.name in place.place for s in scopes):
                found.append((file, node))
    own_ones = [n for f, n in found if f is place.file and _is_around(n, place.at)]
    if own_ones:  # each block may have one of its own
        found = [(place.file, own_ones[-1])]
    for file, node in found:
        target = node.child_by_field_name("type")
        if target is not None:
            return file.source.text_of(target), place.elsewhere(file, node.start_byte)
    return None


def _is_around(alias: Node, at: int) -> bool:
    """Whether an alias stands before a place, in a function's block that the place is in, too."""
    block = alias.parent
    is_block = block is not None and block.type in ("compound_statement", "case_statement")
    return is_block and alias.start_byte < at < block.end_byte  # type: ignore[union-attr]


def declaration(place: Environment, name: str) -> tuple[str, Definition | None]:
    """A variable's declared type, and its declaration where it is not a parameter."""
    body, function = place.body(), place.function
    if body is not None and function is not None:
        if (inside := inside_macro(place, name)) is not None:
            return inside.declaration(name)
        local = body.visible(name, place.at)
        if local is not None and local.type == "auto" and is_of_range(local):
            from perflint.frontend.source.host.values.range_loops import (
                element_words,  # types are asked there
            )

            return element_words(place.moved(local.start), local), local
        if local is not None:
            return local.type, local
        if inner := lambda_parameter(place, name):
            return inner[2].type, None
        if parameter := function.parameter(name):
            return parameter.type, None
    if place.outer is not None:
        return place.outer.declaration(name)
    found = place.session.project.global_variable(name, place.file, place.place)
    return (found[1].type, found[1]) if found is not None else ("", None)


def declared_words(place: Environment, name: str) -> tuple[str, int]:
    """A variable's type as words, and how many pointers or extents deep it is."""
    function = place.function
    kind, definition = place.declaration(name)
    if definition is not None:
        return kind, definition.pointers + len(definition.extents)
    parameter = function.parameter(name) if function is not None else None
    if not kind and parameter is None:  # a member that is written: its type stays
        found = place.session.project.global_variable(name, place.file, place.place, written=True)
        if found is not None:
            return found[1].type, found[1].pointers + len(found[1].extents)
    return kind, parameter.pointers if parameter is not None else 0
