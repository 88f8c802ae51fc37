"""Elements of local arrays that assignments in a loop set: `first[i] = 1 + i * rows;`.

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
    """The value of `name[index]`, where such assignments set a local array."""
    body = place.body()
    declaration = body.visible(name, place.at) if body is not None else None
    if body is None or declaration is None or len(declaration.extents) != 1 or index is None:
        return None
    if declaration.pointers or declaration.value is not None or name in body.given:
        return None
    target = type_of_words(declaration.type.split(), place)
    assignment = _taken(place, body, _assignments(body, name)) if target is not None else None
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


def _taken(place: Environment, body: Body, assignments: list[Node]) -> Node | None:
    """The one assignment that is made: all that others stand in are arms that are not taken."""
    made = []
    for each in assignments:
        arms = [r for r in body.enclosing(each.start_byte) if r.kind in ("then", "else")]
        ways = [place.moved(each.start_byte).is_taken(arm) for arm in arms]
        if None in ways:
            return None
        made += [each] if all(ways) else []
    return made[0] if len(made) == 1 else None


def _assignments(body: Body, name: str) -> list[Node]:
    """All writes to an array, if each is `name[i] = …` in loops and branches; else none."""
    declaration = body.visible(name, body.end - 1) or next(iter(body.definitions[name]), None)
    result = []
    for write in body.definitions[name]:
        if write is declaration:
            continue
        found = [
            n
            for n in body.steps
            if n.start_byte == write.start and n.type == "assignment_expression"
        ]
        operator = found[0].child_by_field_name("operator") if len(found) == 1 else None
        kinds = {r.kind for r in body.enclosing(write.start)} - {"loop", "lambda", "then", "else"}
        if operator is None or operator.type != "=" or kinds:
            return []
        result += found
    return result


def _counter(target: Node | None, body: Body) -> str | None:
    """The `i` of `a[i]`; None for any other target."""
    if target is None or target.type != "subscript_expression":
        return None
    inner = [c for part in children_of(target)[1:] for c in (children_of(part) or [part])]
    named = [c for c in inner if c.type == "identifier"]
    return body.text_of(named[0]) if len(inner) == 1 and named else None
