"""Structs that a launch passes by value: what each of their fields is, where that can be read."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice

from perflint.frontend.source.host.objects.origins import followed, made_struct
from perflint.frontend.source.host.objects.structs import struct_of
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.host.values.host_values import AXES
from perflint.frontend.source.language.c_types import ELEMENTS, CType
from perflint.frontend.source.language.declarators import Parameter, without_arguments
from perflint.frontend.source.language.model import LaunchArgument, LaunchField, StructArgument
from perflint.frontend.source.language.struct_layout import Field, Layout, layout_of
from perflint.frontend.source.language.tokens import tokenize
from perflint.frontend.source.launches.formulas import launch_argument

#: Fields and elements that are looked for. Larger structs are tables or hold the whole program.
_MOST_FIELDS = 64
_MOST_ELEMENTS = 8  #: of an array in a struct
_DEEPEST = 4  #: structs in structs


def with_fields(
    argument: LaunchArgument, parameter: Parameter, types: Collection[str], place: Environment
) -> LaunchArgument:
    """A launch's argument with its fields, where the kernel takes a struct by value there.

    `types` are the kernel's type parameters: an argument of such a type tells its own.
    """
    if parameter.pointers:
        return argument
    layout = (
        _made_layout(argument.text, place)
        if parameter.type in types
        else _layout(parameter.type, place)
    )
    leaves = () if layout is None else tuple(islice(_leaves(layout, place), _MOST_FIELDS + 1))
    if layout is None or len(leaves) > _MOST_FIELDS:
        return argument
    text = f"({argument.text})" if argument.text.startswith("*") else argument.text
    fields = (
        LaunchField(path, offset, kind, launch_argument(f"{text}.{path}", place))
        for path, offset, kind in leaves
    )
    return replace(argument, struct=StructArgument(layout.size, tuple(fields)))


def _layout(words: str, place: Environment) -> Layout | None:
    name = without_arguments(words).split("::")[-1].strip()
    found = struct_of(name, place) if name.isidentifier() else None
    return None if found is None else layout_of(found[1].file.source, found[0], found[1])


def _made_layout(text: str, place: Environment) -> Layout | None:
    """The layout of a struct that goes where a template takes any type: `Gather{a, b}`."""
    origin = followed(text, place)
    made = made_struct(tokenize(origin.text), origin.place)
    words = made[0] if made else origin.place.declared_type(origin.text)
    return None if origin.path else _layout(words, origin.place)


def _leaves(
    layout: Layout, place: Environment, start: int = 0, depth: int = 0
) -> Iterator[tuple[str, int, CType]]:
    """(path, byte offset, type) of the numbers and pointers in a struct, those in structs in it."""
    for field in layout.fields:
        for path, offset in _elements(field):
            at = start + offset
            if element := ELEMENTS.get(field.words) if field.is_nested else None:
                for number, axis in enumerate(AXES[: field.type.size // element.size]):
                    yield f"{path}.{axis}", at + number * element.size, element
            elif not field.is_nested:
                yield path, at, field.type
            elif depth < _DEEPEST and (inner := _layout(field.words, place)) is not None:
                for below, further, kind in _leaves(inner, place, at, depth + 1):
                    yield f"{path}.{below}", further, kind


def _elements(field: Field) -> Iterator[tuple[str, int]]:
    """A field, or the elements of a short array."""
    if not field.extents:
        yield field.name, field.offset
    elif len(field.extents) == 1 and field.extents[0] <= _MOST_ELEMENTS:
        for index in range(field.extents[0]):
            yield f"{field.name}[{index}]", field.offset + index * field.type.size
