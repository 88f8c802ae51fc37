"""Conversions between types, and the truth of a value."""

from __future__ import annotations

from dataclasses import replace

from perflint.frontend.csubset.emission import Builder
from perflint.frontend.csubset.stream import OutsideError
from perflint.frontend.csubset.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    ULLONG,
    Array,
    Pointer,
    Struct,
    Type,
    Void,
    is_float,
    is_integer,
)
from perflint.frontend.csubset.values import (
    Value,
    from_arithmetic,
    immediate,
    memory_suffix,
    number,
    register_class,
    suffix,
    to_arithmetic,
)
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType


def convert(b: Builder, value: Value, target: Type) -> Value:
    """Convert as an assignment does. Raises OutsideError where C would not."""
    if isinstance(target, Void):
        return replace(value, type=target)
    if isinstance(target, Pointer) or isinstance(value.type, Pointer):
        return _pointer(b, value, target)
    if isinstance(target, (Struct, Array)) or isinstance(value.type, (Struct, Array, Void)):
        if value.type == target:
            return value
        raise OutsideError("conversion of a struct")
    if value.type == target and not (value.is_predicate and target != BOOL):
        return value
    if value.number is not None:
        return _known(value, target)
    if target == BOOL:
        return replace(truth(b, value), type=BOOL)
    if value.is_predicate:
        value = materialised(b, value)
    source = value.type
    assert isinstance(source, CType)
    if is_float(source) or is_float(target):
        return _through_float(b, value, source, target)
    return Value(target, _integer(b, value.text, source, target))


def _known(value: Value, target: CType) -> Value:
    known = to_arithmetic(value)
    found = c_types.convert(known, target)
    if found is not None:
        return from_arithmetic(found)
    assert known is not None
    if target.kind == "float":  # an infinity or a NaN
        return Value(target, immediate(known.number, target), known.number)
    raise OutsideError("conversion of a constant that has no value")


def _pointer(b: Builder, value: Value, target: Type) -> Value:
    if isinstance(target, Pointer):
        if isinstance(value.type, Pointer):
            return replace(value, type=target)
        if value.number is not None:
            # A null pointer fits every space.
            return Value(target, str(int(value.number)), None, "null")
        return Value(target, convert(b, value, ULLONG).text, None, "generic")
    if target == BOOL:
        return replace(truth(b, value), type=BOOL)
    address = Value(ULLONG, in_register(b, to_space(b, value, "generic")))
    return convert(b, address, target)


def to_space(b: Builder, pointer: Value, space: str) -> Value:
    """The same pointer as one into `space`, or a generic one."""
    if pointer.space in (space, "null"):
        return replace(pointer, space=space)
    if space != "generic":
        text = b.emit(f"cvta.to.{space}.u64", "rd", in_register(b, pointer))
        return Value(pointer.type, text, None, space)
    text = b.emit(f"cvta.{pointer.space}.u64", "rd", in_register(b, pointer))
    return Value(pointer.type, text, None, "generic")


def in_register(b: Builder, value: Value) -> str:
    """The operand that holds a scalar: a pointer's offset added, symbols and predicates read."""
    if isinstance(value.type, Pointer):
        text = value.text
        if not text.startswith("%") and not text.isdigit():
            text = b.emit("mov.u64", "rd", text)
        return b.emit("add.s64", "rd", text, str(value.offset)) if value.offset else text
    return materialised(b, value).text


def materialised(b: Builder, value: Value) -> Value:
    """A predicate as 0 or 1; anything else as it is."""
    if not value.is_predicate:
        return value
    return replace(value, text=b.emit("selp.u32", "r", "1", "0", value.text))


