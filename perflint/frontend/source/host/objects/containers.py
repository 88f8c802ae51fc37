"""Vectors of the host code: `v.size()` behind `std::vector<float> v(n)`, and what `v[1]` is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.objects.resizing import CHANGES, may_resize
from perflint.frontend.source.host.values.counters import turns
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Call, call_of
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.reaching_definitions import Body
from perflint.frontend.source.language.trees import argument_texts

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

_VECTOR = pattern(r"\b(?:vector|host_vector|device_vector|universal_vector)\b")
_ELEMENTS = pattern(
    r"(?:\w+::)*(?:\w*vector|array|initializer_list)\s*<\s*([\w: ]+?)\s*(?:,[^<>]*)?>"
)
_SETS = ("resize", "assign")
#: `std::vector<int>` of `std::vector<int>{1, 2}`.
MADE = pattern(r"(?:\w+::)*(?:\w*vector|array|initializer_list)<[^()]*>(?=[({])")
_DEEPEST = 8  #: calls that a vector is followed through


def length(place: Environment, name: str, depth: int = 0) -> Value | None:
    """The value of `v.size()`; None for other methods, or where the length is not plain."""
    variable, _, method = name.rpartition(".")
    body, function = place.body(), place.function
    if method != "size" or body is None or function is None or depth > _DEEPEST:
        return None
    if not place.is_local(variable):
        return None
    declaration = body.visible(variable, place.at)
    kind = declaration.type if declaration is not None else body.parameters.get(variable, "")
    writes = (d for d in body.writes(variable, declaration) if d is not declaration)
    others = [d for d in writes if not d.element]
    if not _VECTOR.search(kind) or others or _may_be_resized(place, body, variable):
        return None
    changes = changes_of(place, body, variable)
    if changes:
        pushed = None if declaration is None else _pushed(place, body, changes, declaration)
        return pushed or _set(place, body, changes)
    if declaration is None:
        passed = place.argument(function, function.position(variable))
        return None if passed is None else length(passed[1], f"{passed[0]}.size", depth + 1)
    there = place.moved(declaration.start)
    return _made(there.definition_text(declaration), there)


def element_type(words: str) -> str:
    """The type of the elements of `std::vector<int>` and `std::array<int, 3>`; "" for others."""
    found = _ELEMENTS.fullmatch(words.removeprefix("const ").strip())
    return found[1].strip() if found else ""


def element(place: Environment, name: str, index: int) -> tuple[str, Environment] | None:
    """What a local vector's element was given, and where; None where that is not known."""
    found = elements(place, name)
    return found[index] if index < len(found) else None


def elements(place: Environment, name: str) -> list[tuple[str, Environment] | None]:
    """What a local vector's elements were given: by a list, or by `push_back` in order.

    [] where it is changed otherwise, or on some ways only; None for those that a loop gives, of
    which there may be more.
    """
    body = place.body()
    declaration = body.visible(name, place.at) if body is not None else None
    if body is None or declaration is None or _is_handed_on(place, body, name):
        return []
    there = place.moved(declaration.start)
    text = MADE.sub("", there.definition_text(declaration), count=1)
    listed = argument_texts(text) if text.startswith("{") else None
    changes = changes_of(place, body, name)
    around = body.enclosing(place.at)
    plain = all(
        call.name in ("push_back", "emplace_back")
        and len(call.arguments) == 1
        and body.enclosing(call.node.start_byte)
        == around[: len(body.enclosing(call.node.start_byte))]
        for call in changes
    )
    if not plain or (listed is None and text not in ("()", "{}")):
        return []
    result: list[tuple[str, Environment] | None] = [(each, there) for each in listed or ()]
    for call in changes:
        argument, at = call.arguments[0], call.node.start_byte
        looped = any(region.kind == "loop" for region in body.enclosing(at))
        if at < place.at:
            given = place.file.source.text_of(argument), place.moved(argument.start_byte)
            result.append(None if looped else given)
    return result


def changes_of(place: Environment, body: Body, variable: str) -> list[Call]:
    """The calls of a function that change a vector's length."""
    source = place.file.source
    found = (call_of(source, n) for n in body.calls)
    return [
        call
        for call in found
        if call is not None
        and call.name in CHANGES
        and re.match(rf"{variable}\s*(\.|->)\s*\w+\s*\(", source.text_of(call.node))
    ]


def _set(place: Environment, body: Body, changes: list[Call]) -> Value | None:
    """The length that the only change gives a vector, where that happens on every way here."""
    call = changes[0]
    at = call.node.start_byte
    beside = [r for r in body.enclosing(at) if r not in body.enclosing(place.at)]
    if len(changes) > 1 or call.name not in _SETS or not call.arguments or at > place.at or beside:
        return None
    return _count(place.file.source.text_of(call.arguments[0]), place.moved(at))


def _pushed(
    place: Environment, body: Body, changes: list[Call], declaration: Definition
) -> Value | None:
    """The length of a vector that gets one element in each turn of a loop before the place."""
    at, around = changes[0].node.start_byte, body.enclosing(declaration.start)
    regions = [r for r in body.enclosing(at) if r not in around]
    once = len(changes) == len(regions) == 1 and changes[0].name in ("push_back", "emplace_back")
    if not once or regions[0].kind != "loop" or regions[0].end > place.at:
        return None
    there = place.moved(declaration.start)
    text = MADE.sub("", there.definition_text(declaration), count=1)
    first = Value(0, c_types.ULONG) if text in ("()", "{}") else _made(text, there)
    counted = turns(regions[0], place.moved(regions[0].start))
    if first is None or first.term is not None or counted is None:
        return None
    return _count(f"{first.number} + {counted}", place.moved(regions[0].start))


def _made(text: str, there: Environment) -> Value | None:
    """The length of a vector that is made of `(n, 0)`, `{1, 2}` or `std::vector<int>(n)`."""
    text = MADE.sub("", text, count=1)
    parts = argument_texts(text)
    if parts is None or not parts:
        return None
    if text.startswith("{"):
        return Value(len(parts), c_types.ULONG)
    return _count(parts[0], there)


def _count(text: str, there: Environment) -> Value | None:
    if re.search(r"\bbegin\b", text):
        return None
    return c_types.convert(fold(text, there), c_types.ULONG)


def _may_be_resized(place: Environment, body: Body, variable: str) -> bool:
    """Whether a function that is given a vector before the place may change its length."""
    given = (g for g in body.given.get(variable, ()) if g.call.node.start_byte < place.at)
    return any(may_resize(place.session.project, place.file, body, g) for g in given)


def _is_handed_on(place: Environment, body: Body, variable: str) -> bool:
    """Whether a function is given a vector by a reference through which it may write."""
    writes = place.session.project.writes
    return any(
        g.address or writes.takes_reference(g.call.name, g.position, place.file)
        for g in body.given.get(variable, ())
        if g.call.node.start_byte < place.at
    )
