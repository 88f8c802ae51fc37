"""What a definition gives a local variable, or a member or an element of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source.host.calls.outputs import written
from perflint.frontend.source.host.objects.containers import element, element_type
from perflint.frontend.source.host.objects.object_methods import METHOD
from perflint.frontend.source.host.objects.origins import member_value
from perflint.frontend.source.host.objects.struct_fields import listed_field
from perflint.frontend.source.host.objects.vector_lists import behind
from perflint.frontend.source.host.options.named_options import names_option
from perflint.frontend.source.host.options.option_loops import is_told, left
from perflint.frontend.source.host.values.host_values import (
    AXES,
)
from perflint.frontend.source.host.values.loops import value_behind
from perflint.frontend.source.host.values.roots import type_of
from perflint.frontend.source.host.values.runtime_answers import answered_in
from perflint.frontend.source.host.values.statements import step_text
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.body_writes import POINTEE
from perflint.frontend.source.language.c_types import ELEMENTS, UINT, CType, Value
from perflint.frontend.source.language.constant_folding import fold, select
from perflint.frontend.source.language.declarators import Definition, Region
from perflint.frontend.source.language.lookup import Hidden, type_of_words
from perflint.frontend.source.language.reaching_definitions import PARAMETER
from perflint.frontend.source.language.tokens import bare, spell, tokenize
from perflint.frontend.source.language.trees import children_of, inner

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment


def changed(
    place: Environment, name: str, member: str | None, found: Definition | Region | None
) -> Value | None:
    """The value of a variable that a step or a loop before the place has changed."""
    if isinstance(found, Region) and found.node.type == "for_range_loop" and member is None:
        return behind(place, name, found)
    if isinstance(found, Region):
        if is_told(place, found):
            return left(place, name, member, found, type_of(place, name, member))
        return value_behind(place, name if member is None else f"{name}.{member}", found)
    if found is None or found.step is None or found.member != member:
        return None
    kind = place.declared_words(name)[0]
    target = ELEMENTS.get(kind) if member else type_of_words(kind.split(), place)
    if target is None:
        return None
    with place.session.look_up(("step", found.start, place.frame_key)) as allowed:
        there = place.moved(found.start)
        value = fold(step_text(found.step, place), there) if allowed else None
    return c_types.convert(value, target)


def merged(
    place: Environment, name: str, member: str | None, last: Definition | Region | None
) -> Value | None:
    """The value of a variable that one arm of a branch before the place sets, as a formula.

    What decides the branch is not known, but is computed of roots.
    """
    body = place.body()
    if not place.inventing or last is not None or body is None:
        return None
    branch = body.branch_behind(name, place.at, member)
    condition = branch.child_by_field_name("condition") if branch is not None else None
    if branch is None or condition is None:
        return None
    text = spell(bare(tokenize(place.file.source.text_of(condition))))
    if names_option(text):
        return None  # whether it is asked for
    holds = fold(text, place.moved(condition.start_byte))
    if holds is None or holds.term is None or holds.term.turns:
        return None
    arms = [branch.child_by_field_name(f) for f in ("consequence", "alternative")]
    ends = [branch.start_byte if arm is None else arm.end_byte - 1 for arm in arms]
    one, other = (place.moved(end).lookup(name, member) for end in ends)
    return None if one is None or other is None else select(holds, one, other)


def of_lambda(
    place: Environment, given: list[tuple[str, Environment]], name: str, member: str | None
) -> Value | None:
    """The value of a lambda's parameter, or of a member of it, that one call gives it."""
    if not given:
        return None
    text, there = given[0]
    kind = place.declared_words(name)[0]
    if member is not None and kind in ELEMENTS and member in AXES:
        parts = there.components(text, kind)
        index = AXES.index(member)
        return parts[index][1] if parts is not None and index < len(parts) else None
    if member is not None:
        return member_value(there, f"{text}.{member}")
    value = fold(text, there)
    target = type_of_words(kind.split(), place)
    return c_types.convert(value, target) if target is not None else value


def output(place: Environment, definition: Definition, member: str | None) -> Value | None:
    """What a call leaves in a variable, or in a member of it."""
    found = written(place, definition)
    if found is None:
        return None
    name, there, pointer = found
    if definition.position == METHOD:
        return member_value(there, f"this.{member}")
    if definition.member is not None and definition.member != POINTEE:  # `f(g.x)`
        if member is None or not f"{member}.".startswith(f"{definition.member}."):
            return None
        member = member.removeprefix(definition.member).lstrip(".") or None
    if member is None and pointer:
        return there.pointee(name)
    return there.variable(name) if member is None else there.member(name, member)


