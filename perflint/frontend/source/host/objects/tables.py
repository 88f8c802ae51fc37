"""Rows of constant tables: `entries[i]`, `table[i][j]`, where each row is a choice of its own.

The same index variable means the same row everywhere, as for the elements of constant arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source.host.objects.maps import entry_of, is_map
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.tokens import Token, closing, spell, tokenize
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment

ROWS = 16  #: rows of one table that a launch is read for


def row_of(tokens: Sequence[Token], place: Environment) -> tuple[str, Environment, str] | None:
    """(text, where it stands, type) of the row that `table[i]`, or `map.at(key)`, means; or None.

    Raises UndecidedError where the index is not known: each row is an alternative.
    """
    if [t.text for t in tokens[1:4]] == [".", "at", "("] and closing(tokens, 3) == len(tokens) - 1:
        name, asked = tokens[0].text, spell(tokens[4:-1])
        if not is_map(place.declared_type(name)):
            return None
        return entry_of(place, name, fold(asked, place), asked)
    indices: list[str] = []
    while tokens and tokens[-1].text == "]":
        start = _opening(tokens)
        if start is None:
            return None
        indices.insert(0, spell(tokens[start + 1 : -1]))
        tokens = tokens[:start]
    name = "".join(t.text for t in tokens)
    if len(indices) == 1 and is_map(place.declared_type(name)):
        return entry_of(place, name, fold(indices[0], place), indices[0])
    found = list_of(name, place)
    if found is None:
        return None
    node, there, kind = found
    for index in indices:
        value = fold(index, place)
        rows = children_of(node) if node.type == "initializer_list" else []
        if value is not None:
            at: int | None = int(value.number)
        else:
            own = (id(there.file), node.start_byte)
            key = ("element", place.identity(index) if index.isidentifier() else own)
            at = place.session.choose(key, min(len(rows), ROWS))
            place.session.left_out = max(place.session.left_out, len(rows) - ROWS)
        if at is None or not 0 <= at < len(rows):
            return None
        node = rows[at]
    return there.file.source.text_of(node), there.moved(node.start_byte), kind


def _opening(tokens: Sequence[Token]) -> int | None:
    depth = 0
    for start in range(len(tokens) - 1, -1, -1):
        depth += (tokens[start].text == "]") - (tokens[start].text == "[")
        if depth == 0:
            return start
    return None


def list_of(name: str, place: Environment) -> tuple[Node, Environment, str] | None:
    """The list that initialises a table, where it stands, and the type of the rows."""
    if not all(t.kind == "name" or t.text == "::" for t in tokenize(name)) or not name:
        return None
    body = place.body()
    local = body.visible(name, place.at) if body is not None else None
    if body is not None and local is not None:
        if local.value is None or len(body.writes(name, local)) > 1:
            return None
        return local.value, place.moved(local.start), local.type
    found = place.session.project.global_variable(name, place.file, place.place)
    if found is None or found[1].value is None:
        return None
    return found[1].value, place.elsewhere(found[0], found[1].start), found[1].type
