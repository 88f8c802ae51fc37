"""What a call on the host gives: the function that it means, and what that one returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source.host.calls.exits import exit_of
from perflint.frontend.source.host.calls.frames import frame_of
from perflint.frontend.source.host.calls.lambdas import returned
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.declarators import type_words
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.tokens import (
    closing_angle,
    inside_angles,
    spell,
    split,
    tokenize,
)
from perflint.frontend.source.language.trees import children_of
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.project.sight import Project


def call_value(
    place: Environment, name: str, texts: Sequence[str], values: Sequence[Value | None]
) -> Value | None:
    """The value of a call; None for a function that is not in sight or not simple.

    `name` is as written: `round_up`, `ns::threads_for<float, 4>`.
    """
    if (inner := returned(place, name, texts, values)) is not None:
        return fold(inner[0], inner[1])
    entered = enter(place, name, texts, values)
    if entered is None:
        return None
    kind = return_words(entered.function)
    value = value_left(place, entered, "call")
    if value is None:
        return None
    target = type_of_words(kind.split(), entered)
    if target is None:
        template = entered.function.template if entered.function is not None else ()
        return value if kind in {"auto", *(t.name for t in template)} else None
    return c_types.convert(value, target)


def return_words(function: Function | None) -> str:
    """A function's written return type, without qualifiers."""
    kind = function.node.child_by_field_name("type") if function is not None else None
    words = type_words(function.source.text_of(kind)) if function and kind is not None else ""
    return words.removeprefix("std :: ").removeprefix("std::")


def enter(
    place: Environment,
    name: str,
    texts: Sequence[str],
    values: Sequence[Value | None] | None = None,
    on: str | None = None,
) -> Environment | None:
    """The inside of the function that a call means, with what the call gives it.

    `on` is the object that a method is called on, where its members are to be followed.
    """
    plain, template = name_and_arguments(name)
    if place.is_local(plain):
        return None  # a variable of that name
    found = _meant(place, plain, texts, template, values)
    if found is None:
        return None
    file, function = found
    if on is None and _is_of_same_object(place, function):
        on = "this"
    frame = frame_of(function, texts, template, place, values, on)
    return place.inside(file, function, frame)


def _is_of_same_object(place: Environment, function: Function) -> bool:
    """Whether a method that was called on a known object calls another on that object."""
    if place.frame is None or place.frame.on is None or not function.method:
        return False
    return not function.constructs and function.qualified.split("::")[-2] in place.place


def name_and_arguments(name: str) -> tuple[str, tuple[str, ...]]:
    """`ns::f<float, 4>` as (`ns::f`, (`float`, `4`))."""
    tokens = tokenize(name)
    start = next((i for i, t in enumerate(tokens) if t.text == "<"), None)
    end = closing_angle(tokens, start) if start is not None else None
    if start is None or end is None or end != len(tokens) - 1:
        return "".join(name.split()), ()
    parts = split(inside_angles(tokens, start, end), angles=True)
    return "".join(t.text for t in tokens[:start]), tuple(spell(p) for p in parts)


def value_left(place: Environment, entered: Environment, what: str) -> Value | None:
    """The value of the `return` that a function is left by, before its type converts it.

    `what` tells this look-up from others of the same function.
    """
    with place.session.look_up((what, entered.key)) as allowed:
        left = text_left(entered) if allowed else None
        return None if left is None else fold(*left)


def text_left(entered: Environment) -> tuple[str, Environment] | None:
    """The expression of the `return` that a function is left by, and where it stands."""
    left = exit_of(entered)
    if left is None or left.value is None:
        return None
    return entered.file.source.text_of(left.value), entered.moved(left.at)


def _meant(
    place: Environment,
    name: str,
    texts: Sequence[str],
    template: tuple[str, ...],
    values: Sequence[Value | None] | None,
) -> tuple[File, Function] | None:
    """The one function that a call means; None if it is not in sight or several may be meant."""
    *qualifier, last = name.split("::")
    for files in (place.file.family, place.session.project.neighbours(last)):
        for file in files:
            named = [
                f
                for f in file.declarations.by_name.get(last, ())
                if f.body is not None
                and takes(place.session.project, f, len(texts))
                and _is_in_scope(f, qualifier, place)
            ]
            if named:
                chosen = _exact(named, texts, values, place, file) or _chosen(
                    named, template, place
                )
                return None if chosen is None else (file, chosen)
    return None


def takes(project: Project, function: Function, count: int) -> bool:
    """Whether a function can be called with so many arguments."""
    most = len(function.parameters)
    return count == most or (count < most and project.required(function) <= count)


def _is_in_scope(function: Function, qualifier: Sequence[str], place: Environment) -> bool:
    """Whether a name, or a qualified one, can mean a function: members by their class."""
    around = function.qualified.split("::")[:-1]
    if qualifier and qualifier[-1:] == around[-1:]:
        return True
    return not function.method or around[-1] in place.place


def _exact(
    named: Sequence[Function],
    texts: Sequence[str],
    values: Sequence[Value | None] | None,
    place: Environment,
    file: File,
) -> Function | None:
    """The one of several overloads for numbers whose parameters are of the arguments' types."""
    if len(named) < 2 or any(f.template or specialization(f) is not None for f in named):
        return None
    known = [fold(text, place) for text in texts] if values is None else values
    given = [value and _width(value.type) for value in known]
    there = place.elsewhere(file, named[0].node.start_byte)
    fitting = [
        f
        for f in named
        if not any(p.pointers for p in f.parameters)
        and given == [(k := there.parameter_type(p)) and _width(k) for p in f.parameters]
    ]
    return fitting[0] if len(fitting) == 1 and None not in given else None


def _width(kind: CType) -> tuple[str, int, bool]:
    """What tells a number's type from others: `long` and `int64_t` are one."""
    return kind.kind, kind.size, kind.signed


def _chosen(
    named: Sequence[Function], template: tuple[str, ...], place: Environment
) -> Function | None:
    """The specialization for these template arguments, else the template itself."""
    from perflint.frontend.source.host.calls.instances import (
        resolve,  # it looks names up in environments
    )

    special = {f.node.id: given for f in named if (given := specialization(f)) is not None}
    primary = [f for f in named if f.node.id not in special]
    if special:
        resolved = [resolve(text, place) for text in template]
        if not resolved or None in resolved:
            return None  # which of them?
        wanted = tuple("".join(text.split()) for text in resolved if text is not None)
        exact = [f for f in named if special.get(f.node.id) == wanted]
        if exact:
            return exact[0] if len(exact) == 1 else None
    return primary[0] if len(primary) == 1 else None


def specialization(function: Function) -> tuple[str, ...] | None:
    """The arguments of `template <> int f<float>() …`; None for any other function."""
    if function.name_node.type != "template_function":
        return None
    listed = children_of(function.name_node.child_by_field_name("arguments"))
    return tuple("".join(function.source.text_of(n).split()) for n in listed)
