"""Values that calls write through references and pointers: `config(n, grid, block)`.

Such a call is a definition of its argument like an assignment. What it writes is read at the exit
of the function that is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source.host.calls.exits import exit_of
from perflint.frontend.source.host.calls.frames import texts_of
from perflint.frontend.source.host.calls.results import enter
from perflint.frontend.source.host.objects.object_methods import (
    METHOD,
    entered_method,
    written_by_methods,
)
from perflint.frontend.source.language.body_writes import COPIED_FROM, PITCHES, POINTEE
from perflint.frontend.source.language.declarations import call_of
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.reaching_definitions import Body, Given

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment


def written_by_calls(place: Environment, name: str) -> list[Definition]:
    """The writes that calls in the function around a place make to one of its variables."""
    body, function = place.body(), place.function
    if body is None or function is None:
        return []
    if not any(name in known for known in (body.given, body.receivers, body.given_members)):
        return []
    declaration = body.visible(name, place.at)
    if declaration is not None and declaration.constant:
        return []
    known = place.session.project.handed
    key = (function.node.id, name, declaration.start if declaration is not None else -1)
    if key not in known:
        known[key] = _writes(place, body, name, declaration)
    return known[key]


def _writes(
    place: Environment, body: Body, name: str, declaration: Definition | None
) -> list[Definition]:
    result = [*written_by_methods(place, body, name, declaration)]
    for given in body.given.get(name, ()):
        start = given.call.node.start_byte
        if body.visible(name, start) is not declaration:
            continue
        through = _is_pointer(place, name, declaration) and _fills(place, given)
        if through or _may_write(place, declaration, given):
            known = given.call.template is None and not given.call.through_object
            call, member = given.call.node, POINTEE if through else None
            result.append(
                Definition(name, start, member, None, known, call=call, position=given.position)
            )
    for given in body.given_members.get(name, ()):
        start = given.call.node.start_byte
        if body.visible(name, start) is declaration and _may_write_member(place, given):
            result.append(
                Definition(name, start, given.member, call=given.call.node, position=given.position)
            )
    return sorted(result, key=lambda d: d.start)


def _may_write_member(place: Environment, given: Given) -> bool:
    """Whether a call of a function in sight may write the member that it gets."""
    if given.address:
        found = place.session.project.neighbours(given.call.name)
        known = (f for file in found for f in file.declarations.by_name.get(given.call.name, ()))
        return any(f.body is not None for f in known)
    writes = place.session.project.writes
    return writes.takes_reference(given.call.name, given.position, place.file, unseen=False)


def _is_pointer(place: Environment, name: str, declaration: Definition | None) -> bool:
    """Whether a variable, or a parameter, of the function around a place is a pointer."""
    if declaration is not None:
        return declaration.pointers == 1
    parameter = place.function.parameter(name) if place.function is not None else None
    return parameter is not None and parameter.pointers == 1


def _fills(place: Environment, given: Given) -> bool:
    """Whether a call writes to members of what the pointer that it gets points to."""
    writes = place.session.project.writes
    return not given.address and writes.fills(given.call.name, given.position)


def _may_write(place: Environment, declaration: Definition | None, given: Given) -> bool:
    if given.address:
        # what is only read, or told by the call itself
        return given.position not in (
            COPIED_FROM.get(given.call.name),
            PITCHES.get(given.call.name, (None,))[0],
        )
    writes = place.session.project.writes
    name, position = given.call.name, given.position
    is_array = declaration is not None and bool(declaration.extents)
    return writes.takes_reference(name, position, place.file) or (
        is_array and writes.may_fill(name, position, place.file)
    )


def written(place: Environment, definition: Definition) -> tuple[str, Environment, bool] | None:
    """What a call leaves in a variable: the parameter's name, where it holds the value.

    `this` where the variable is the object whose method is called. Also whether the parameter is a
    pointer to the variable. None where the function is not in sight or its end cannot be told.
    `place` is in the function that calls.
    """
    if definition.call is None:
        return None
    body = place.body()
    if definition.position == METHOD and body is not None:
        ended = entered_method(place, body, definition)
        return None if ended is None else ("this", ended, False)
    there = place.moved(definition.start)
    call = definition.call
    key = ("entered", call.id, there.key)
    entered = place.session.remembered(key, lambda: _entered(call, there), common=False)
    if entered is None or entered.function is None:
        return None
    if definition.position >= len(entered.function.parameters):
        return None
    parameter = entered.function.parameters[definition.position]
    with place.session.look_up(("exit", entered.key)) as allowed:
        left = exit_of(entered) if allowed else None
    if left is None:
        return None
    return parameter.name, entered.moved(left.at), parameter.pointers > 0


def _entered(node: Node, there: Environment) -> Environment | None:
    call = call_of(there.file.source, node)
    if call is None:
        return None
    template = tuple(there.file.source.text_of(n) for n in call.template or ())
    name = call.name if not template else f"{call.name}<{', '.join(template)}>"
    function = node.child_by_field_name("function")
    if function is not None and function.type == "qualified_identifier":
        name = "".join(there.file.source.text_of(function).split())
    return enter(there, name, texts_of(call, there.file))
