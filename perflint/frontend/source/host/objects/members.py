"""Where variables out of a function get their value: class members and globals with one writer.

`threads_ = 256;` in a constructor or in one method, and nowhere else, is what it is worth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.objects.makers import (
    hands_over,
    is_filled_unseen,
    is_handed_on,
    is_made_only,
    made,
    own_writes,
)
from perflint.frontend.source.host.options import program_arguments
from perflint.frontend.source.host.values.global_writes import left_by_one
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.every_way import is_passed
from perflint.frontend.source.language.reaching_definitions import Body
from perflint.frontend.source.language.trees import inner
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment

#: What initialises a variable before its one writer sets it.
_NOTHING = (
    "",
    "0",
    "0u",
    "-1",
    "nullptr",
    "NULL",
    "{}",
    "()",
    "{0}",
    "(0)",
    "dim3()",
    "dim3(1)",
    "dim3(1,1,1)",
)
#: As the numbers among these, of a floating type.
_ZERO = pattern(r"\(?\{?0*(?:\.0*|0\.)[fF]?\}?\)?|-1\.0*[fF]?")


def setting_of(
    place: Environment, name: str, member: str | None = None
) -> tuple[str, Environment, str] | None:
    """(text, where it stands, type) of what a variable out of functions is set from.

    None where it is written in more ways than one, or nowhere in sight.
    """
    project = place.session.project
    last = name.rsplit("::", 1)[-1]
    fixed = project.global_variable(name, place.file, place.place)
    if fixed is not None:
        file, definition = fixed
        constructed = place.constructed(last, file, definition)
        there = place.elsewhere(file, definition.start)
        if constructed is not None:
            return (constructed[0].definition_text(constructed[1]), constructed[0], definition.type)
        if definition.value is None:
            return None
        return there.definition_text(definition), there, definition.type
    found = project.global_variable(name, place.file, place.place, written=True)
    if found is None:
        return None
    owner, declaration = found
    if declaration.pointers or declaration.extents:
        return None
    scopes = owner.declarations.scopes_at(declaration.start)
    if scopes and scopes[-1].is_class and is_made_only(place, last, scopes[-1].name, owner):
        return _unless_filled(place, last, _made(place, last, owner, declaration))
    write = _only_write(place, last, owner, declaration)
    if write is not None and program_arguments.is_an_option(
        place.elsewhere(write[0], write[1].start)
    ):
        write = None  # it is set if somebody asks for it
    if write is None or (not _is_nothing(owner, declaration) and not _constructs(*write)):
        end = left_by_one(place, last, member, _is_nothing(owner, declaration))
        return None if end is None else (last, end, declaration.type)
    file, written = write
    there = place.elsewhere(file, written.start)
    found_there = (there.definition_text(written), there, declaration.type)
    return _unless_filled(place, last, found_there)


def _unless_filled(
    place: Environment, name: str, found: tuple[str, Environment, str] | None
) -> tuple[str, Environment, str] | None:
    """What a variable is set from; None where that is nothing, and one out of sight may fill it.

    `n = 0; parameter("n", n);`. What has a value is not given to such a function to get one.
    """
    if found is not None and is_nothing(found[0]) and is_filled_unseen(place, name):
        return None
    return found


def _made(
    place: Environment, name: str, owner: File, declaration: Definition
) -> tuple[str, Environment, str] | None:
    """What constructors, which alone set a member, give it; if none does, what it starts with."""
    class_ = owner.declarations.scopes_at(declaration.start)[-1].name
    there, definition = made(place, name, class_, owner) or (
        place.elsewhere(owner, declaration.start),
        declaration,
    )
    function = there.function
    if not definition.known and function is not None and declaration.type == "dim3":
        return name, there.moved(function.node.end_byte - 1), declaration.type  # axis by axis
    if definition.value is None or not definition.known:
        return None
    return there.definition_text(definition), there, declaration.type


def _is_nothing(owner: File, declaration: Definition) -> bool:
    """Whether what a variable starts with is only there until it is set."""
    if declaration.value is None:
        return True
    return is_nothing(owner.source.text_of(declaration.value))


def _constructs(file: File, written: Definition) -> bool:
    """Whether every object of a class is made with a value: a constructor sets it, always."""
    function = file.declarations.function_at(written.start)
    own = function.qualified.split("::")[-2:-1] if function is not None else []
    if function is None or own != [function.name]:
        return False
    return not file.body(function).enclosing(written.start)


def is_always_set(place: Environment, name: str, class_: str = "") -> bool:
    """Whether a function sets a variable out of functions, and not on a condition.

    With `class_`, of a member of that class, which a constructor may set on either condition.
    """
    for file in place.session.project.neighbours(name):
        for function in file.functions_naming(name):
            body = file.body(function)
            own = function.qualified.split("::")[-2:-1]
            plain = [
                d
                for d in body.definitions.get(name, ())
                if own == ([class_] if class_ else []) and body.visible(name, d.start) is None
            ]
            through = [
                d
                for each in body.definitions.values()
                for d in each
                if class_ and d.member == name and class_ in _words_of(d, body, file)
            ]
            inside = body.own.get(name, ()) if own == [class_] else ()
            setting = [d for d in (*plain, *through, *inside) if not (d.declares or d.kept)]
            if any(not body.enclosing(d.start) for d in setting):
                return True
            if function.constructs and function.constructs == class_ and setting:
                places = [d.start for d in setting]
                if function.body and is_passed(function.body, places, file.source):
                    return True
    return False


def _words_of(written: Definition, body: Body, file: File) -> list[str]:
    """The words of the type of a variable whose member is written; of a class's own, too."""
    words = body.type_words(written)
    if words or written.name in body.parameters:
        return words
    known = (d for each in file.family for d in each.variables.get(written.name, ()))
    return [word for d in known for word in d.type.replace("::", " ").split()]


