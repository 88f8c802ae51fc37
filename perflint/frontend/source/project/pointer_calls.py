"""Calls of a function through a parameter that it is passed as: `measure(reduce, n)`.

Inside `measure(int (*run)(int), int n)`, `run(n)` calls it. Parameters that are passed on are
followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from perflint.frontend.source.language.declarations import Call, Function
from perflint.frontend.source.language.reaching_definitions import body_of
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from tree_sitter import Node

#: The files of a program in which a word occurs.
Search = Callable[[str], list[File]]
#: Functions through which one pointer is followed.
_STEPS = 8


def calls_through(search: Search, function: Function) -> list[tuple[File, Call]]:
    """The calls of a function that is only passed to others, with the files they stand in."""
    found: list[tuple[File, Call]] = []
    seen: set[tuple[int, str]] = set()
    waiting = [
        given
        for file in search(function.name)
        for given in _receivers(search, file, function.name, None)
    ]
    while waiting and len(seen) < _STEPS:
        file, receiver, name = waiting.pop(0)
        if (key := (receiver.node.id, name)) in seen:
            continue
        seen.add(key)
        found += [
            (file, call)
            for call in file.declarations.calls.get(name, ())
            if _is_within(call, receiver) and len(call.arguments) == len(function.parameters)
        ]
        waiting += _receivers(search, file, name, receiver)
    return found


def _receivers(
    search: Search, file: File, name: str, inside: Function | None
) -> Iterator[tuple[File, Function, str]]:
    """Functions that are passed a name, each with its file and the parameter that gets it."""
    for called, calls in file.declarations.calls.items():
        for call in calls:
            if inside is not None and not _is_within(call, inside):
                continue
            for position, argument in enumerate(call.arguments):
                if file.source.text_of(argument).lstrip("&") == name and (
                    inside is not None or not is_local(name, argument, file)
                ):
                    yield from _named(search, called, len(call.arguments), position)


def _named(
    search: Search, name: str, count: int, position: int
) -> Iterator[tuple[File, Function, str]]:
    for file in search(name):
        for function in file.declarations.by_name.get(name, ()):
            if function.body is not None and len(function.parameters) == count:
                yield file, function, function.parameters[position].name


def is_local(name: str, node: Node, file: File) -> bool:
    """Whether a name at a place is a variable of the function around: a lambda, a pointer."""
    around = file.declarations.function_at(node.start_byte)
    if around is None:
        return False
    own = body_of(around).visible(name, node.start_byte)
    return own is not None or around.parameter(name) is not None


def _is_within(call: Call, function: Function) -> bool:
    start = call.node.start_byte
    own = call.source is function.source
    return own and function.node.start_byte <= start < function.node.end_byte
