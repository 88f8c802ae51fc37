"""What the parameters of a class template stand for in its members: the instances that are named.

`template <class T> struct Table { void fill() { k<T><<<…>>>(…); } };` and `Table<unsigned> table;`
somewhere in the program: `T` is `unsigned` there. Each instance is one way to take.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source.declarators import template_parameters
from perflint.frontend.source.files import File
from perflint.frontend.source.model import TemplateParameter
from perflint.frontend.source.tokens import closing_angle, inside_angles, spell, split, tokenize

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment

#: Instances of one class that are told apart, and characters of one list of arguments.
_MOST, _LONGEST = 8, 400
Written = tuple[tuple[str, ...], "Environment"]


def is_class_parameter(name: str, place: Environment) -> bool:
    """Whether a name is a template parameter of a class around the place."""
    return _position(name, place) is not None


def class_argument(name: str, place: Environment) -> tuple[str, Environment] | None:
    """What a class template's parameter stands for, and where that is written; None if unknown."""
    found = _position(name, place)
    if found is None:
        return None
    owner, position = found
    instances = _instances(owner, place)
    index = place.session.choose(("class", owner), len(instances))
    if index is None:
        return None
    arguments, there = instances[index]
    if position < len(arguments):
        return arguments[position], there
    defined = _parameters(owner, place)
    if defined is None or position >= len(defined[0]):
        return None
    default = defined[0][position].default
    return None if default is None else (default, place.elsewhere(*defined[1]))


def _position(name: str, place: Environment) -> tuple[str, int] | None:
    """(the class, which of its parameters) a name is."""
    for owner in reversed(_owners(place)):
        defined = _parameters(owner, place)
        names = [p.name for p in defined[0]] if defined is not None else []
        function = place.function
        outside = [p.name for p in function.template] if function is not None else []
        # Outside its class a member has a template head of its own.
        if function is not None and name in outside and len(outside) == len(names):
            written = "".join(_head(function.source.text_of(function.node)).split())
            if f"{owner}<" in written:
                return owner, outside.index(name)
        if name in names:
            return owner, names.index(name)
    return None


def _head(text: str) -> str:
    return text[: text.find("{")]


def _owners(place: Environment) -> tuple[str, ...]:
    """The names of the classes around a place, the innermost last, without their arguments."""
    around = [s.name for s in place.file.declarations.scopes_at(place.at) if s.is_class]
    function = place.function
    written = function.qualified.split("::")[:-1] if function is not None else []
    return tuple(dict.fromkeys((*around, *written)))


def _parameters(
    owner: str, place: Environment
) -> tuple[tuple[TemplateParameter, ...], tuple[File, int]] | None:
    """A class template's parameters, and where it is declared."""
    for file in place.file.family:
        node = file.declarations.structs.get(owner)
        head = node.parent if node is not None else None
        if node is not None and head is not None and head.type == "template_declaration":
            return template_parameters(file.source, head), (file, node.start_byte)
    return None


def _instances(owner: str, place: Environment) -> Sequence[Written]:
    """The lists of arguments with which a class is named, out of its own templates."""
    found: dict[tuple[str, ...], Written] = {}
    named = re.compile(rf"\b{re.escape(owner)}\s*(?=<)".encode())
    for file in place.session.project.neighbours(owner):
        for match in named.finditer(file.source.bytes):
            tokens = tokenize(file.source.slice(match.end(), match.end() + _LONGEST))
            end = closing_angle(tokens, 0)
            if end is None or file.declarations.function_at(match.start()) is place.function:
                continue
            arguments = tuple(
                spell(part) for part in split(inside_angles(tokens, 0, end), angles=True)
            )
            there = place.elsewhere(file, match.start())
            if arguments and not any(_is_parameter(word, there) for word in arguments):
                found.setdefault(arguments, (arguments, there))
            if len(found) >= _MOST:
                return tuple(found.values())
    return tuple(found.values())


def _is_parameter(argument: str, place: Environment) -> bool:
    """Whether a template argument names a parameter of a template around it."""
    words = {t.text for t in tokenize(argument) if t.kind == "name"}
    if any(is_class_parameter(word, place) for word in words):
        return True
    function = place.function
    if function is not None:
        return not words.isdisjoint(p.name for p in function.template)
    before = place.file.source.slice(max(0, place.at - _LONGEST), place.at)
    head = before[before.rfind("template") :] if "template" in before else ""
    outer = head.count(";") + head.count("{") + head.count("}") == 0
    return outer and not words.isdisjoint(t.text for t in tokenize(head))
