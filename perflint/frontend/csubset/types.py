"""C's types as the lowering sees them: arithmetic ones, pointers, arrays, structs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import CType

BOOL, INT, UINT = c_types.BOOL, c_types.INT, c_types.UINT
LLONG, ULLONG, ULONG, LONG = c_types.LLONG, c_types.ULLONG, c_types.ULONG, c_types.LONG
FLOAT, DOUBLE = c_types.FLOAT, c_types.DOUBLE


@dataclass(frozen=True)
class Void:
    """`void`."""

    size: int = 1
    alignment: int = 1


@dataclass(frozen=True)
class Pointer:
    """A pointer; where it points to is a matter of the value, not of the type."""

    target: Type
    size: int = 8
    alignment: int = 8


@dataclass(frozen=True)
class Array:
    """`element[count]`; a count of 0 is `element[]`."""

    element: Type
    count: int

    @property
    def size(self) -> int:
        return self.element.size * self.count

    @property
    def alignment(self) -> int:
        return alignment_of(self.element)


@dataclass(frozen=True)
class Field:
    """One member of a struct."""

    name: str
    type: Type
    offset: int


@dataclass(frozen=True)
class Struct:
    """A struct or a union, laid out."""

    name: str
    fields: tuple[Field, ...]
    size: int
    alignment: int

    def field(self, name: str) -> Field | None:
        return next((f for f in self.fields if f.name == name), None)


Type = CType | Pointer | Array | Struct | Void
VOID = Void()


def alignment_of(type: Type) -> int:
    """Bytes that an object's address is a multiple of."""
    return type.alignment or type.size


def lay_out(
    name: str, members: list[tuple[str, Type]], union: bool = False, align: int = 0
) -> Struct:
    """A struct with its members at System V offsets, as host and device have them."""
    offset, alignment, fields, size = 0, max(1, align), [], 0
    for member, type in members:
        step = alignment_of(type)
        offset = 0 if union else -(-offset // step) * step
        if member or not isinstance(type, Struct):
            fields.append(Field(member, type, offset))
        else:  # the members of an anonymous struct or union are this one's
            fields += [Field(f.name, f.type, offset + f.offset) for f in type.fields]
        offset += type.size
        size, alignment = max(size, offset), max(alignment, step)
    return Struct(name, tuple(fields), -(-max(size, 1) // alignment) * alignment, alignment)


def leaves(type: Type, offset: int = 0) -> Iterator[tuple[int, CType | Pointer]]:
    """The scalars of a type with their byte offsets, in order."""
    if isinstance(type, Struct):
        for field in type.fields:
            yield from leaves(field.type, offset + field.offset)
    elif isinstance(type, Array):
        for i in range(type.count):
            yield from leaves(type.element, offset + i * type.element.size)
    elif not isinstance(type, Void):
        yield offset, type


def is_integer(type: Type) -> bool:
    return isinstance(type, CType) and type.kind == "int"


def is_float(type: Type) -> bool:
    return isinstance(type, CType) and type.kind == "float"


def promoted(type: CType) -> CType:
    """The integer promotions (C17 6.3.1.1)."""
    return INT if type.kind == "int" and type.rank < INT.rank else type


def common(left: CType, right: CType) -> CType:
    """The usual arithmetic conversions (C17 6.3.1.8)."""
    result = c_types.binary("+", c_types.Value(0, left), c_types.Value(0, right))
    assert result is not None
    return result.type


def vector(name: str) -> Struct | None:
    """A CUDA vector type (`float4`, `dim3`) as the struct that it is."""
    element = c_types.ELEMENTS.get(name)
    if element is None:
        return None
    count = 3 if name == "dim3" else int(name[-1])
    packed = element.size if count == 3 else min(16, element.size * count)
    return lay_out(name, [(axis, element) for axis in "xyzw"[:count]], align=packed)
