"""Calls of small host functions such as `ceil_div(n, 256)`, evaluated for known arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import Value
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.declarations import Function
from perflint.frontend.source.declarators import type_words
from perflint.frontend.source.lookup import type_of_words

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment


def inlined_call(place: Environment, name: str, arguments: Sequence[Value | None]) -> Value | None:
    """The value of a function that is one `return`; None for any other and unknown arguments."""
    found = place.session.project.inline_function(name, len(arguments), place.file)
    if found is None or None in arguments:
        return None
    file, function, text, at = found
    key = ("call", id(file), function.node.id, tuple(arguments))
    with place.session.look_up(key) as allowed:
        if not allowed:
            return None
        bound = _bound(place, function, arguments)
        value = None if bound is None else fold(text, place.elsewhere(file, at, bound))
    kind = function.node.child_by_field_name("type")
    words = type_words(function.source.text_of(kind)) if kind is not None else ""
    target = type_of_words(words.split(), place)
    if target is None:
        deduced = {"auto", *(t.name for t in function.template)}
        return value if words in deduced else None
    return c_types.convert(value, target)


def _bound(
    place: Environment, function: Function, arguments: Sequence[Value | None]
) -> Mapping[str, Value] | None:
    """The parameters' values, converted to their types; None if one cannot be."""
    bound: dict[str, Value] = {}
    for parameter, value in zip(function.parameters, arguments, strict=True):
        target = place.parameter_type(parameter)
        is_template = any(t.name == parameter.type for t in function.template)
        if (target is None and not is_template) or parameter.pointers:
            return None
        converted = c_types.convert(value, target) if target is not None else value
        if converted is None:
            return None
        bound[parameter.name] = converted
    return bound