def _through_float(b: Builder, value: Value, source: CType, target: CType) -> Value:
    kind = register_class(target)
    if is_float(source) and is_float(target):
        if target.size < source.size:
            return _narrowed(b, value, target)
        text = b.emit("cvt.f64.f32", kind, value.text)
        b.widened[text] = value.text
        return Value(target, text)
    if is_float(target):
        return Value(target, b.emit(f"cvt.rn.{suffix(target)}.{suffix(source)}", kind, value.text))
    # To a narrow integer by way of an int, as nvcc does.
    wide = target if target.size >= 4 else INT
    opcode = f"cvt.rzi.{suffix(wide)}.{suffix(source)}"
    text = b.emit(opcode, register_class(wide), value.text)
    return Value(target, _integer(b, text, wide, target))


def _narrowed(b: Builder, value: Value, target: CType) -> Value:
    """A double as a float: computed as one where that gives the same, as compilers do.

    One operator on floats rounds the same through double (Figueroa, When is double rounding
    innocuous?, 1995: 53 bits are at least 2 * 24 + 2).
    """
    if value.text in b.widened:
        return Value(target, b.widened[value.text])
    if value.text in b.doubles:
        op, *operands = b.doubles[value.text]
        narrow = [as_float(b, text, known) for text, known in operands]
        if all(narrow):
            return Value(target, b.emit(op.replace("f64", "f32"), "f", *map(str, narrow)))
    return Value(target, b.emit("cvt.rn.f32.f64", "f", value.text))


def as_float(b: Builder, text: str, known: int | float | None) -> str | None:
    """The float that a double surely is, as an operand; None if it may be none."""
    if known is None:
        return b.widened.get(text)
    found = c_types.convert(c_types.Value(float(known), DOUBLE), FLOAT)
    return immediate(known, FLOAT) if found is not None and found.number == known else None


def _integer(b: Builder, text: str, source: CType, target: CType) -> str:
    """An integer in a register, converted to another integer type."""
    if target.size == 8:
        if source.size == 8:
            return text
        return b.emit(f"cvt.{'s64.s32' if source.signed else 'u64.u32'}", "rd", text)
    if source.size == 8:
        text = b.emit("cvt.u32.u64", "r", text)
    if target.size == 4 or _fits(source, target):
        return text
    if not target.signed:
        return b.emit("and.b32", "r", text, str((1 << 8 * target.size) - 1))
    return b.emit(f"cvt.s32.{memory_suffix(target)}", "r", text)


def _fits(source: CType, target: CType) -> bool:
    """Whether every value of one small integer type is one of the other."""
    if source.signed == target.signed:
        return source.size <= target.size
    return not source.signed and source.size < target.size


def truth(b: Builder, value: Value) -> Value:
    """Whether a scalar is not zero: a predicate, or a known 0 or 1."""
    if value.is_predicate:
        return replace(value, type=INT)
    if value.number is not None:
        return number(int(value.number != 0), INT)
    if isinstance(value.type, Pointer):
        text = in_register(b, to_space(b, value, "generic"))
        return Value(INT, b.emit("setp.ne.s64", "p", text, "0"))
    if not isinstance(value.type, CType):
        raise OutsideError("condition that is no number")
    test = "neu" if is_float(value.type) else "ne"
    kind = suffix(value.type)
    zero = immediate(0, value.type)
    return Value(INT, b.emit(f"setp.{test}.{kind}", "p", value.text, zero))


def index_bytes(b: Builder, index: Value, size: int) -> tuple[str, int]:
    """An index in bytes: (64-bit operand or "", bytes known), multiplied as nvcc does."""
    if index.number is not None:
        return "", int(index.number) * size
    type_ = index.type
    if not isinstance(type_, CType) or not is_integer(type_):
        raise OutsideError("index that is no integer")
    index = materialised(b, index)
    if type_.size == 8:
        if size == 1:
            return index.text, 0
        return b.emit("mul.lo.s64", "rd", index.text, str(size)), 0
    if size == 1:
        return convert(b, index, LLONG if type_.signed else ULLONG).text, 0
    kind = "s32" if type_.signed else "u32"
    return b.emit(f"mul.wide.{kind}", "rd", index.text, str(size)), 0
