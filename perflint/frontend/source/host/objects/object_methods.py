"""What methods leave in the members of a local object: `Params o; o.init(n); k<<<o.blocks, 64>>>`.

Such a call is a definition of every member that the method writes. One that it writes on a
condition, or where its body is out of sight, has no known value after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.host.calls.exits import exit_of
from perflint.frontend.source.host.calls.frames import texts_of
from perflint.frontend.source.host.calls.results import enter, takes
from perflint.frontend.source.host.objects.makers import is_handed_on, own_writes
from perflint.frontend.source.host.objects.structs import fields_named, struct_of
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.declarations import Call, Function
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.reaching_definitions import Body, concerns
from perflint.frontend.source.language.tokens import tokenize
from perflint.frontend.source.language.trees import children_of
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.writes import Touched

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.project.sight import Project

METHOD = -1  #: the position, among a call's arguments, of the object whose method is called
_DEEPEST = 6  #: methods that call methods
_CONST = pattern(r"\)\s*const\b")
_MADE = pattern(r"(?:new\s+)?(?:\w+\s*::\s*)*(\w+)\s*(?:<.*>)?\s*[({]")


#: Methods that tell what a container has, as the standard library names them.
_ONLY_READ = frozenset(
    {"at", "back", "begin", "capacity", "cbegin", "cend", "count", "data", "empty", "end", "find"}
    | {"front", "get", "length", "max_size", "size"}
)

_ANYTHING = Touched(frozenset(), frozenset(), True)
_NOTHING = Touched(frozenset(), frozenset(), False)


def written_by_methods(
    place: Environment, body: Body, name: str, declaration: Definition | None
) -> Iterator[Definition]:
    """The writes that calls of its methods make to one of a function's variables."""
    for call, path in body.receivers.get(name, ()):
        start = call.node.start_byte
        if body.visible(name, start) is not declaration:
            continue
        class_ = _class_of(place, body, name, declaration, path)
        found = _methods(place, class_, call) if class_ else []
        touched = [touched_by(place.session.project, f, m) for f, m in found or ()]
        before = ".".join((*path, ""))
        if found is None or any(t.all for t in touched):
            yield Definition(name, start, ".".join(path) or None, known=False, call=call.node)
            continue
        for member in sorted({m for t in touched for m in (*t.plainly, *t.otherwise)}):
            yield Definition(
                name,
                start,
                f"{before}{member}",
                known=len(found) == 1,
                call=call.node,
                position=METHOD,
            )


def entered_method(place: Environment, body: Body, definition: Definition) -> Environment | None:
    """The end of the method that a call at a place means, with the object that it is called on."""
    declaration = body.visible(definition.name, definition.start)
    for call, path in body.receivers.get(definition.name, ()):
        if call.node != definition.call:
            continue
        class_ = _class_of(place, body, definition.name, declaration, path)
        found = _methods(place, class_, call) if class_ else []
        if found is None or len(found) != 1:
            return None
        there = place.moved(definition.start)
        on = ".".join((definition.name, *path))
        owner = found[0][1].qualified.split("::")[-2]
        name = f"{owner}::{call.name}"
        entered = enter(there, name, texts_of(call, place.file), on=on)
        own = entered is not None and entered.function is found[0][1]
        return _at_end(place, entered) if own else None
    return None


def writes_of_call(project: Project, class_: str, call: Call) -> frozenset[str]:
    """The members that a method of a class, called on the same object, may write.

    Those of methods in sight alone: what is not in sight is not supposed to write.
    """
    lineage = project.lineage(class_)
    own = next((m for c in lineage if (m := methods_named(project, c, call.name))), [])
    touched = [touched_by(project, file, method) for file, method in own if not method.constructs]
    return frozenset().union(*(t.plainly | t.otherwise for t in touched))


def own_field(place: Environment, name: str) -> Definition | None:
    """The data member that a name means in a method which was called on a known object."""
    if place.frame is None or place.frame.on is None or place.function is None:
        return None
    found = place.session.project.global_variable(name, place.file, place.place, written=True)
    if found is None or found[1].static:
        return None
    scopes = found[0].declarations.scopes_at(found[1].start)
    return found[1] if scopes and scopes[-1].is_class else None