def writes_to_member(
    place: Environment, member: str, class_: str
) -> Iterator[tuple[File, Definition]]:
    """Where functions in sight set a member of an object of a class, or any member of one."""
    for file in place.session.project.neighbours(class_) if class_ else ():
        for definition in file.written_members(class_):
            if definition.member in (None, member):
                yield file, definition


def _only_write(
    place: Environment, name: str, owner: File, declaration: Definition
) -> tuple[File, Definition] | None:
    """The one place in the program that writes to a variable; None if there are others."""
    project = place.session.project
    classes = [s.name for s in owner.declarations.scopes_at(declaration.start) if s.is_class]
    family = {*classes[-1:], *project.derived("".join(classes[-1:]))}
    found: list[tuple[File, Definition]] = []
    for file in project.neighbours(name):
        for function in file.functions_naming(name):
            body = file.body(function)
            own = function.qualified.split("::")[-2:-1]
            is_own = not classes or (own[:1] and own[0] in family)
            if classes and is_own and hands_over(file, function, name):
                continue
            if classes and is_own:
                value = function.initialisers.get(name)
                if value is not None and not _starts_unset(place, file, value):
                    found.append((file, Definition(name, value.start_byte, value=value)))
            if is_own:
                writes = own_writes(body, name) if classes else _free_writes(body, name)
                found += ((file, d) for d in writes if not _is_cleared(file, function, d))
                if is_handed_on(project, body, name, file, unseen=False):
                    return None
            class_ = classes[-1] if classes else ""
            through_this = classes and body.through.get(name) == {"this"}
            if not through_this and project.writes.escapes(name, body, class_, owner):
                return None
            if len(found) > 1:
                return None
    if len(found) != 1 or not found[0][1].known or found[0][1].value is None:
        return None
    return None if found[0][1].member is not None else found[0]


def _free_writes(body: Body, name: str) -> list[Definition]:
    """What a function writes to a variable that is none of its own."""
    if name in body.parameters:
        return []
    found = body.definitions.get(name, ())
    return [d for d in found if not d.declares and body.visible(name, d.start) is None]


def _is_cleared(file: File, function: Function, written: Definition) -> bool:
    """Whether a constructor only clears a member, `size = 0;`, until another function sets it."""
    if not function.constructs or written.value is None or written.member is not None:
        return False
    return is_nothing(file.source.text_of(written.value))


def _starts_unset(place: Environment, file: File, value: Node) -> bool:
    """Whether a constructor's list gives a member what only stands there until another is set."""
    text = file.source.text_of(value)
    if is_nothing(text) or not inner(text).replace("::", "").isidentifier():
        return is_nothing(text)
    with place.session.reading():
        known = fold(inner(text), place.elsewhere(file, value.start_byte))
    return known is not None and known.term is None and is_nothing(str(known.number))


def is_nothing(text: str) -> bool:
    """Whether a value only stands there until another is set."""
    written = "".join(text.split())
    return written in _NOTHING or _ZERO.fullmatch(written) is not None
