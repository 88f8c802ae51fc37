"""Elements of local arrays that one assignment in a loop sets: `first[i] = 1 + i * rows;`.

What another loop reads of such an array, `first[device]`, is the same expression for its index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import Value
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.lookup import type_of_words
from perflint.frontend.source.reaching_definitions import Body
from perflint.frontend.source.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.environment import Environment


def stored(place: Environment, name: str, index: Value | None) -> Value | None:
    """The value of `name[index]`, where one assignment sets all elements of a local array."""
    body = place.body()
    declaration = body.visible(name, place.at) if body is not None else None
    if body is None or declaration is None or len(declaration.extents) != 1 or index is None:
        return None
    if declaration.pointers or declaration.value is not None or name in body.given:
        return None
    assignment = _only_assignment(body, name)
    target = type_of_words(declaration.type.split(), place)
    if assignment is None or target is None or assignment.end_byte > place.at:
        return None
    left, right = (assignment.child_by_field_name(f) for f in ("left", "right"))
    counter = _counter(left, body)
    if right is None or counter is None:
        return None
    with place.session.look_up(("stored", assignment.id, index.number, place.key)) as allowed:
        there = place.knowing(assignment.start_byte, {counter: index})
        value = fold(body.text_of(right), there) if allowed else None
    return c_types.convert(value, target)


def _only_assignment(body: Body, name: str) -> Node | None:
    """The one write to an array, if it is `name[i] = …` in no branch."""
    declaration = body.visible(name, body.end - 1) or next(iter(body.definitions[name]), None)
    writes = [d for d in body.definitions[name] if d is not declaration]
    if len(writes) != 1 or writes[0].step is not None:
        return None
    if any(r.kind not in ("loop", "lambda") for r in body.enclosing(writes[0].start)):
        return None
    found = [
        n for n in body.steps
        if n.start_byte == writes[0].start and n.type == "assignment_expression"
    ]  # fmt: skip
    operator = found[0].child_by_field_name("operator") if len(found) == 1 else None
    return found[0] if operator is not None and operator.type == "=" else None


def _counter(target: Node | None, body: Body) -> str | None:
    """The `i` of `a[i]`; None for any other target."""
    if target is None or target.type != "subscript_expression":
        return None
    inner = [c for part in children_of(target)[1:] for c in (children_of(part) or [part])]
    named = [c for c in inner if c.type == "identifier"]
    return body.text_of(named[0]) if len(inner) == 1 and named else None