def of_object(place: Environment, name: str) -> Value | None:
    """What a member is worth where the object is whose method was called: an option, a root."""
    frame = place.frame
    if not place.inventing or frame is None or frame.on is None or not frame.on.isidentifier():
        return None
    if own_member(place, name) is not None:
        return None
    there = frame.passed.place
    return there.variable(name) if frame.on == "this" else there.member(frame.on, name)


def is_changed(place: Environment, name: str, class_: str) -> bool:
    """Whether a method that may write is called somewhere on a data member that is an object."""
    for file in place.session.project.neighbours(name):
        for function in file.functions_naming(name):
            body = file.body(function)
            own = [c for c, path in body.receivers.get("this", ()) if path[:1] == (name,)]
            plain = [] if _is_local(body, name) else body.receivers.get(name, ())
            for call in (*own, *(c for c, _ in plain)):
                found = _methods(place, class_, call)
                touched = [touched_by(place.session.project, f, m) for f, m in found or ()]
                if not found or any(t.all or t.plainly or t.otherwise for t in touched):
                    return True
    return False


def own_member(place: Environment, name: str, part: str | None = None) -> Definition | None:
    """What a method that was called on a known object has written last to a member of it.

    Or to a `part` of that member, `x`; a call, of a method of the object that has written it. A
    definition that is not known where that is not settled; None where it has written nothing,
    and the member is what it was before the call.
    """
    body, function, project = place.body(), place.function, place.session.project
    if body is None or function is None:
        return None
    unknown = Definition(name, place.at, known=False)
    touched = touched_by(project, place.file, function)
    if touched.all or name in _handed_on(project, place.file, body):
        return unknown
    writes = [d for d in own_writes(body, name) if concerns(d, part)]
    if name in touched.otherwise:
        class_ = function.qualified.split("::")[-2]
        calls = (c for c in own_calls(body) if name in writes_of_call(project, class_, c))
        writes += (Definition(name, c.node.start_byte, call=c.node) for c in calls)
        writes.sort(key=lambda d: d.start)
    if not any(d.start < place.at for d in writes):
        looped = any(d.start >= place.at for d in writes) and body.enclosing(place.at)
        return unknown if looped else None  # a loop may come around
    return body.settled(writes, place.at, place.is_taken, part) or unknown


def left_by_own(place: Environment, definition: Definition) -> Environment | None:
    """The end of the method of the same object whose call is `own_member`'s answer."""
    body, function = place.body(), place.function
    if body is None or function is None:
        return None
    call = next(c for c in own_calls(body) if c.node == definition.call)
    name = f"{function.qualified.split('::')[-2]}::{call.name}"
    there = place.moved(definition.start)
    return _at_end(place, enter(there, name, texts_of(call, place.file), on="this"))


def _at_end(place: Environment, entered: Environment | None) -> Environment | None:
    """The end of a function that is entered, where there is one alone."""
    if entered is None:
        return None
    with place.session.look_up(("exit", entered.key)) as allowed:
        left = exit_of(entered) if allowed else None
    return None if left is None else entered.moved(left.at)


@dataclass(frozen=True)
class SetBy:
    """What a call of a method of a data member, an object, has left in that."""

    inside: Environment | None  #: the end of the method; None where it is not settled which one


