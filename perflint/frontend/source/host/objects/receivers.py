"""Which call of a constructor made the object that a method is called on.

`Grid small(3), large(n); large.step();`: in `step` of this call the members are those of `large`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.declarators import Definition

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.project.callers import Entrance

_DEEPEST = 6  #: methods of one object that call each other


def made_by(place: Environment, maker: Function) -> int | None:
    """Which of the ways into a constructor made the object of the method around a place.

    None where its caller is not in sight, or does not declare the object with such a call.
    """
    ways = place.session.project.callers(maker)
    if len(ways) < 2 or place.frame is not None:
        return None
    site = _called_on(place)
    if site is None or site.call is None:
        return None
    object_ = site.call.node.child_by_field_name("function")
    named = object_.child_by_field_name("argument") if object_ is not None else None
    there = place.elsewhere(site.file, site.call.node.start_byte)
    body = there.body()
    if named is None or named.type != "identifier" or body is None:
        return None
    declaration = body.visible(site.file.source.text_of(named), there.at)
    if declaration is None or any(
        d is not declaration and d.member is None
        for d in body.writes(declaration.name, declaration)
    ):
        return None
    found = [at for at, way in enumerate(ways) if _makes(way, site, declaration)]
    return found[0] if len(found) == 1 else None


def _called_on(place: Environment) -> Entrance | None:
    """The call on an object through which a method was entered, or one that led to it."""
    for _ in range(_DEEPEST):
        function = place.function
        if function is None or function.constructs or "::" not in function.qualified:
            return None
        site = place.caller(function)
        if site is None or site.call is None or site.call.through_object:
            return site
        place = place.elsewhere(site.file, site.call.node.start_byte)
    return None


def _makes(way: Entrance, site: Entrance, declaration: Definition) -> bool:
    """Whether a constructor is entered from what a variable is declared with."""
    call, value = way.call, declaration.value
    if call is None or value is None or way.file.source is not site.file.source:
        return False
    inside = (*call.arguments, call.node)[0]  # one declaration may make several
    return value.start_byte <= inside.start_byte < value.end_byte
