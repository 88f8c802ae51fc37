"""Globals that functions set as a run goes on: `blocks = n / 256;` before a launch.

What the function around a place has set is read as a local is, as long as nothing that it calls in
between may set it otherwise. What one other function leaves is read where that ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source.host.calls.exits import exit_of
from perflint.frontend.source.host.objects.makers import is_handed_on
from perflint.frontend.source.host.values.choices import DEPTH_LIMIT
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.reaching_definitions import concerns
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.project.sight import Project

_CALLS = 64  #: functions that are looked at for whether they lead to one that sets a global


def is_set_here(place: Environment, name: str, member: str | None) -> bool:
    """Whether the function around a place has set a global before it, and nobody else since."""
    body, function = place.body(), place.function
    if body is None or function is None or _declaration(place, name) is None:
        return False
    writes = [d.start for d in body.writes(name, None) if concerns(d, member)]
    if not any(start < place.at for start in writes):
        return False
    others = [f for f, _ in setters(place, name, member) if f is not function]
    return not others or not _leads_to(place, _called(place, min(writes)), others)


def left_by_one(
    place: Environment, name: str, member: str | None, starts_unset: bool
) -> Environment | None:
    """Where the one function in the program that sets a global has done so before a place.

    That it has is taken for granted of what starts with nothing.
    """
    found = setters(place, name, member)
    if len(found) != 1 or found[0][0] is place.function or _declaration(place, name) is None:
        return None
    setter, file = found[0]
    inside = {c.name for c in file.body(setter).named_calls}
    if place.function is not None and _leads_to(place, inside, [place.function]):
        above = next((p for p in _callers(place) if p.function is setter), None)
        if above is not None:
            return above if is_set_here(above, name, member) else None
    if not starts_unset and not any(_has_called(p, setter) for p in (place, *_callers(place))):
        return None
    left = exit_of(place.elsewhere(file, setter.node.start_byte))
    return place.elsewhere(file, left.at) if left is not None else None


def untouched(
    place: Environment, name: str, member: str | None
) -> tuple[Environment, Definition] | None:
    """What a global, or a member of it, starts with, where nobody has set it yet."""
    found = _declaration(place, name)
    if found is None or place.session.project.writes.is_given_away(name):
        return None
    by = [f for f, _ in setters(place, name, member)]
    called = (f.name == "main" or place.session.project.callers(f) for f in by)
    if by and not (all(called) and _is_before(place, by, name, member)):
        return None
    return place.elsewhere(found[0], found[1].start), found[1]


def setters(place: Environment, name: str, member: str | None) -> list[tuple[Function, File]]:
    """The functions in sight that set what no function declares, in whatever way."""
    project = place.session.project
    known, key = project.setters, (name, member)
    if key not in known:
        known[key] = [
            (function, file)
            for file in project.neighbours(name)
            for function in file.functions_naming(name)
            if _sets(project, name, member, file, function)
        ]
    return known[key]


def _sets(project: Project, name: str, member: str | None, file: File, function: Function) -> bool:
    body = file.body(function)
    if name in body.parameters:
        return name in body.escaping
    plain = any(
        not d.declares and concerns(d, member) and body.visible(name, d.start) is None
        for d in body.definitions.get(name, ())
    )
    return plain or name in body.escaping or is_handed_on(project, body, name, file)


def _declaration(place: Environment, name: str) -> tuple[File, Definition] | None:
    """Where a plain number or struct out of functions and classes is declared."""
    found = place.session.project.global_variable(name, place.file, place.place, written=True)
    if found is None or found[1].pointers or found[1].extents or found[1].constant:
        return None
    scopes = found[0].declarations.scopes_at(found[1].start)
    return None if scopes and scopes[-1].is_class else found


def _called(place: Environment, since: int) -> set[str]:
    """What the function around a place calls before it, from an offset on or in a loop around."""
    body = place.body()
    assert body is not None
    around = [r for r in body.enclosing(place.at) if r.kind in ("loop", "lambda")]
    since = min([since, *(r.start for r in around)])
    until = max([place.at, *(r.end for r in around)])
    return {c.name for c in body.named_calls if since <= c.node.start_byte < until}


def _leads_to(place: Environment, names: set[str], wanted: Sequence[Function]) -> bool:
    """Whether calling functions of these names may enter one of those wanted."""
    project, ends = place.session.project, {f.name for f in wanted}
    seen: set[str] = set()
    waiting = sorted(names)
    while waiting:
        name = waiting.pop(0)
        if name in ends or len(seen) > _CALLS:
            return True
        seen.add(name)
        inside = {
            call.name
            for file in project.neighbours(name)
            for function in file.declarations.by_name.get(name, ())
            for call in file.body(function).named_calls
        }
        waiting += sorted(inside - seen - set(waiting))
    return False


def _callers(place: Environment) -> Iterator[Environment]:
    """The calls through which a place is reached, the nearest first."""
    for _ in range(DEPTH_LIMIT):
        given = place.passed(place.function) if place.function is not None else None
        if given is None:
            return
        place = given.place
        yield place


def _has_called(place: Environment, setter: Function) -> bool:
    """Whether the function around a place has called another before it, always."""
    body = place.body()
    if body is None:
        return False
    around = body.enclosing(place.at)
    return any(
        call.name == setter.name
        and call.node.start_byte < place.at
        and all(region in around for region in body.enclosing(call.node.start_byte))
        for call in body.named_calls
    )


def _is_before(place: Environment, by: Sequence[Function], name: str, member: str | None) -> bool:
    """Whether nothing that ran since the program began has called one of some functions."""
    last = place
    for last in (place, *_callers(place)):
        body = last.body()
        if body is None or _leads_to(place, _called(last, body.start), by):
            return False
        around = [r.end for r in body.enclosing(last.at) if r.kind in ("loop", "lambda")]
        until = max([last.at, *around])
        if any(d.start < until for d in body.writes(name, None) if concerns(d, member)):
            return False
    return last.function is not None and last.function.name == "main"
