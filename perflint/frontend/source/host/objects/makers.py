"""What the constructors of an object give its data members, those of its base classes included.

An object of a derived class is made by several constructors: its own, and that of each base, which
runs first and gets the arguments of the initialiser list. Which class an object is of, and which of
the constructors made it, is a choice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source.host.calls.exits import exit_of
from perflint.frontend.source.host.calls.frames import texts_of
from perflint.frontend.source.host.calls.results import enter
from perflint.frontend.source.host.objects.receivers import made_by
from perflint.frontend.source.language.body_writes import PITCHES
from perflint.frontend.source.language.declarations import Call, Function
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.reaching_definitions import Body
from perflint.frontend.source.language.trees import argument_texts, inner
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.project.callers import Entrance
    from perflint.frontend.source.project.sight import Project

_DEEPEST = 6  #: classes between the one that is made and the one that has the member

Made = tuple["Environment", Definition]


def made(place: Environment, member: str, class_: str, near: File) -> Made | None:
    """What a constructor gives a data member of `class_`, and where that stands.

    None where none names it; a definition that is not known where the value is not settled.
    Within a constructor it is that one, which no other choice stands beside.
    """
    project = place.session.project
    own = next((c for c in reversed(place.around) if class_ in project.lineage(c)), class_)
    makers = project.makers(own, near)
    inside = place.function if place.frame is not None else None
    if inside is not None and any(maker is inside for _, maker in makers):
        return given(place.moved(inside.node.start_byte), member)  # of this very object
    key = ("constructor", own)
    around = [at for at, (_, maker) in enumerate(makers) if maker is place.function]
    if around and len(makers) > 1:
        place.session.follow(key, around[0], len(makers))
    index = around[0] if around else place.session.choose(key, len(makers))
    if index is None:
        return None
    file, function = makers[index]
    if (way := made_by(place, function)) is not None:
        count = len(project.callers(function))
        place.session.follow(("caller", function.node.id), way, count)
    if any(_is_of_derived(site, function.constructs) for site in project.callers(function)):
        site = place.caller(function)
        if site is not None and _is_of_derived(site, function.constructs):
            place.session.note("never", None)  # it makes an object of another class
    here = place.at if function is place.function else None
    found = given(place.elsewhere(file, function.node.start_byte), member, until=here)
    if found is None and len(makers) > 1 and _is_left_unset(member, class_, makers, near):
        place.session.note("never", None)  # of such an object nobody reads the member
    return found


def is_set_before(place: Environment, member: str, at: int | None) -> bool:
    """Whether the constructor around a place itself sets a data member before `at`, a place in it.

    And no method of the object that it calls.
    """
    body = place.body()
    if at is None or body is None or place.function is None or not place.function.constructs:
        return False
    earlier = any(write.start < at for write in own_writes(body, member))
    return earlier and _writing_call(place, member) is None


def _is_left_unset(
    member: str, class_: str, makers: Sequence[tuple[File, Function]], near: File
) -> bool:
    """Whether constructors that do not name a member leave it unset, while another one sets it."""
    definitions = [
        d
        for d in near.variables.get(member, ())
        if any(s.name == class_ for s in near.declarations.scopes_at(d.start)[-1:])
    ]
    if len(definitions) != 1 or definitions[0].value is not None or definitions[0].type == "dim3":
        return False
    return any(sets(file, maker, member) for file, maker in makers)


def sets(file: File, maker: Function, member: str) -> bool:
    """Whether a constructor gives a data member a value, in its list or its body."""
    return member in maker.initialisers or bool(own_writes(file.body(maker), member))


def _is_of_derived(site: Entrance, class_: str) -> bool:
    """Whether a constructor of a class is entered from the list of a derived one's."""
    call = site.call
    if call is None or call.node.type != "field_initializer" or call.name != class_:
        return False
    around = site.file.declarations.function_at(call.node.start_byte)
    return around is not None and around.constructs != class_


def given(there: Environment, member: str, depth: int = 0, until: int | None = None) -> Made | None:
    """As `made`, by the constructor around a place: in its body, its list, or by a base's.

    Also by methods of the same object that it calls, and these call. What it has set before
    `until`, a place in it, is what the member is there: `n = -1; …; if (n == -1) n = 128;`.
    """
    function, body = there.function, there.body()
    if function is None or body is None or depth > _DEEPEST:
        return None
    writes = own_writes(body, member)
    called = _writing_call(there, member)
    if called is not None and (not writes or writes[-1].start < called.node.start_byte):
        return _left_by(there, called, member, depth)
    if writes:
        end = until if is_set_before(there, member, until) and until else body.end - 1
        last = body.settled(writes, end, there.moved(end).is_taken)
        last = last or Definition(member, writes[-1].start, known=False)
        return there.moved(last.start), last
    if (value := function.initialisers.get(member)) is not None:
        return there.moved(value.start_byte), Definition(member, value.start_byte, value=value)
    if not (own := function.constructs):
        return None
    for class_ in (own, *there.session.project.bases(own)):
        listed = _listed(function, class_)
        if listed is None and class_ == own:
            continue  # it hands nothing on to another of its class's constructors
        text = function.source.text_of(listed) if listed is not None else "()"
        entered = enter(there, f"{class_}::{class_}", argument_texts(text) or [])
        found = given(entered, member, depth + 1) if entered is not None else None
        if found is not None:
            return found
    return None


