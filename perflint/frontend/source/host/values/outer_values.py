"""The values of names out of functions: enumerators, globals, and data members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source.host.objects.class_constants import class_constant, own_constant
from perflint.frontend.source.host.objects.makers import is_set_before, made, sets
from perflint.frontend.source.host.objects.members import setting_of
from perflint.frontend.source.host.objects.origins import member_value
from perflint.frontend.source.host.objects.structs import declares_constructor, struct_of
from perflint.frontend.source.host.values.global_writes import untouched
from perflint.frontend.source.host.values.host_values import AXES
from perflint.frontend.source.host.values.local_values import value_of
from perflint.frontend.source.host.values.runtime_status import status
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.reaching_definitions import concerns
from perflint.frontend.source.language.trees import inner
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment


def global_value(place: Environment, name: str, member: str | None) -> Value | None:
    """The value of what no function declares."""
    if place.outer is not None:
        return place.outer.lookup(name, member)
    last = name.rsplit("::", 1)[-1]
    if member is None:  # an alias may be called as the template it names
        value = class_constant(name, place) if last != name else own_constant(name, place)
        if value is not None:
            return value
    project = place.session.project
    enumerator = project.enumerator(name, place.file, place.place)
    if enumerator is not None and member is None:
        file, text, offset, _ = enumerator
        value = fold(text, place.elsewhere(file, enumerator[3])) if text else None
        start = value if text else Value(0, c_types.INT)
        return c_types.binary("+", start, Value(offset, c_types.INT))
    found = project.global_variable(name, place.file, place.place)
    if found is None:
        value = _set_once(place, name, member)
        if value is None and (first := untouched(place, last, member)) is not None:
            value = value_of(first[0], last, first[1], member, first[1])
        return status(name) if value is None and member is None else value
    file, definition = found
    there = place.elsewhere(file, definition.start)
    constructed = place.constructed(last, file, definition)
    if constructed is not None:
        there, definition = constructed
    elif definition.type == "dim3" and _is_made_out_of_sight(there, last, definition):
        return None
    return value_of(there, last, definition, member, found[1])


def _is_made_out_of_sight(there: Environment, name: str, definition: Definition) -> bool:
    """Whether constructors set a member that its declaration gives no value, and how is not known.

    A library's base class fills what its headers only declare; of constructors in sight the one
    that was entered does not tell what another one sets.
    """
    scopes = there.file.declarations.scopes_at(definition.start)
    if definition.value is not None or not scopes or not scopes[-1].is_class:
        return False
    makers = there.session.project.constructors(scopes[-1].name, there.file)
    if makers:
        return any(sets(file, maker, name) for file, maker in makers)
    found = struct_of(scopes[-1].name, there)
    return found is not None and declares_constructor(*found)


def _set_once(place: Environment, name: str, member: str | None) -> Value | None:
    """The value of a variable out of functions that one place in the program writes."""
    at = place.at if is_set_before(place, name, place.at) else None
    with place.session.look_up(("set", name, place.place, at)) as allowed:
        found = setting_of(place, name, member) if allowed else None
        if found is None:
            return None
        text, there, kind = found
        if member is not None and kind == "dim3":
            if text != name:
                return _axis(there, text, member)
            value = there.member(text, member)
            return _written_axis(there, name, member) if value is None else value
        if member is not None:
            return member_value(there, f"{text}.{member}")
        target = type_of_words(kind.split(), there)
        return None if target is None else c_types.convert(fold(inner(text), there), target)


def _axis(place: Environment, text: str, member: str) -> Value | None:
    """The x, y or z of an expression that makes a dim3."""
    parts = dict(zip(AXES, place.components(text, "dim3") or [], strict=False))
    return c_types.convert(parts[member][1], c_types.UINT) if member in parts else None


def _written_axis(place: Environment, name: str, member: str) -> Value | None:
    """The x, y or z of a member that the constructor around a place sets axis by axis."""
    body = place.body()
    last = body.last(name, place.at, member, place.is_taken, (), True) if body else None
    if body and not any(concerns(d, member) for d in body.definitions.get(name, ())):
        return Value(1, c_types.UINT)
    if not isinstance(last, Definition) or not last.known:
        return None
    return value_of(place, name, last, member, None)


def constructed(
    place: Environment, name: str, file: File, member: Definition
) -> tuple[Environment, Definition] | None:
    """What a constructor gives a data member, and where; None if none names it."""
    scopes = file.declarations.scopes_at(member.start)
    if not scopes or not scopes[-1].is_class:
        return None
    return made(place, name, scopes[-1].name, file)
