"""What a range-based loop's variable is: `for (int threads : {64, 128})`, one of what is listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.frontend.source.host.objects.containers import MADE, element_type, elements
from perflint.frontend.source.host.objects.tables import list_of
from perflint.frontend.source.host.values.host_values import AXES
from perflint.frontend.source.host.values.loop_counters import TURN, turns_tried
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import ELEMENTS, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.reaching_definitions import is_of_range
from perflint.frontend.source.language.trees import argument_texts, children_of

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

Row = tuple[str, "Environment", str]  #: what is written, where that stands, of which type


def row_in_turn(place: Environment, name: str) -> Row | None:
    """What the variable is in a turn of its loop; None where what is gone through is not in sight.

    Raises UndecidedError for which turn that is, where it is not chosen yet.
    """
    body = place.body()
    declaration = body.visible(name, place.at) if body is not None else None
    if body is None or declaration is None or not is_of_range(declaration):
        return None
    value = declaration.value
    if value is None or value.parent is None or len(body.writes(name, declaration)) > 1:
        return None
    rows = _rows(place.moved(declaration.start), declaration)
    turns = turns_tried(len(rows))
    index = place.session.choose((TURN, value.parent.id), len(turns))
    return None if index is None or index >= len(turns) else rows[turns[index]]


def in_turn(place: Environment, name: str, member: str | None) -> Value | None:
    """The number that the variable, or a dim3's member of it, is worth; as `row_in_turn`."""
    row = row_in_turn(place, name)
    if row is None:
        return None
    text, there, kind = row
    if member is None:
        target = type_of_words(kind.split(), there)
        value = fold(text, there)
        return value if not kind else None if target is None else c_types.convert(value, target)
    parts = there.components(text, kind) if kind in ELEMENTS and member in AXES else None
    index = AXES.index(member) if parts is not None else 0
    return parts[index][1] if parts is not None and index < len(parts) else None


def element_words(place: Environment, declaration: Definition) -> str:
    """The type of `auto` in a range-based loop, as the first of the elements has it."""
    rows = _rows(place, declaration)
    return rows[0][2] if rows and rows[0][2] else declaration.type


def _rows(place: Environment, declaration: Definition) -> list[Row]:
    """All that the loop goes through; [] where that is not known to be all."""
    assert declaration.value is not None
    own = "" if declaration.type == "auto" else declaration.type
    text = place.file.source.text_of(declaration.value)
    if not text.isidentifier():
        made = MADE.match(text)
        kind = element_type(made[0]) if made is not None else ""
        listed = argument_texts(text[made.end() :] if made is not None else text)
        plain = listed is not None and text.endswith("}")
        return [(each, place, own or kind) for each in listed or ()] if plain else []
    body = place.body()
    local = body.visible(text, place.at) if body is not None else None
    words, depth = place.declared_words(text)
    if kind := element_type(words):
        plain = body is not None and len(body.writes(text, local)) == 1 and not depth
        found = elements(place, text) if plain else []
        return [(e[0], e[1], own or kind) for e in found if e is not None and None not in found]
    table = list_of(text, place)
    if table is None or table[0].type != "initializer_list" or depth != 1:
        return []
    node, there, kind = table
    source = there.file.source
    return [(source.text_of(c), there.moved(c.start_byte), own or kind) for c in children_of(node)]
