"""Whether a function that is given a vector may change how many elements it has.

`fill(v)` that goes through `v` by reference, or writes `v[i]`, leaves the length as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflint.frontend.source.language.declarators import declarator_of
from perflint.frontend.source.language.reaching_definitions import Body, Given, body_of
from perflint.frontend.source.language.trees import children_of
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.sight import Project

if TYPE_CHECKING:
    from tree_sitter import Node

#: Methods that give a vector another length.
CHANGES = ("push_back", "emplace_back", "pop_back", "insert", "emplace", "erase", "clear", "swap",
            "append", "resize", "assign")  # fmt: skip
_DEEPEST = 4  #: calls that a vector is followed through


def may_resize(project: Project, file: File, body: Body, given: Given, depth: int = 0) -> bool:
    """Whether the function that a call in `body` calls may change the length of its argument."""
    name, position = given.call.name, given.position
    functions = [
        (function, inner)
        for inner in file.family
        for function in inner.declarations.by_name.get(name, ())
        if function.body is not None
    ]
    if not functions:
        own = _lambda(body, name)
        if own is not None:
            return _resized_inside(body, own, position)
        return given.address or project.writes.takes_reference(name, position, file)
    for function, inner in functions:
        if position >= len(function.parameters):
            return True
        parameter, inside = function.parameters[position], body_of(function)
        if given.address:
            return True
        if not parameter.reference or "const" in parameter.written.split():
            continue
        if depth > _DEEPEST or changes_in(inside, parameter.name):
            return True
        handed = inside.given.get(parameter.name, ())
        writes = inside.definitions.get(parameter.name, ())
        text = inner.source.text_of(function.node)
        if not _is_plain(text, parameter.name, len(handed)) or any(not d.element for d in writes):
            return True
        if any(may_resize(project, inner, inside, g, depth + 1) for g in handed):
            return True
    return False


def _is_plain(text: str, name: str, handed: int) -> bool:
    """Whether a function uses a reference that it gets for elements, methods and calls alone."""
    uses = len(re.findall(rf"\b{name}\b", text)) - 1
    return uses == handed + len(re.findall(rf"\b{name}\s*(?:\[|\.)|:\s*{name}\s*\)", text))


def changes_in(body: Body, variable: str) -> bool:
    """Whether a function calls a method on a vector that changes its length."""
    return any(call.name in CHANGES for call, path in body.receivers.get(variable, ()) if not path)


def _lambda(body: Body, name: str) -> Node | None:
    """The lambda that a local variable of this name is."""
    found = [d.value for d in body.definitions.get(name, ()) if d.declares]
    if len(found) != 1 or len(body.definitions[name]) != 1:
        return None
    return found[0] if found[0] is not None and found[0].type == "lambda_expression" else None


def _resized_inside(body: Body, own: Node, position: int) -> bool:
    """Whether a lambda may change the length of what it gets at a position."""
    declarator = own.child_by_field_name("declarator")
    listed = declarator.child_by_field_name("parameters") if declarator is not None else None
    parameters = children_of(listed)
    if position >= len(parameters):
        return True
    named, _, reference, _ = declarator_of(parameters[position].child_by_field_name("declarator"))
    if named is None or not reference:
        return named is None
    name = body.text_of(named)
    start, end = own.start_byte, own.end_byte
    others = [d for d in body.definitions.get(name, ()) if start <= d.start < end]
    calls = [g.call for g in body.given.get(name, ())]
    calls += [c for c, _ in body.receivers.get(name, ()) if c.name in CHANGES]
    inside = any(start <= c.node.start_byte < end for c in calls)
    return inside or any(not d.element and not d.declares for d in others)
