"""What expressions come to: values in registers or known numbers, and places that hold them."""

from __future__ import annotations

import struct
from dataclasses import replace

from perflint.base.records import dataclass
from perflint.frontend.csubset.types import Pointer, Struct, Type, is_float
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType


@dataclass(frozen=True)
class Value:
    """A value and its type.

    `text` is a register, or an immediate; of a predicate the type is int (or bool) and the
    register a `%p`. A pointer adds `offset` bytes to its register (or symbol).
    """

    type: Type
    text: str = ""
    number: int | float | None = None  #: where it is known
    space: str = ""  #: of a pointer: `global`, `shared`, `local`, `const`, `generic`
    offset: int = 0
    parts: tuple[Value, ...] = ()  #: of a struct: its leaves

    @property
    def is_predicate(self) -> bool:
        return self.text.startswith("%p")

    def at(self, offset: int, target: Type) -> Value:
        """The pointer moved by bytes, to something else."""
        return replace(self, type=Pointer(target), offset=self.offset + offset)


@dataclass(frozen=True)
class Place:
    """An lvalue: registers (one a leaf) or an address."""

    type: Type
    registers: tuple[str, ...] = ()
    address: Value | None = None
    variable: Variable | None = None  #: of a pointer in a register: whose space is on record


@dataclass(eq=False)
class Variable:
    """A declared name and where it lives."""

    name: str
    type: Type
    place: Place
    key: tuple[object, ...] = ()
    number: int | float | None = None  #: of a constant that is never written


def number(value: int | float, type: CType) -> Value:
    """A known number as a value."""
    return Value(type, immediate(value, type), value)


def from_arithmetic(value: c_types.Value) -> Value:
    return number(value.number, value.type)


def to_arithmetic(value: Value) -> c_types.Value | None:
    """The known number, or None."""
    if value.number is None or not isinstance(value.type, CType):
        return None
    return c_types.Value(value.number, value.type)


def immediate(value: int | float, type: CType) -> str:
    """A number as PTX writes it: `0f3F800000` is 1.0f (PTX ISA, floating-point constants)."""
    if not is_float(type):
        return str(int(value))
    if type.size == 4:
        return "0f" + struct.pack(">f", value).hex().upper()
    return "0d" + struct.pack(">d", value).hex().upper()


def register_class(type: Type) -> str:
    """The class of register that holds a scalar."""
    if isinstance(type, CType):
        if type.kind == "float":
            return "f" if type.size == 4 else "fd"
        return "rd" if type.size == 8 else "r"
    assert not isinstance(type, Struct)
    return "rd"


def suffix(type: Type) -> str:
    """The type of arithmetic on a scalar: `s32`, `u64`, `f32`; small integers are 32-bit."""
    if isinstance(type, CType):
        if type.kind == "float":
            return f"f{8 * type.size}"
        return f"{'s' if type.signed else 'u'}{64 if type.size == 8 else 32}"
    return "u64"


def memory_suffix(type: Type) -> str:
    """The type of a load or store of a scalar: `u8`, `s16`, `f32`."""
    if isinstance(type, CType) and type.kind == "int":
        return f"{'s' if type.signed else 'u'}{8 * type.size}"
    return suffix(type)


def unsigned_suffix(type: Type) -> str:
    """As `memory_suffix`, where the sign does not matter: `u16`."""
    return memory_suffix(type).replace("s", "u")