def set_by_method(place: Environment, name: str, path: Sequence[str] = ()) -> SetBy | None:
    """The call in the function around a place that has set a part of a data member, an object.

    `dims_.init(n); k<<<dims_.grid(), 64>>>`. None where no method is called that may have.
    """
    body, function, project = place.body(), place.function, place.session.project
    if body is None or function is None or not function.method or place.is_local(name):
        return None
    calls = [c for c, of in body.receivers.get("this", ()) if of == (name,)]
    calls += [c for c, of in body.receivers.get(name, ()) if not of]
    calls = [c for c in calls if c.node.start_byte < place.at]
    class_ = _class_of_field(place, name) if calls else ""
    if not class_:
        return None
    writes: list[Definition] = []
    inside: dict[int, Environment | None] = {}
    for call in calls:
        start, found = call.node.start_byte, _methods(place, class_, call)
        touched = [touched_by(project, f, m) for f, m in found or ()]
        written = {m for t in touched for m in (*t.plainly, *t.otherwise)}
        if found is None or any(t.all for t in touched) or (not path or path[0] in written):
            if found == []:
                continue  # of a library's class
            entered = None
            if found and len(found) == 1:
                of = found[0][1].qualified.split("::")[-2]
                there, texts = place.moved(start), texts_of(call, place.file)
                entered = enter(there, f"{of}::{call.name}", texts, on=name)
            inside[start] = _at_end(place, entered)
            writes.append(Definition(name, start, call=call.node))
    if not writes:
        return None
    owner = function.qualified.split("::")[-2]
    part = ".".join(path) or None
    others = [d for d in own_writes(body, name) if concerns(d, part)]
    others += (
        Definition(name, c.node.start_byte, known=False)
        for c in own_calls(body)
        if name in writes_of_call(project, owner, c)
    )
    every = sorted((*writes, *others), key=lambda d: d.start)
    last = body.settled(every, place.at, place.is_taken)
    return SetBy(inside.get(last.start) if last is not None and last.call is not None else None)


def left_as_made(place: Environment, name: str, path: Sequence[str]) -> str:
    """The class of a data member, an object, of which nothing sets an axis once it is made.

    The z of its block, where methods set x and y. "" where something may, or it is no such member.
    """
    class_ = _class_of_field(place, name) if len(path) == 2 and path[1] in "xyz" else ""
    if not class_:
        return ""
    project, part = place.session.project, ".".join(path[1:]) or None
    for file in project.neighbours(name):
        for function in file.functions_naming(name):
            body = file.body(function)
            whole = any(concerns(d, ".".join(path)) for d in own_writes(body, name))
            if whole or body.through.get(name) or is_handed_on(project, body, name, file):
                return ""  # `shape_ = other;`
    for file in project.neighbours(path[0]):
        for function in file.functions_naming(path[0]):
            body = file.body(function)
            if body.through.get(path[0], set()) - {"this"}:
                return ""
            if function.qualified.split("::")[-2:-1] != [class_] or function.constructs:
                continue
            if any(concerns(d, part) for d in own_writes(body, path[0])):
                return ""
            if path[0] in _handed_on(project, file, body):
                return ""
    owner = place.around[-1] if place.around else ""
    makers = [m for _, m in project.constructors(owner, place.file)]
    return "" if any(name in m.initialisers for m in makers) else class_


def _class_of_field(place: Environment, name: str) -> str:
    """The class of a data member that is an object; "" for any other."""
    field = place.session.project.global_variable(name, place.file, place.place, written=True)
    if field is None or field[1].pointers or field[1].reference or field[1].extents:
        return ""
    scopes = field[0].declarations.scopes_at(field[1].start)
    found = struct_of(_plain(field[1].type), place) if scopes and scopes[-1].is_class else None
    return "" if found is None else _plain(field[1].type)


def own_calls(body: Body) -> list[Call]:
    """The calls of a method that may be of methods of the same object."""
    own = {call.node.id for call, path in body.receivers.get("this", ()) if not path}
    return [c for c in body.named_calls if not c.through_object or c.node.id in own]


def _handed_on(project: Project, file: File, body: Body) -> set[str]:
    """The members of its object that a method gives to what may write them, or calls methods of."""
    found = {n for n in body.given if is_handed_on(project, body, n, file)}
    found |= {
        n
        for n, calls in body.receivers.items()
        if n != "this" and not _is_local(body, n) and not {c.name for c, _ in calls} <= _ONLY_READ
    }
    return found | {path[0] for _, path in body.receivers.get("this", ()) if path}


