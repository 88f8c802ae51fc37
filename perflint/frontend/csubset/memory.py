"""Loads from and stores to places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perflint.frontend.csubset.conversions import convert, in_register, to_space
from perflint.frontend.csubset.kernel_state import Lowering
from perflint.frontend.csubset.stream import OutsideError
from perflint.frontend.csubset.types import Array, Pointer, Struct, Void, leaves
from perflint.frontend.csubset.values import (
    Place,
    Value,
    memory_suffix,
    number,
    register_class,
    unsigned_suffix,
)
from perflint.frontend.source.language.c_types import CType


def load(x: Lowering, place: Place) -> Value:
    """The value at a place; an array becomes the pointer to its first element."""
    type = place.type
    if isinstance(type, Array):
        assert place.address is not None
        return replace(place.address, type=Pointer(type.element))
    if isinstance(type, Void):
        raise OutsideError("void expression")
    if place.address is None:
        return _of_registers(x, place)
    if isinstance(type, Struct):
        found = _load_struct(x, type, place.address)
        return Value(type, parts=found)
    return _load_scalar(x, type, place.address)


def _of_registers(x: Lowering, place: Place) -> Value:
    known = place.variable.number if place.variable is not None else None
    if known is not None and isinstance(place.type, CType):
        return number(known, place.type)
    values = []
    for index, ((_, type), register) in enumerate(
        zip(leaves(place.type), place.registers, strict=True)
    ):
        space = ""
        if isinstance(type, Pointer):
            space = "generic" if place.variable is None else _space(x, place, index)
        values.append(Value(type, register, None, space))
    if isinstance(place.type, Struct):
        return Value(place.type, parts=tuple(values))
    return values[0]


def _space(x: Lowering, place: Place, index: int) -> str:
    assert place.variable is not None
    return x.space_of(place.variable, _leaf(place, index))


def _leaf(place: Place, index: int) -> int:
    """The index of a member's register among those of the whole variable."""
    assert place.variable is not None
    return place.variable.place.registers.index(place.registers[index])


def _load_scalar(x: Lowering, type: CType | Pointer, address: Value) -> Value:
    kind, name = register_class(type), memory_suffix(type)
    text = x.builder.emit(f"ld{_of(address)}.{name}", kind, operand(address))
    if isinstance(type, Pointer) and address.space not in ("shared", "local"):
        # A pointer that the host put into memory points into global memory, as nvcc assumes.
        return Value(type, x.builder.emit("cvta.to.global.u64", "rd", text), None, "global")
    return Value(type, text, None, "generic" if isinstance(type, Pointer) else "")


def _of(address: Value) -> str:
    if address.space in ("generic", "null", ""):
        return ""
    return f".{address.space}"


def operand(address: Value) -> str:
    """`[%rd1+8]`."""
    return f"[{address.text}+{address.offset}]" if address.offset else f"[{address.text}]"


def _load_struct(x: Lowering, type: Struct, address: Value) -> tuple[Value, ...]:
    found: list[Value] = []
    for offset, group in _vectors(type):
        first, there = group[0], address.at(offset, group[0])
        if len(group) == 1:
            found.append(_load_scalar(x, first, there))
            continue
        opcode = f"ld{_of(address)}.v{len(group)}.{memory_suffix(first)}"
        registers = x.builder.emit_parts(opcode, register_class(first), len(group), operand(there))
        found += [Value(t, r) for t, r in zip(group, registers, strict=True)]
    return tuple(found)


def _vectors(type: Struct) -> list[tuple[int, Sequence[CType | Pointer]]]:
    """A struct's scalars in groups that one vector access moves, by alignment as nvcc does."""
    scalars = list(leaves(type))
    groups: list[tuple[int, Sequence[CType | Pointer]]] = []
    at = 0
    while at < len(scalars):
        offset, first = scalars[at]
        width = 1
        for count in (4, 2):
            size = count * first.size
            same = [t for _, t in scalars[at : at + count]] == [first] * count
            fits = type.alignment >= size and offset % size == 0 and size <= 16
            if same and fits and not isinstance(first, Pointer):
                width = count
                break
        groups.append((offset, [t for _, t in scalars[at : at + width]]))
        at += width
    return groups


def store(x: Lowering, place: Place, value: Value) -> Value:
    """Convert a value to the place's type and put it there; the value it now has."""
    b = x.builder
    converted = convert(b, value, place.type)
    if place.address is None:
        return _to_registers(x, place, converted)
    if isinstance(place.type, (Struct, Array)):
        if not isinstance(place.type, Struct):
            raise OutsideError("assignment to an array")
        _store_struct(x, place.type, place.address, converted)
        return converted
    _store_scalar(x, place.address, converted)
    return converted


def _to_registers(x: Lowering, place: Place, value: Value) -> Value:
    parts = value.parts if isinstance(place.type, Struct) else (value,)
    if len(parts) != len(place.registers):
        raise OutsideError("assignment of a struct")
    # All parts are read before the first is written: `v = swapped(v)`.
    b = x.builder
    texts = []
    for index, part in enumerate(parts):
        if isinstance(part.type, Pointer) and place.variable is not None:
            leaf = _leaf(place, index)
            space = x.joined_space(place.variable, part.space, leaf)
            if space == "generic" or part.space == "null":
                part = to_space(b, part, space)
        elif isinstance(part.type, Pointer):
            part = to_space(b, part, "generic")
        text = in_register(b, part)
        if len(parts) > 1 and text in place.registers:
            text = b.emit(
                f"mov.b{32 if register_class(part.type) in 'rf' else 64}",
                register_class(part.type),
                text,
            )
        texts.append(text)
    for register, text in zip(place.registers, texts, strict=True):
        if register != text:
            b.move(register, text)
    return load(x, place)


def _store_scalar(x: Lowering, address: Value, value: Value) -> None:
    b = x.builder
    if isinstance(value.type, Pointer):
        value = to_space(b, value, "generic")
    text = in_register(b, value)
    b.put(f"st{_of(address)}.{unsigned_suffix(value.type)}", operand(address), text)


def _store_struct(x: Lowering, type: Struct, address: Value, value: Value) -> None:
    at = 0
    for offset, group in _vectors(type):
        there = address.at(offset, group[0])
        parts = value.parts[at : at + len(group)]
        at += len(group)
        if len(group) == 1:
            _store_scalar(x, there, parts[0])
            continue
        texts = ", ".join(in_register(x.builder, p) for p in parts)
        opcode = f"st{_of(address)}.v{len(group)}.{unsigned_suffix(group[0])}"
        x.builder.put(opcode, operand(there), "{" + texts + "}")
