"""Why the block of a launch could not be read, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from perflint.frontend.source.host.calls.lambdas import lambda_parameter
from perflint.frontend.source.host.calls.outputs import written_by_calls
from perflint.frontend.source.host.values.choices import UndecidedError
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.model import Dim3Expression
from perflint.frontend.source.language.reaching_definitions import PARAMETER
from perflint.frontend.source.language.tokens import closing, tokenize

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.declarators import Definition

_STEPS = 12


def unread_block(block: Dim3Expression, place: Environment) -> str:
    """The name or call behind a block that is not known, and what is missing about it."""
    unknown = next((e.text for e in (block.x, block.y, block.z) if e.value is None), block.text)
    try:
        return _reason(unknown, place, _STEPS)
    except UndecidedError:
        return f"`{block.text}` hangs on values that are not in sight"


def _reason(text: str, place: Environment, steps: int) -> str:
    for word, is_call in _words(text):
        if is_call:
            if fold(word, place) is None:
                return f"what `{word}` returns cannot be read"
        elif fold(word, place) is None and (why := _of_name(word, place, steps)):
            return why
    return f"`{' '.join(text.split())}` cannot be read"


def _of_name(name: str, place: Environment, steps: int) -> str:
    """Why a name has no value; "" where it is not what is missing."""
    name, _, member = name.partition(".")
    while place.outer is not None and not place.is_local(name):
        place = place.outer
    macro = place.macros.get(name)
    if macro is not None:
        return "" if macro.known else f"the macro `{name}` is not the same everywhere"
    body, function = place.body(), place.function
    if lambda_parameter(place, name) is not None:
        return f"`{name}` is a parameter of a lambda whose calls are not in sight"
    if body is None or function is None or not place.is_local(name):
        if place.names_type(name):
            return f"the template argument `{name}` is not known"
        if function is not None and function.template_parameter(name) is not None:
            return f"no caller in sight gives the template argument `{name}`"
        if place.session.project.global_variable(name, place.file, place.place, written=True):
            return f"`{name}` is set in more than one place, or where it cannot be followed"
        return f"`{name}` is not declared in sight"
    definition = place.reaching(name, member or None, written_by_calls(place, name))
    if definition is None:
        return f"`{name}` may have been changed on the way, in a loop, a branch or a call"
    if definition is PARAMETER:
        argument = place.argument(function, function.position(name))
        if argument is None:
            return f"`{name}` is a parameter of `{function.name}`, whose callers are not in sight"
        return _reason(*argument, steps - 1) if steps else ""
    return _of_definition(name, definition, place, steps)


def _of_definition(name: str, definition: Definition, place: Environment, steps: int) -> str:
    if definition.call is not None:
        called = " ".join(place.file.source.text_of(definition.call).split())
        return f"what `{called}` leaves in `{name}` cannot be read"
    if definition.value is None:
        return f"`{name}` is not set where it is declared"
    if not steps:
        return ""
    there = place.moved(definition.start)
    return _reason(place.definition_text(definition), there, steps - 1)


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """The names and calls of an expression, in order; members of objects and types left out."""
    tokens = tokenize(text)
    for index, token in enumerate(tokens):
        if token.kind != "name" or (index and tokens[index - 1].text in (".", "->", "::")):
            continue
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if following == "(":
            end = closing(tokens, index + 1)
            if end is not None and token.text not in ("dim3", "min", "max", "sizeof"):
                yield "".join(t.text for t in tokens[index : end + 1]), True
        elif following == "." and index + 2 < len(tokens):
            yield f"{token.text}.{tokens[index + 2].text}", False
        elif following not in ("::", "<"):
            yield token.text, False
