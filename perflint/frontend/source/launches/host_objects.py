"""What a host variable's memory holds at one place, as far as its parts fold."""

from __future__ import annotations

from collections.abc import Iterator

from perflint.frontend.source.host.objects.struct_fields import fields_of
from perflint.frontend.source.host.values.allocations import without_casts
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.host.values.host_values import AXES
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import ELEMENTS, CType, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.lookup import Declared
from perflint.frontend.source.language.model import HeldValue
from perflint.frontend.source.language.reaching_definitions import PARAMETER
from perflint.frontend.source.language.struct_layout import Field
from perflint.frontend.source.language.tokens import Token, closing, spell, tokenize
from perflint.frontend.source.language.trees import argument_texts

#: Elements of an array that are read. Larger ones are tables, which seldom stand in the host code.
_MOST_ELEMENTS = 256
_DEPTH_LIMIT = 8


def held_values(text: str, place: Environment, depth: int = 0) -> tuple[HeldValue, ...]:
    """What the memory holds that an address expression leads to: `&n`, `table`, `&table[2]`.

    Offsets are bytes from that address. What is not known is left out. Pointers are followed
    through the callers' arguments and through variables. Raises UndecidedError.
    """
    tokens = without_casts(tokenize(text))
    if not tokens or depth > _DEPTH_LIMIT:
        return ()
    if tokens[0].text == "&":
        return tuple(_of_lvalue(without_casts(tokens[1:]), place))
    if len(tokens) != 1 or tokens[0].kind != "name":
        return ()
    name = tokens[0].text
    declared = place.declared(name)
    if declared is None:
        return ()
    if declared.extents and not declared.pointers:
        return tuple(_of_array(name, 0, place))
    return _through_pointer(name, place, depth) if declared.pointers else ()


def _through_pointer(name: str, place: Environment, depth: int) -> tuple[HeldValue, ...]:
    """What a local pointer or a parameter leads to."""
    function = place.function
    definition = place.reaching(name) if place.is_local(name) else None
    if definition is None or function is None:
        return ()
    if definition is PARAMETER:
        found = place.argument(function, function.position(name))
        return () if found is None else held_values(found[0], found[1], depth + 1)
    if definition.value is None:
        return ()
    text = place.definition_text(definition)
    if not _is_untouched(text, definition.start, place):
        return ()
    return held_values(text, place.moved(definition.start), depth + 1)


def _is_untouched(text: str, since: int, place: Environment) -> bool:
    """Whether nothing is written to a variable between two places of its function."""
    names = [t.text for t in tokenize(text) if t.kind == "name"]
    body = place.body()
    if body is None or not names:
        return False
    writes = body.writes(names[-1], body.visible(names[-1], since))
    return not any(since < d.start < place.at for d in writes)


def _of_lvalue(tokens: list[Token], place: Environment) -> Iterator[HeldValue]:
    """What is at `n`, `p`, `table[2]`."""
    name = tokens[0].text if tokens and tokens[0].kind == "name" else ""
    declared = place.declared(name) if name else None
    if declared is None or declared.pointers:
        return
    if len(tokens) == 1 and not declared.extents:
        yield from _of_variable(name, place)
    elif len(tokens) == 1:
        yield from _of_array(name, 0, place)
    elif tokens[1].text == "[" and closing(tokens, 1) == len(tokens) - 1 and declared.extents:
        index = fold(spell(tokens[2:-1]), place)
        if index is not None and index.number >= 0:
            yield from _of_array(name, int(index.number), place)


def _of_variable(name: str, place: Environment) -> Iterator[HeldValue]:
    """The parts of a scalar, a vector or a struct."""
    words = place.declared_type(name)
    declared = place.declared(name)
    if _is_aliased(name, place):
        return
    if element := ELEMENTS.get(words):
        count = 3 if words == "dim3" else int(words[-1])
        for number, axis in enumerate(AXES[:count]):
            yield from _held(place.member(name, axis), element, number * element.size)
    elif declared is not None and declared.type is not None and declared.type.kind != "opaque":
        yield from _held(place.variable(name), declared.type, 0)
    else:
        yield from _of_struct(name, fields_of(words, place) or (), declared, place)


def _of_struct(
    name: str, fields: tuple[Field, ...], declared: Declared | None, place: Environment
) -> Iterator[HeldValue]:
    """The scalar fields of a struct, and what lies between fields, as zeros: nobody reads that."""
    end = 0
    for field in fields:
        if field.offset > end:
            yield HeldValue(end, field.offset - end, 0, False)
        if not field.extents and field.type.kind != "opaque":
            yield from _held(place.member(name, field.name), field.type, field.offset)
        end = field.end
    if fields and declared is not None and declared.type is not None and declared.type.size > end:
        yield HeldValue(end, declared.type.size - end, 0, False)


def _of_array(name: str, first: int, place: Environment) -> Iterator[HeldValue]:
    """The elements of a one-dimensional array of scalars, from one of them on."""
    declared = place.declared(name)
    if declared is None or declared.type is None or len(declared.extents) != 1:
        return
    count, kind = declared.extents[0], declared.type
    if count is None:
        count = _length(name, place)
    if count is None or count > _MOST_ELEMENTS or kind.kind == "opaque" or _is_aliased(name, place):
        return
    for index in range(first, count):
        yield from _held(place.member(name, f"[{index}]"), kind, (index - first) * kind.size)


def _length(name: str, place: Environment) -> int | None:
    """The elements of `int a[] = {1, 2}`."""
    found = place.initialiser(name)
    parts = argument_texts(found[0]) if found is not None else None
    return None if parts is None else len(parts)


def _held(value: Value | None, kind: CType, offset: int) -> Iterator[HeldValue]:
    converted = c_types.convert(value, kind)
    if converted is not None:
        yield HeldValue(offset, kind.size, converted.number, kind.kind == "float")


def _is_aliased(name: str, place: Environment) -> bool:
    """Whether another variable of the function is set from an array's or a variable's address."""
    body = place.body()
    if body is None:
        return False
    source = place.file.source
    for definition in (d for each in body.definitions.values() for d in each):
        if definition.value is None or definition.name == name:
            continue
        words = [t.text for t in without_casts(tokenize(source.text_of(definition.value)))]
        if words == [name] and _is_array(name, place):
            return True
    return False


def _is_array(name: str, place: Environment) -> bool:
    declared = place.declared(name)
    return declared is not None and bool(declared.extents)
