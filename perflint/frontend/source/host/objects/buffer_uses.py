"""What a function does with an object that owns device memory, as far as that may change it.

An object that is moved, swapped, assigned, or has its address taken owns what nobody can tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.host.objects.buffer_classes import BufferClass
from perflint.frontend.source.host.objects.object_methods import methods_named, touched_by
from perflint.frontend.source.language.declarations import Call, Function, call_of
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.trees import spelled
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment

_DEEPEST = 3  #: functions that hand an object on by reference
#: A method that gives away where the pointer itself is: `T **address() { return &p; }`.
_ADDRESS = re.compile(r"return\s*&|\*\s*&\s*\w+\s*\(")
_AROUND = ("parenthesized_expression", "cast_expression")


@dataclass(frozen=True, eq=False)
class Uses:
    """What was found: whether all is harmless, and which calls may set the pointer."""

    harmless: bool
    setting: tuple[Call, ...] = ()


_HARMFUL = Uses(False)


def uses_of(
    name: str, declaration: Definition | None, place: Environment, class_: BufferClass, member: str
) -> Uses:
    """What the function around a place does with an object; no declaration: a parameter."""
    return _uses(name, declaration, place.function, place, class_, member, 0)


def _uses(
    name: str,
    declaration: Definition | None,
    function: Function | None,
    place: Environment,
    class_: BufferClass,
    member: str,
    depth: int,
) -> Uses:
    if function is None or depth > _DEEPEST:
        return _HARMFUL
    source, body = place.file.source, place.file.body(function)
    if any(d is not declaration and d.known for d in body.writes(name, declaration)):
        return _HARMFUL  # `x = Buffer(n)`, `x.p = q`
    setting: list[Call] = []
    first = (
        function.node.start_byte if declaration is None else declaration.start + len(name.encode())
    )
    begin = max(first, function.body.start_byte) if function.body is not None else first
    for node in spelled(function.node, source.bytes, name):
        at = node.start_byte
        if at < begin or node.type != "identifier" or body.visible(name, at) is not declaration:
            continue
        call = _method_called(node, place)
        if call is not None:
            if (sets := _sets(call, place, class_, member)) is None:
                return _HARMFUL
            setting += [call] if sets else []
        elif not _is_harmless(node, place, class_, member, depth):
            return _HARMFUL
    return Uses(True, tuple(setting))


def _method_called(node: Node, place: Environment) -> Call | None:
    """The call of a method on an object that is named."""
    field = node.parent
    call = field.parent if field is not None else None
    if field is None or field.type != "field_expression" or call is None:
        return None
    if call.type != "call_expression" or call.child_by_field_name("function") != field:
        return None
    return call_of(place.file.source, call)


def _sets(call: Call, place: Environment, class_: BufferClass, member: str) -> bool | None:
    """Whether a method may set the pointer; None where that, or what else it does, is not known."""
    project = place.session.project
    found = methods_named(project, class_.name, call.name)
    if not found or any(_ADDRESS.search(f.source.text_of(f.node)) for _, f in found):
        return None
    touched = [touched_by(project, file, method) for file, method in found]
    if any(t.all for t in touched):
        return None
    return any(member in t.plainly or member in t.otherwise for t in touched)


def _is_harmless(
    node: Node, place: Environment, class_: BufferClass, member: str, depth: int
) -> bool:
    """Whether naming an object, or its pointer, leaves it as it is."""
    used = node.parent
    if used is not None and used.type == "field_expression":
        field = used.child_by_field_name("field")
        if used.child_by_field_name("argument") != node or field is None:
            return False
        if place.file.source.text_of(field) != member:
            around = used.parent  # `x.~Buffer()`
            called = around is not None and around.child_by_field_name("function") == used
            return not (called or _is_written(used))
        node, used, is_member = used, used.parent, True
    else:
        is_member = False
    while used is not None and used.type in _AROUND:
        node, used = used, used.parent
    if used is None:
        return False
    if used.type in ("return_statement", "sizeof_expression"):
        return True
    if is_member and used.type in ("init_declarator", "binary_expression"):
        return not (used.type == "init_declarator" and _is_reference(used))
    call = used.parent
    if used.type != "argument_list" or call is None or call.type != "call_expression":
        return False
    if any(c.type == "kernel_call_syntax" for c in call.children):
        return True
    read = call_of(place.file.source, call)
    if read is None or node not in read.arguments:
        return False
    position = read.arguments.index(node)
    if not place.session.project.writes.takes_reference(read.name, position, place.file):
        return True
    return not is_member and _is_kept(read, position, place, class_, member, depth)


def _is_written(field: Node) -> bool:
    """Whether a member is assigned, or its address taken: a size that no longer holds."""
    around = field.parent
    if around is None or around.type in ("update_expression", "pointer_expression"):
        return True
    is_left = around.child_by_field_name("left") == field
    return around.type == "assignment_expression" and is_left


def _is_reference(declarator: Node) -> bool:
    inner = declarator.child_by_field_name("declarator")
    return inner is not None and inner.type == "reference_declarator"


def _is_kept(
    call: Call,
    position: int,
    place: Environment,
    class_: BufferClass,
    member: str,
    depth: int,
) -> bool:
    """Whether the one function in sight that gets an object by reference leaves it as it is."""
    found: list[tuple[File, Function]] = [
        (file, f)
        for file in place.session.project.neighbours(call.name)
        for f in file.declarations.by_name.get(call.name, ())
        if f.body is not None
    ]
    if len(found) != 1 or position >= len(found[0][1].parameters):
        return False
    file, function = found[0]
    inside = place.elsewhere(file, function.node.start_byte)
    name = function.parameters[position].name
    uses = _uses(name, None, function, inside, class_, member, depth + 1)
    return bool(name) and uses.harmless and not uses.setting
