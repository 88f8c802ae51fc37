"""Elements of local arrays that assignments in a loop set: `first[i] = 1 + i * rows;`.

What another loop reads of such an array, `first[device]`, is the same expression for its index. So
are members of an array of structures, `plan[i].n`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source.host.objects.containers import element_type
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.reaching_definitions import Body
from perflint.frontend.source.language.tokens import closing, spell, tokenize
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment


def stored(place: Environment, name: str, index: Value | None) -> Value | None:
    """The value of `name[index]`, where such assignments set a local array."""
    body = place.body()
    declaration = body.visible(name, place.at) if body is not None else None
    if body is None or declaration is None or len(declaration.extents) != 1 or index is None:
        return None
    if declaration.pointers or declaration.value is not None or name in body.given:
        return None
    target = type_of_words(declaration.type.split(), place)
    found = _given(place, body, name, index) if target is not None else None
    if found is None or target is None:
        return None
    with place.session.look_up(("stored", found[1].at, index.number, place.key)) as allowed:
        value = fold(*found) if allowed else None
    return c_types.convert(value, target)


def stored_member(place: Environment, element: str, field: str) -> tuple[str, Environment] | None:
    """What such an assignment gives a member of `plan[i]`, and where it stands; else None."""
    tokens = tokenize(element)
    body = place.body()
    name = tokens[0].text if len(tokens) > 3 and tokens[1].text == "[" else ""
    if body is None or not name or closing(tokens, 1) != len(tokens) - 1:
        return None
    declaration = body.visible(name, place.at)
    if declaration is None or name in body.given:
        return None
    is_vector = element_type(declaration.type) != ""
    if len(declaration.extents) + declaration.pointers + is_vector != 1:
        return None
    if declaration.value is not None and not (is_vector or declaration.pointers):
        return None
    index = fold(spell(tokens[2:-1]), place)
    return None if index is None else _given(place, body, name, index, field)


def _given(
    place: Environment, body: Body, name: str, index: Value, field: str = ""
) -> tuple[str, Environment] | None:
    """What the one assignment to elements that is made before a place gives the one at an index."""
    assignment = _taken(place, body, _assignments(body, name, field))
    if assignment is None or assignment.end_byte > place.at:
        return None
    left, right = (assignment.child_by_field_name(f) for f in ("left", "right"))
    if field and left is not None:
        left = left.child_by_field_name("argument")
    counter = _counter(left, body)
    if right is None or counter is None:
        return None
    return body.text_of(right), place.knowing(assignment.start_byte, {counter: index})


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


def _assignments(body: Body, name: str, field: str = "") -> list[Node]:
    """All writes to an array, if each is `name[i] = …` in loops and branches; else none.

    With `field`, all to this member of its elements.
    """
    declaration = body.visible(name, body.end - 1) or next(iter(body.definitions[name]), None)
    result = []
    for write in body.definitions[name]:
        if write is declaration or (field and write.part not in ("", field)):
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
