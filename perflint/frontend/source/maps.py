"""Values out of maps that nothing writes to: `threads[size]` and `threads.at(size)`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import Value
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.declarators import Definition
from perflint.frontend.source.lookup import type_of_words
from perflint.frontend.source.trees import argument_texts, children_of

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment

_MAP = re.compile(r"(?:\w+::)*(?:unordered_)?map\s*<\s*([\w: ]+?)\s*,\s*([\w: ]+?)\s*>")
_MOST = 24


def mapped(place: Environment, name: str, key: Value | None, text: str) -> Value | None:
    """The value that a map has for a key; each where that is not known (`text` is the key).

    Raises UndecidedError where the key is not known and not chosen yet.
    """
    found = _map(place, name)
    if found is None:
        return None
    definition, there, words = found
    pairs = [argument_texts(there.file.source.text_of(c)) for c in children_of(definition.value)]
    entries = [(pair[0], pair[1]) for pair in pairs if pair is not None and len(pair) == 2]
    if not entries or len(entries) < len(pairs) or len(entries) > _MOST:
        return None
    if key is not None and key.term is None:
        numbers = [(fold(k, there), v) for k, v in entries]
        values = [v for k, v in numbers if k is not None and k.number == key.number]
    else:
        own = place.identity(text) if text.isidentifier() else (id(there.file), definition.start)
        index = place.session.choose(("element", own), len(entries))
        values = [] if index is None else [entries[index][1]]
    target = type_of_words(words.split(), there)
    if len(values) != 1 or target is None:
        return None
    return c_types.convert(fold(values[0], there), target)


def _map(place: Environment, name: str) -> tuple[Definition, Environment, str] | None:
    """The map of this name with where its list stands, and the type of its values."""
    body = place.body()
    definition = body.visible(name, place.at) if body is not None else None
    there = place
    if body is not None and definition is not None:
        if any(d.member is not None for d in body.writes(name, definition) if d.start < place.at):
            return None
        there = place.moved(definition.start)
    else:
        found = place.session.project.global_variable(name, place.file, place.place, written=True)
        if found is None:
            return None
        definition, there = found[1], place.elsewhere(found[0], found[1].start)
    kind = _MAP.fullmatch(definition.type.removeprefix("const ").strip())
    if kind is None or definition.value is None or definition.value.type != "initializer_list":
        return None
    return definition, there, kind[2]
