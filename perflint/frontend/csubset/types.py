"""C's types as the lowering sees them: arithmetic ones, pointers, arrays, structs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from perflint.base.records import dataclass
from perflint.frontend.csubset.stream import OutsideError
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType

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
    whole = c_types.TYPES[name]
    axes = "xyzw"[: whole.size // element.size]
    return lay_out(name, [(axis, element) for axis in axes], align=whole.alignment)


#: Bytes of the largest array; more is no kernel's.
_LARGEST = 1 << 40


# --- declarations ---------------------------------------------------------------------------------


class Names(Protocol):
    """Where types and constants are looked up."""

    def type(self, name: str) -> Type: ...

    def fold(self, node: Any) -> int | float | None: ...


def typed(node: Any, names: Names, align: int = 0) -> Type:
    """The type of a declarator's tree. Raises OutsideError for one that the subset lacks."""
    kind = type(node).__name__
    if kind in ("TypeDecl", "Typename", "Decl"):
        return typed(node.type, names, align)
    if kind == "IdentifierType":
        return _named(tuple(node.names), names)
    if kind == "PtrDecl":
        if type(node.type).__name__ == "FuncDecl":
            raise OutsideError("function pointer")
        return Pointer(typed(node.type, names))
    if kind == "ArrayDecl":
        return _array(node, names)
    if kind in ("Struct", "Union"):
        if node.decls is None:
            return names.type(node.name)
        members = [
            (member.name or "", typed(member.type, names))
            for member in node.decls
            if type(member).__name__ == "Decl" and _is_field(member)
        ]
        return lay_out(node.name or "", members, kind == "Union", align)
    if kind == "Enum":
        return INT
    raise OutsideError("function pointer" if kind == "FuncDecl" else f"declaration ({kind})")


def _is_field(member: Any) -> bool:
    if member.bitsize is not None:
        raise OutsideError("bit-field")
    return True


def _named(words: tuple[str, ...], names: Names) -> Type:
    if words == ("void",):
        return VOID
    if len(words) == 1 and words[0] not in ("int", "char", "short", "long", "unsigned", "signed"):
        return names.type(words[0])
    found = c_types.basic_type(words)
    if found is None:
        raise OutsideError(f"type {' '.join(words)}")
    return found


def _array(node: Any, names: Names) -> Array:
    element = typed(node.type, names)
    if node.dim is None:
        return Array(element, 0)
    count = names.fold(node.dim)
    if not isinstance(count, int) or count < 0 or count * element.size > _LARGEST:
        raise OutsideError("array whose size is no constant")
    return Array(element, count)
