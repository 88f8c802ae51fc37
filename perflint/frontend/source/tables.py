"""Elements of constant arrays: a loop over `{32, 64, 128}` launches with each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import Value
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.definitions import Definition
from perflint.frontend.source.lookup import type_of_words
from perflint.frontend.source.reaching import Body
from perflint.frontend.source.trees import children_of

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment


def table_element(
    place: Environment, name: str, index: Value | None, variable: str
) -> Value | None:
    """`name[index]` of an array that nothing writes to; `variable` is an index that is one.

    Raises UndecidedError where the index is not known: each element is an alternative, and the
    same variable means the same alternative in every array.
    """
    if index is not None:
        element = place.member(name, f"[{int(index.number)}]")
        if element is not None:
            return element
    found = _table(place, name)
    if found is None:
        return None
    definition, there = found
    items = children_of(definition.value)
    if index is None:
        own = (id(there.file), definition.start)
        key = ("element", place.identity(variable) if variable else own)
        position = place.session.choose(key, len(items))
    else:
        position = int(index.number)
    if position is None or not 0 <= position < len(items):
        return None
    value = fold(there.file.source.text_of(items[position]), there)
    target = type_of_words(definition.type.split(), there)
    return None if target is None else c_types.convert(value, target)


def _table(place: Environment, name: str) -> tuple[Definition, Environment] | None:
    """The initialised array that a name stands for, if nothing writes to it."""
    body = place.body()
    local = body.visible(name, place.at) if body is not None else None
    if body is not None and (local is not None or name in body.parameters):
        if local is None or (not local.constant and _may_change(place, body, local)):
            return None
        definition, there = local, place.moved(local.start)
    elif place.outer is not None:
        return _table(place.outer, name)
    else:
        found = place.session.project.global_variable(name, place.file, place.place)
        if found is None:
            return None
        definition, there = found[1], place.elsewhere(found[0], found[1].start)
    value = definition.value
    is_list = value is not None and value.type == "initializer_list"
    if not is_list or len(definition.extents) != 1 or definition.pointers:
        return None
    return definition, there


def _may_change(place: Environment, body: Body, declaration: Definition) -> bool:
    if len(body.writes(declaration.name, declaration)) > 1:
        return True
    source = place.file.source
    arguments = (a for c in body.calls for a in children_of(c.child_by_field_name("arguments")))
    return any(a.type == "identifier" and source.text_of(a) == declaration.name for a in arguments)
