"""Through which call a function of the host code is entered, and what that passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source.host.calls.frames import Passed, texts_of
from perflint.frontend.source.host.options import program_arguments
from perflint.frontend.source.host.values.choices import DEPTH_LIMIT
from perflint.frontend.source.host.values.host_values import (
    AXES,
)
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import ELEMENTS, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.project.callers import Entrance

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment


def caller_of(place: Environment, function: Function) -> Entrance | None:
    """How the function is entered in this session."""
    sites = place.session.project.callers(function)
    key = ("caller", function.node.id)
    index = place.session.choose(key, len(sites))
    if place.session.invention is not None and key not in place.session.choices:
        own = (i for i, s in enumerate(sites) if not place.session.is_elsewhere(key[1], s))
        index = next(own, None)
    if index is None or not sites:
        return None
    place.session.note("entered", function.node.id, sites[index])
    # Of explicit instantiations for types, one is like the other.
    if _names_types(sites[index]) and any(map(_names_types, sites[:index])):
        place.session.note("spare", None)
    return sites[index]


def parameter_value(
    place: Environment, function: Function, name: str, member: str | None
) -> Value | None:
    """The value of a parameter, or of a member of it, as the caller passes it."""
    position = function.position(name)
    parameter = function.parameters[position]
    if name == "argc" or (function.name == "main" and not position):
        return program_arguments.count(place, name)
    found = place.argument(function, position)
    if found is None or (parameter.pointers and member is None):
        return None
    text, there = found
    if member is not None and member.startswith("["):
        return there.member(text, member) if text.isidentifier() else None
    if member is not None:
        element = ELEMENTS.get(parameter.type)
        parts = there.components(text, parameter.type)
        if element is None or parts is None or member not in AXES[: len(parts)]:
            return None
        return c_types.convert(parts[AXES.index(member)][1], element)
    target = place.parameter_type(parameter)
    value = fold(text, there)
    return value if target is None else c_types.convert(value, target)


def argument_of(
    place: Environment, function: Function, position: int
) -> tuple[str, Environment] | None:
    """What the caller passes for a parameter, and where; its default where it passes none."""
    given = place.passed(function)
    if given is None:
        project = place.session.project
        alone = not project.callers(function) and not project.is_in_macros(function)
        return _default(place, function, position) if alone else None
    if given.arguments is None:
        return None
    if position < len(given.arguments):
        return given.arguments[position], given.place
    return _default(place, function, position)


def _default(
    place: Environment, function: Function, position: int
) -> tuple[str, Environment] | None:
    """A parameter's default, and where it is written."""
    found = place.session.project.default(function, position)
    if found is None:
        return None
    text, file, at = found
    return text, place.moved(at) if file is None else place.elsewhere(file, at)


def passed_to(place: Environment, function: Function) -> Passed | None:
    """What the function is given in this session, and where that is written."""
    if place.frame is not None and place.frame.function is function:
        return place.frame.passed
    site = place.caller(function)
    if site is None:
        return None
    template = tuple(site.file.source.text_of(n) for n in site.template or ())
    if site.call is not None:
        there = place.at_call(site.file, site.call.node.start_byte, site.outer)
        return Passed(texts_of(site.call, site.file), template, there)
    at = site.template[0].start_byte if site.template else 0
    return Passed(None, template, place.elsewhere(site.file, at))


def template_argument_of(
    place: Environment, function: Function, name: str
) -> tuple[str, Environment] | None:
    """What the caller gives for a template parameter of a function, and where."""
    parameter = function.template_parameter(name)
    if parameter is None:
        return None
    position = function.template.index(parameter)
    given = place.passed(function)
    if given is not None and position < len(given.template):
        return given.template[position], given.place
    if given is None and place.session.project.is_in_macros(function):
        return None  # a macro in sight may give another
    default = parameter.default
    return None if default is None else (default, place.moved(function.node.start_byte))


def identity_of(place: Environment, name: str) -> object:
    """What tells one local variable from all others; a parameter's is the caller's."""
    for _ in range(DEPTH_LIMIT):
        body, function = place.body(), place.function
        if body is None or function is None:
            break
        declaration = body.visible(name, place.at)
        if declaration is not None:
            return (function.node.id, declaration.start)
        if name not in body.parameters:
            break
        found = place.argument(function, function.position(name))
        if found is None or not found[0].isidentifier():
            return (function.node.id, name)
        name, place = found
    return name


def _names_types(site: Entrance) -> bool:
    given = site.template or ()
    return site.call is None and all(n.type == "type_descriptor" for n in given)
