"""One call that evaluation goes into: the function, what it is given, and where that is written.

`round_up(n, 32)`, `pick<T>(n)` and `config(n, grid, block)` are read inside the function that is
called, with its parameters standing for what this call gives them and no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Call, Function
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment


@dataclass(frozen=True, eq=False)
class Passed:
    """What a function is given: by a call, by an explicit instantiation, or by a frame."""

    arguments: tuple[str, ...] | None  #: as written; None: nobody calls, only the types are known
    template: tuple[str, ...]
    place: Environment  #: where both are written


@dataclass(frozen=True, eq=False)
class Frame:
    """One call of a function."""

    function: Function
    passed: Passed
    key: int  #: equal for two frames in which every name has the same value
    on: str | None = None  #: the object, if known, whose method is called; it is where the call is
    #: the object's class and its template's arguments, if known, written where the call is
    of: tuple[str, tuple[str, ...]] | None = None


def frame_of(
    function: Function,
    arguments: Sequence[str],
    template: Sequence[str],
    place: Environment,
    values: Sequence[Value | None] | None = None,
    on: str | None = None,
    of: tuple[str, tuple[str, ...]] | None = None,
) -> Frame:
    """The frame of a call with these arguments, written at a place; `values` if they are known.

    `on` is the object that a method is called on; `of` its class and that template's arguments.
    """
    if values is None:
        values = [fold(text, place) for text in arguments]
    known = tuple(
        (value, value.term) if value is not None else text
        for text, value in zip(arguments, values, strict=True)
    )
    # A function template's types may hang on how its arguments are written.
    given = tuple(arguments) if function.template else ()
    # The place once for all that is written there: a call in a call in a call has its caller's
    # key in its own, and as many of them as there are arguments would be counted by powers.
    written = None in values or bool(template) or bool(given) or on is not None or bool(of)
    at = place.key if written else None
    key = place.session.project.number_of(
        (function.node.id, known, tuple(template), given, at, on, of)
    )
    return Frame(function, Passed(tuple(arguments), tuple(template), place), key, on, of)


def texts_of(call: Call, file: File) -> tuple[str, ...]:
    """A call's arguments as written."""
    return tuple(file.source.text_of(node) for node in call.arguments)
