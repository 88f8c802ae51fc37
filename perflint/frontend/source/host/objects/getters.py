"""What a method called on an object returns: `settings.threads()`, `Settings::get().tile()`.

On a local object its members are those of that object. On any other, a singleton or a member, they
are what the program sets them to in the one place where it does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.calls.frames import frame_of
from perflint.frontend.source.host.calls.results import return_words, takes, value_left
from perflint.frontend.source.host.objects.object_methods import is_changed, set_by_method
from perflint.frontend.source.host.values.choices import DEPTH_LIMIT
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.tokens import Token, spell
from perflint.frontend.source.language.trees import argument_texts
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

_PURE = re.compile(r"=\s*0\s*$")
_OWN = pattern(r"\Athis\s*->\s*(?=\w+\Z)")
_METHOD = pattern(r"(.*?)\s*(?:\.|->)\s*(\w+)", re.DOTALL)


def entered_getter(place: Environment, called: str, texts: Sequence[str]) -> Environment | None:
    """The inside of the method that a call on an object means; None if several may be meant.

    None also where values are invented and the object is not known: two have sizes of their own.
    """
    parts = _METHOD.fullmatch(called.strip())
    while place.outer is not None:
        place = place.outer
    found = _only(place, parts[2], len(texts)) if parts is not None else None
    if parts is None or found is None:
        return None
    called_on = _OWN.sub("", parts[1])
    parameter = place.function is not None and place.function.parameter(called_on) is not None
    known = (
        _is_object(place, called_on)
        or (parameter and _is_passed(place, called_on))
        or _is_own(place, called_on)
        or _is_set_here(place, called_on)
    )
    on = called_on if known else None
    if on is None and place.inventing:
        return None
    return place.inside(*found, frame_of(found[1], texts, (), place, on=on))


def method_call(tokens: Sequence[Token]) -> tuple[str, list[str]] | None:
    """(`settings.tile`, arguments) of `settings.tile(…)`; None for any other expression."""
    if len(tokens) < 5 or tokens[-1].text != ")":
        return None
    depth, start = 0, len(tokens) - 1
    for start in range(len(tokens) - 1, -1, -1):
        depth += (tokens[start].text == ")") - (tokens[start].text == "(")
        if not depth:
            break
    if start < 3 or tokens[start - 2].text not in (".", "->") or tokens[start - 1].kind != "name":
        return None
    if _is_operated(tokens[: start - 2]):
        return None
    return spell(tokens[:start]), argument_texts(spell(tokens[start:])) or []


def _is_operated(tokens: Sequence[Token]) -> bool:
    """Whether an operator stands outside of all brackets: the call is a part of what is written."""
    depth = 0
    for token in tokens:
        depth += (token.text in "([") - (token.text in ")]")
        if depth == 0 and token.kind == "mark" and token.text not in (")", "]", ".", "->", "::"):
            return True
    return False


def got(place: Environment, called: str, texts: Sequence[str]) -> Value | None:
    """The number that such a call returns."""
    if (own := _got(place, called, texts)) is not None or not place.inventing:
        return own
    with place.reading():
        return _got(place, called, texts)


def _got(place: Environment, called: str, texts: Sequence[str]) -> Value | None:
    entered = entered_getter(place, called, texts)
    if entered is None:
        return None
    value = value_left(place, entered, "got")
    if value is None:
        return None
    target = type_of_words(return_words(entered.function).split(), entered)
    return None if target is None else c_types.convert(value, target)


def _only(place: Environment, name: str, count: int) -> tuple[File, Function] | None:
    """The one method of a name in sight; nothing else, as a container's `size`, may be meant."""
    found = [
        (file, function)
        for file in place.session.project.neighbours(name)
        for function in file.declarations.by_name.get(name, ())
        if function.method
        and function.body is not None
        and takes(place.session.project, function, count)
    ]
    one = len({function.node.id for _, function in found}) == 1
    return found[0] if one and not _is_overridden(place, found[0][1]) else None


def _is_overridden(place: Environment, method: Function) -> bool:
    """Whether several classes declare a method of that name as virtual, and not as pure."""
    found = {
        (str(file.path), start)
        for file in place.session.project.neighbours(method.name)
        for start in _virtual(file.source.text, method.name)
    }
    return len(found) > 1


@lru_cache(maxsize=4096)
def _virtual(text: str, method: str) -> tuple[int, ...]:
    """Where a text declares a method of that name as virtual, and not as pure."""
    if "virtual" not in text and "override" not in text:
        return ()
    name = re.escape(method)
    declared = re.compile(
        rf"\bvirtual\b[^;{{}}()]*\b{name}\s*\([^()]*\)[^;{{}}]*"
        rf"|\b{name}\s*\([^()]*\)[^;{{}}()]*\boverride\b[^;{{}}]*"
    )
    return tuple(m.start() for m in declared.finditer(text) if not _PURE.search(m[0]))


def _is_passed(place: Environment, name: str) -> bool:
    """Whether a name is a parameter for which a caller in sight passes an object."""
    for _ in range(DEPTH_LIMIT):
        function, body = place.function, place.body()
        if function is None or body is None or body.visible(name, place.at) is not None:
            return body is not None
        if not name.isidentifier() or function.parameter(name) is None:
            return False
        given = place.argument(function, function.position(name))
        if given is None or given[0] == "this":
            return False
        name, place = given
        if not name.isidentifier():
            return True
    return False


def _is_object(place: Environment, name: str) -> bool:
    """Whether a name is a local variable that is an object of its own: no reference or pointer."""
    body = place.body()
    declaration = body.visible(name, place.at) if body is not None else None
    return declaration is not None and not (
        declaration.pointers or declaration.static or declaration.reference
    )


def _is_own(place: Environment, name: str) -> bool:
    """Whether a name is a data member that is an object, which no method changes."""
    function = place.function
    if function is None or not name.isidentifier() or place.is_local(name):
        return False
    found = place.session.project.global_variable(name, place.file, place.place, written=True)
    if found is None or function.parameter(name) is not None:
        return False
    scopes = found[0].declarations.scopes_at(found[1].start)
    member = found[1]
    indirect = member.pointers or member.static or member.reference or member.extents
    if not scopes or not scopes[-1].is_class or indirect:
        return False
    return not is_changed(place, name, member.type.rsplit("::", 1)[-1].strip())


def _is_set_here(place: Environment, name: str) -> bool:
    """Whether a name is a data member, an object, that a call before the place has set."""
    found = set_by_method(place, name) if name.isidentifier() else None
    return found is not None and found.inside is not None