def _listed(function: Function, class_: str) -> Node | None:
    """What a constructor's initialiser list hands to one of a class: `Frame<float>(grid, w)`."""
    for name, value in function.initialisers.items():
        if name.split("<")[0].strip().rsplit("::", 1)[-1] == class_:
            return value
    return None


def _writing_call(there: Environment, member: str) -> Call | None:
    """The last call of a method of the same object that may write one of its members."""
    from perflint.frontend.source.host.objects.object_methods import (
        own_calls,
        writes_of_call,  # it asks what constructors give
    )

    function, body = there.function, there.body()
    if function is None or body is None or not function.method:
        return None
    class_, project = function.qualified.split("::")[-2], there.session.project
    writing = (c for c in own_calls(body) if member in writes_of_call(project, class_, c))
    return max(writing, key=lambda c: c.node.start_byte, default=None)


def _left_by(there: Environment, call: Call, member: str, depth: int) -> Made:
    """What a call of a method of the same object leaves in a member of it."""
    at, body, function = call.node.start_byte, there.body(), there.function
    unknown = there.moved(at), Definition(member, at, known=False)
    if function is None or body is None or body.enclosing(at):
        return unknown
    name = f"{function.qualified.split('::')[-2]}::{call.name}"
    entered = enter(there.moved(at), name, texts_of(call, there.file), on="this")
    if entered is None:
        return unknown
    with there.session.look_up(("exit", entered.key)) as allowed:
        left = exit_of(entered) if allowed else None
    whole = entered.body()
    if left is None or whole is None or left.at < whole.end - 1:
        return unknown  # it may return before it writes
    return given(entered, member, depth + 1) or unknown


def own_writes(body: Body, member: str) -> list[Definition]:
    """What a method writes to a member of its own object."""
    plain = [d for d in body.definitions.get(member, ()) if body.visible(member, d.start) is None]
    found = [*body.own.get(member, ()), *(plain if member not in body.parameters else ())]
    return sorted(found, key=lambda d: d.start)


def hands_over(file: File, function: Function, member: str) -> bool:
    """Whether a function only gives an object's member what another of its class has there."""
    if not function.copies:
        return False
    other = function.parameters[0].name
    of = rf"(?:(?:std::)?(?:move|exchange)\()?{other}\.{member}(?:,[^()]*)?\)?"
    values = [d.value for d in own_writes(file.body(function), member)]
    values += [v for v in (function.initialisers.get(member),) if v is not None]
    texts = ("" if v is None else inner(file.source.text_of(v)) for v in values)
    return all(re.fullmatch(of, "".join(text.split())) for text in texts)


def is_made_only(place: Environment, member: str, class_: str, owner: File) -> bool:
    """Whether nothing but constructors of a class, and of those derived of it, sets a member.

    Of functions out of sight that is not asked here: what they are given may be set before.
    """
    project = place.session.project
    family = {class_, *project.derived(class_)}
    for file in project.neighbours(member):
        for function in file.functions_naming(member):
            body = file.body(function)
            is_own = not family.isdisjoint(function.qualified.split("::")[-2:-1])
            if is_own and hands_over(file, function, member):
                continue
            if is_own and not function.constructs and own_writes(body, member):
                return False
            if is_own and is_handed_on(project, body, member, file, unseen=False):
                return False
            through = body.through.get(member, set()) - {"this"}
            if through and project.writes.escapes(member, body, class_, owner):
                return False
    return True


def is_filled_unseen(place: Environment, name: str) -> bool:
    """Whether a function gives a variable, none of its own, to one out of sight: by reference?"""
    project = place.session.project
    return any(
        is_handed_on(project, file.body(function), name, file)
        for file in project.neighbours(name)
        for function in file.functions_naming(name)
    )


def is_handed_on(project: Project, body: Body, name: str, file: File, unseen: bool = True) -> bool:
    """Whether a function gives a variable, which is none of its own, to one that may write it.

    One that is not in sight may, with `unseen`.
    """
    if name in body.parameters or body.visible(name, body.end - 1) is not None:
        return False
    return any(
        (g.address and PITCHES.get(g.call.name, (None,))[0] != g.position)
        or project.writes.takes_reference(g.call.name, g.position, file, unseen)
        for g in body.given.get(name, ())
    )
