"""Globals that functions set as a run goes on: `blocks = n / 256;` before a launch.

What the function around a place has set is read as a local is, as long as nothing that it calls in
between may set it otherwise. What one other function leaves is read where that ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source.choices import DEPTH_LIMIT
from perflint.frontend.source.declarations import Function
from perflint.frontend.source.exits import exit_of
from perflint.frontend.source.files import File
from perflint.frontend.source.makers import is_handed_on

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment
    from perflint.frontend.source.project import Project

_CALLS = 64  #: functions that are looked at for whether they lead to one that sets a global


def is_set_here(place: Environment, name: str) -> bool:
    """Whether the function around a place has set a global before it, and nobody else since."""
    body, function = place.body(), place.function
    if body is None or function is None or not _is_global(place, name):
        return False
    writes = [d.start for d in body.writes(name, None) if d.start < place.at]
    if not writes:
        return False
    others = [f for _, f in writers(place.session.project, name) if f is not function]
    around = [r.start for r in body.enclosing(place.at) if r.kind in ("loop", "lambda")]
    since = min([*writes, *around])
    names = {c.name for c in body.named_calls if since <= c.node.start_byte < place.at}
    return not others or not _leads_to(place.session.project, names, others)


def left_by_one(place: Environment, name: str, starts_unset: bool) -> Environment | None:
    """The end of the one function in the program that sets a global, if it has run by then.

    That it has is taken for granted of what starts with nothing.
    """
    found = writers(place.session.project, name)
    if len(found) != 1 or found[0][1] is place.function or not _is_global(place, name):
        return None
    file, function = found[0]
    if not starts_unset and not _has_run(place, function):
        return None
    left = exit_of(place.elsewhere(file, function.node.start_byte))
    return place.elsewhere(file, left.at) if left is not None else None


def writers(project: Project, name: str) -> list[tuple[File, Function]]:
    """The functions in sight that set what no function declares, in whatever way."""
    return [
        (file, function)
        for file in project.neighbours(name)
        if name in file.source.text
        for function in file.declarations.functions
        if _sets(project, name, file, function)
    ]


def _sets(project: Project, name: str, file: File, function: Function) -> bool:
    body = file.body(function)
    if name in body.parameters:
        return False
    plain = any(
        not d.declares and body.visible(name, d.start) is None
        for d in body.definitions.get(name, ())
    )
    return plain or is_handed_on(project, body, name, file)


def _is_global(place: Environment, name: str) -> bool:
    """Whether a name is a plain number or struct out of functions and classes."""
    found = place.session.project.global_variable(name, place.file, place.place, written=True)
    if found is None or found[1].pointers or found[1].extents or found[1].constant:
        return False
    scopes = found[0].declarations.scopes_at(found[1].start)
    return not (scopes and scopes[-1].is_class)


def _leads_to(project: Project, names: set[str], wanted: list[Function]) -> bool:
    """Whether calling functions of these names may enter one of those wanted."""
    ends = {f.name for f in wanted}
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


def _has_run(place: Environment, setter: Function) -> bool:
    """Whether one of the functions that led to a place has called another before, always."""
    for _ in range(DEPTH_LIMIT):
        function = place.function
        given = place.passed(function) if function is not None else None
        if given is None:
            return False
        place = given.place
        body = place.body()
        around = body.enclosing(place.at) if body is not None else []
        if body is not None and any(
            call.name == setter.name
            and call.node.start_byte < place.at
            and all(region in around for region in body.enclosing(call.node.start_byte))
            for call in body.named_calls
        ):
            return True
    return False