def _class_of(
    place: Environment,
    body: Body,
    name: str,
    declaration: Definition | None,
    path: tuple[str, ...],
) -> str:
    """The class of a variable, or of a member of it; "" where it is not in sight."""
    kind = declaration.type if declaration is not None else body.parameters.get(name, "")
    if kind == "auto" and declaration is not None:
        made = _MADE.match(place.definition_text(declaration))
        kind = made[1] if made is not None else ""
    for field in path:
        fields = fields_named(_plain(kind), place)
        kind = next((f[1] for f in fields if f[0] == field), "")
    class_ = _plain(kind)
    found = struct_of(class_, place) if class_ else None
    if found is None:
        return ""
    named = found[0].child_by_field_name("name")  # an alias leads to the struct itself
    return found[1].file.source.text_of(named) if named is not None else class_


def _plain(kind: str) -> str:
    return kind.split("<")[0].strip(" *&").rsplit("::", 1)[-1].strip()


def _methods(place: Environment, class_: str, call: Call) -> list[tuple[File, Function]] | None:
    """The methods that a call on an object may mean, those that derived classes have included.

    None where one that may write is declared, and its body is out of sight.
    """
    project, count = place.session.project, len(call.arguments)
    lineage = project.lineage(class_)
    own = next((m for c in lineage if (m := methods_named(project, c, call.name))), [])
    if not own and any(_is_unseen(project, c, call.name) for c in lineage):
        return None
    derived = [m for c in project.derived(class_) for m in methods_named(project, c, call.name)]
    fitting = [m for m in own if takes(project, m[1], count)]
    return [*(fitting or own), *derived]


def methods_named(project: Project, class_: str, name: str) -> list[tuple[File, Function]]:
    """The methods of a class by name that have a body."""
    return [
        (file, function)
        for file in project.neighbours(name)
        for function in file.declarations.by_name.get(name, ())
        if function.body is not None and function.qualified.split("::")[-2:-1] == [class_]
    ]


def _is_unseen(project: Project, class_: str, name: str) -> bool:
    """Whether a class declares a method of this name that is not const."""
    for file in project.neighbours(class_):
        node = file.declarations.structs.get(class_)
        body = node.child_by_field_name("body") if node is not None else None
        for member in children_of(body):
            for declarator in member.children_by_field_name("declarator"):
                text = file.source.text_of(declarator)
                if re.match(rf"[*&\s]*{re.escape(name)}\s*\(", text) is None:
                    continue
                if member.type == "field_declaration" and _CONST.search(text) is None:
                    return True
    return False


def touched_by(project: Project, file: File, function: Function, depth: int = 0) -> Touched:
    """What a method may write of its own object, through other methods of it, too."""
    key = function.node.id
    if key not in project.touched:
        project.touched[key] = _NOTHING  # of a method that calls itself, the rest is what counts
        project.touched[key] = _find_touched(project, file, function, depth)
    return project.touched[key]


def _find_touched(project: Project, file: File, function: Function, depth: int) -> Touched:
    if function.body is None or depth > _DEEPEST or _gives_itself_away(function):
        return _ANYTHING
    body = file.body(function)
    class_ = function.qualified.split("::")[-2]
    names = {*body.own, *body.definitions}
    plainly = {n for n in names if own_writes(body, n)}
    otherwise = _handed_on(project, file, body)
    for call in own_calls(body):
        lineage = project.lineage(class_)
        if any(_is_unseen(project, c, call.name) for c in lineage) and not any(
            methods_named(project, c, call.name) for c in lineage
        ):
            return _ANYTHING
        for each in lineage:
            for there, method in methods_named(project, each, call.name):
                inner = touched_by(project, there, method, depth + 1)
                if inner.all:
                    return _ANYTHING
                otherwise |= inner.plainly | inner.otherwise
    return Touched(frozenset(plainly), frozenset(otherwise), False)


def _is_local(body: Body, name: str) -> bool:
    return name in body.parameters or any(d.declares for d in body.definitions.get(name, ()))


def _gives_itself_away(function: Function) -> bool:
    """Whether a method does more with `this` than name a member or return the object."""
    words = [t.text for t in tokenize(function.source.text_of(function.node))]
    for at, word in enumerate(words):
        named = word == "this" and words[at + 1 : at + 2] != ["->"]
        if named and words[max(0, at - 2) : at] != ["return", "*"]:
            return True
    return False
