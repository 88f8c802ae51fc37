"""What the parameters of a class template stand for in its members: the instances that are named.

`template <class T> struct Table { void fill() { k<T><<<…>>>(…); } };` and `Table<unsigned> table;`
somewhere in the program: `T` is `unsigned` there. Each instance is one way to take.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.declarators import template_parameters
from perflint.frontend.source.language.model import TemplateParameter
from perflint.frontend.source.language.tokens import (
    closing_angle,
    inside_angles,
    spell,
    split,
    tokenize,
    without_comments,
)
from perflint.frontend.source.language.trees import Source
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

#: Instances of one class that are told apart, and characters of one list of arguments.
_MOST, _LONGEST = 8, 400
#: A shift would stand in brackets.
_TWO_CLOSING = pattern(r">(?=>)")
#: What is no code, though classes are named in it: `log << "Table<" << sizeof(T) << ">"`.
_TEXTS = ("comment", "string_content", "string_literal", "raw_string_content", "raw_string_literal")
Written = tuple[tuple[str, ...], "Environment"]


def is_class_parameter(name: str, place: Environment) -> bool:
    """Whether a name is a template parameter of a class around the place."""
    return _position(name, place) is not None


def is_class_variable(name: str, place: Environment) -> bool:
    """Whether a name is a data member of a class around the place, which means nothing outside."""
    found = place.session.project.global_variable(name, place.file, place.place, written=True)
    if found is None:
        return False
    file, definition = found
    return any(s.is_class for s in file.declarations.scopes_at(definition.start)[-1:])


def is_enclosing_parameter(name: str, place: Environment) -> bool:
    """Whether a name is a parameter of any template around the place: a specialisation's, too."""
    source = place.file.source
    node = source.tree.root_node.descendant_for_byte_range(place.at, place.at)
    while node is not None:
        is_template = node.type == "template_declaration"
        if is_template and any(p.name == name for p in template_parameters(source, node)):
            return True
        node = node.parent
    return False


def class_argument(name: str, place: Environment) -> tuple[str, Environment] | None:
    """What a class template's parameter stands for, and where that is written; None if unknown."""
    found = _position(name, place)
    if found is None:
        return None
    owner, position = found
    if place.frame is not None and place.frame.of is not None and place.frame.of[0] == owner:
        return argument_of_object(name, place)
    instances = _instances(owner, place)
    index = place.session.choose(("class", owner), len(instances))
    if index is None or index >= len(instances):  # a member's own mentions are none to itself
        return None
    arguments, there = instances[index]
    return _argument(owner, position, arguments, there, place)


def argument_of_object(name: str, place: Environment) -> tuple[str, Environment] | None:
    """As `class_argument`, where it is known of which object a method or constructor is called."""
    frame = place.frame
    found = _position(name, place) if frame is not None and frame.of is not None else None
    if frame is None or frame.of is None or found is None or found[0] != frame.of[0]:
        return None
    return _argument(*found, frame.of[1], frame.passed.place, place)


def _argument(
    owner: str, position: int, arguments: Sequence[str], there: Environment, place: Environment
) -> tuple[str, Environment] | None:
    """One of the arguments with which a class is named, or its default."""
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
        alike = function is not None and name in outside and len(outside) == len(names)
        if alike and f"{owner}<" in "".join(_head(function).split()):
            return owner, outside.index(name)
        if name in names:
            return owner, names.index(name)
    return None


def _head(function: Function | None) -> str:
    """What stands before a function's body."""
    if function is None:
        return ""
    end = function.node.end_byte if function.body is None else function.body.start_byte
    return without_comments(function.source.slice(function.node.start_byte, end))


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
    for file in place.session.project.neighbours(owner):
        for start, arguments in _mentions(file.source, owner):
            if arguments in found or file.declarations.function_at(start) is place.function:
                continue
            there = place.elsewhere(file, start)
            if not any(_is_parameter(word, there) for word in arguments):
                found[arguments] = arguments, there
            if len(found) >= _MOST:
                return tuple(found.values())
    return tuple(found.values())


@lru_cache(maxsize=1024)
def _mentions(source: Source, owner: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Where a source names a class with arguments, and these. Every evaluation asks anew."""
    found = []
    for match in re.finditer(rf"\b{re.escape(owner)}\s*(?=<)".encode(), source.bytes):
        node = source.tree.root_node.descendant_for_byte_range(match.start(), match.end())
        if node is not None and node.type in _TEXTS:
            continue
        written = source.slice(match.end(), match.end() + _LONGEST)
        tokens = tokenize(_TWO_CLOSING.sub("> ", written))  # `make<Owner<T>>(…)`
        end = closing_angle(tokens, 0)
        parts = split(inside_angles(tokens, 0, end), angles=True) if end is not None else []
        if parts:
            found.append((match.start(), tuple(map(spell, parts))))
    return tuple(found)


def _is_parameter(argument: str, place: Environment) -> bool:
    """Whether a template argument names a parameter of a template around it."""
    words = {t.text for t in tokenize(argument) if t.kind == "name"}
    return any(is_enclosing_parameter(w, place) or is_class_variable(w, place) for w in words)
