"""Values out of maps that nothing writes to: `threads[size]` and `threads.at(size)`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.calls.outputs import written_by_calls
from perflint.frontend.source.host.objects.makers import is_handed_on
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.trees import argument_texts, children_of

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.project.sight import Project

MAP = pattern(r"(?:\w+::)*(?:unordered_)?map\s*<\s*([\w: ]+?)\s*,\s*(.+?)\s*>")
_MOST = 24
#: What changes what a map holds.
_CHANGES = (
    *("clear", "emplace", "emplace_hint", "erase", "extract", "insert", "insert_or_assign"),
    *("merge", "swap", "try_emplace"),
)


def mapped(place: Environment, name: str, key: Value | None, text: str) -> Value | None:
    """The value that a map has for a key; each where that is not known (`text` is the key).

    Raises UndecidedError where the key is not known and not chosen yet.
    """
    found = entry_of(place, name, key, text)
    target = type_of_words(found[2].split(), found[1]) if found is not None else None
    if found is None or target is None:
        return None
    return c_types.convert(fold(found[0], found[1]), target)


def entry_of(
    place: Environment, name: str, key: Value | None, text: str
) -> tuple[str, Environment, str] | None:
    """(text, where it stands, type) of what a map has for a key; as `mapped`."""
    found = _map(place, name)
    if found is None:
        return None
    definition, there, words = found
    pairs = [argument_texts(there.file.source.text_of(c)) for c in children_of(definition.value)]
    entries = [(pair[0], pair[1]) for pair in pairs if pair is not None and len(pair) == 2]
    if not entries or len(entries) < len(pairs) or len(entries) > _MOST:
        return None
    if _is_string(text) and all(_is_string(k) for k, _ in entries):
        values = [v for k, v in entries if k == text]
    elif key is not None and key.term is None:
        numbers = [(fold(k, there), v) for k, v in entries]
        values = [v for k, v in numbers if k is not None and k.number == key.number]
    else:
        own = place.identity(text) if text.isidentifier() else (id(there.file), definition.start)
        index = place.session.choose(("element", own), len(entries))
        values = [] if index is None else [entries[index][1]]
    return (values[0], there, words) if len(values) == 1 else None


def is_map(kind: str) -> bool:
    """Whether a type's words name a map, whose brackets hold a key."""
    return re.match(r"(?:const )?(?:\w+ ?:: ?)*(?:unordered_)?map\b", kind) is not None


def _is_string(text: str) -> bool:
    """Whether a text is one string literal."""
    return re.fullmatch(r'"[^"\\]*"', text) is not None


def _is_filled(project: Project, name: str) -> bool:
    """Whether a function of the program adds to a map of this name, or changes what it has."""
    for file in project.neighbours(name):
        for function in file.functions_naming(name):
            body = file.body(function)
            if any(not d.declares for d in body.definitions.get(name, ())):
                return True
            if any(call.name in _CHANGES for call, _ in body.receivers.get(name, ())):
                return True
            if is_handed_on(project, body, name, file):
                return True
    return False


def _map(place: Environment, name: str) -> tuple[Definition, Environment, str] | None:
    """The map of this name with where its list stands, and the type of its values."""
    body = place.body()
    definition = body.visible(name, place.at) if body is not None else None
    there = place
    if body is not None and definition is not None:
        given = written_by_calls(place, name)
        if given or any(d is not definition for d in body.writes(name, definition)):
            return None
        if any(call.name in _CHANGES for call, _ in body.receivers.get(name, ())):
            return None
        there = place.moved(definition.start)
    else:
        found = place.session.project.global_variable(name, place.file, place.place, written=True)
        if found is None:
            return None
        definition, there = found[1], place.elsewhere(found[0], found[1].start)
        if not definition.constant and _is_filled(place.session.project, name):
            return None
    kind = MAP.fullmatch(definition.type.removeprefix("const ").strip())
    if kind is None or definition.value is None or definition.value.type != "initializer_list":
        return None
    return definition, there, kind[2]