def pointee(place: Environment, name: str) -> Value | None:
    """The value of `*name`, a parameter of the function around the place."""
    definition, body = place.reaching(name, POINTEE), place.body()
    first = place.reaching(name, "[0]")  # `p[0] = 4` is `*p = 4`
    if definition is PARAMETER or (definition and first and first.start > definition.start):
        definition = first
    last = body.last(name, place.at, POINTEE, place.is_taken) if body is not None else None
    if isinstance(last, Region) and is_told(place, last):
        return left(place, name, POINTEE, last, pointee_type(place, name))
    function = place.function
    told = definition is None or definition is PARAMETER
    if told and place.inventing and answered_in(place, f"*{name}") is not None:
        return place.unreadable(Hidden(f"*{name}", base=name, depth=1, subscripts=1))
    if definition is None or function is None:
        return None
    kind = pointee_type(place, name)
    if definition is PARAMETER and _is_handed_on(place, name):
        return None
    if definition is PARAMETER:
        passed = place.argument(function, function.position(name))
        if passed is None or not passed[0].startswith("&"):
            return None
        return fold(passed[0][1:], passed[1])
    if definition.member not in (POINTEE, "[0]") or kind is None:
        return None
    return c_types.convert(
        fold(place.definition_text(definition), place.moved(definition.start)), kind
    )


def _is_handed_on(place: Environment, name: str) -> bool:
    """Whether the function around a place gives a pointer to another one, which may write there."""
    body, writes = place.body(), place.session.project.writes
    return body is not None and any(
        given.call.node.start_byte < place.at
        and not given.address
        and writes.may_fill(given.call.name, given.position, place.file)
        for given in body.given.get(name, ())
    )


def pointee_type(place: Environment, name: str) -> CType | None:
    function = place.function
    if function is None or all(p.name != name for p in function.parameters):
        return None
    return place.parameter_type(function.parameters[function.position(name)])


def value_of(
    place: Environment,
    name: str,
    definition: Definition,
    member: str | None,
    declaration: Definition | None,
) -> Value | None:
    """The value that a definition gives a variable, or a parameter (no declaration)."""
    there = place.moved(definition.start)
    kind = declaration.type if declaration is not None else place.declared_words(name)[0]
    if member is not None and member.startswith("["):
        return element_of(place, definition, member, declaration)
    if declaration is not None and (declaration.pointers or declaration.extents):
        return None
    if member is not None:
        element = ELEMENTS.get(kind) or (UINT if kind == "auto" else None)
        if definition.member is not None:
            value = fold(there.definition_text(definition), there)
            return value if element is None else c_types.convert(value, element)
        if element is None:
            return listed_field(there, kind, definition.value, member)
        if definition.value is None and (kind != "dim3" or definition.elsewhere):
            return None
        parts = there.components(place.definition_text(definition), kind)
        index = AXES.index(member) if member in AXES else 9
        if parts is None or index >= len(parts):
            return None
        return c_types.convert(parts[index][1], element)
    if definition.value is None:
        return None
    value = fold(inner(place.definition_text(definition)), there)
    if kind == "auto":
        return value
    target = type_of_words(kind.split(), place)
    return None if target is None else c_types.convert(value, target)


def element_of(
    place: Environment, definition: Definition, member: str, declaration: Definition | None
) -> Value | None:
    """The value that a definition gives the element `member` of an array."""
    kind = element_type(declaration.type) if declaration is not None else ""
    if declaration is not None and kind and not declaration.extents and not declaration.pointers:
        return _of_vector(place, definition, member, kind)
    if declaration is None or declaration.pointers or len(declaration.extents) != 1:
        return None
    there = place.moved(definition.start)
    value: Value | None = None
    if definition.member is not None:
        value = fold(there.definition_text(definition), there)
    elif definition.value is not None and definition.value.type == "initializer_list":
        items, position = children_of(definition.value), int(member[1:-1])
        if position < len(items):
            value = fold(place.file.source.text_of(items[position]), there)
        elif declaration.extents:
            value = Value(0, c_types.INT)  # what a list leaves out is zero
    target = type_of_words(declaration.type.split(), place)
    return None if target is None else c_types.convert(value, target)


def _of_vector(place: Environment, definition: Definition, member: str, kind: str) -> Value | None:
    """The value of a vector's element: written to it, or what it was made with."""
    found: tuple[str, Environment] | None
    if definition.member is not None:
        there = place.moved(definition.start)
        found = there.definition_text(definition), there
    else:
        found = element(place, definition.name, int(member[1:-1]))
    target = type_of_words(kind.split(), place)
    if found is None or target is None:
        return None
    return c_types.convert(fold(*found), target)
