"""`atomicAdd` and its kin."""

from __future__ import annotations

from typing import Any

from perflint.frontend.csubset.conversions import convert, in_register
from perflint.frontend.csubset.lower_expressions import values
from perflint.frontend.csubset.lowering import Lowering
from perflint.frontend.csubset.memory import operand
from perflint.frontend.csubset.types import Pointer
from perflint.frontend.csubset.values import Value, register_class, suffix
from perflint.frontend.source.c_types import CType

_OPERATIONS = {
    **{"atomicAdd": "add", "atomicSub": "add", "atomicMin": "min", "atomicMax": "max"},
    **{"atomicAnd": "and", "atomicOr": "or", "atomicXor": "xor", "atomicExch": "exch"},
    **{"atomicInc": "inc", "atomicDec": "dec", "atomicCAS": "cas"},
}


def call(x: Lowering, name: str, node: Any) -> Value | None:
    """An atomic function's call, relaxed as CUDA's are; None if the name is no such function."""
    base = name.removesuffix("_block").removesuffix("_system")
    operation = _OPERATIONS.get(base)
    if operation is None:
        return None
    held = values(x, node)
    count = 3 if operation == "cas" else 2
    pointer = held[0].type if held else None
    if len(held) != count or not isinstance(pointer, Pointer):
        raise x.outside(f"call of {name} with these arguments", node)
    type_ = pointer.target
    if not isinstance(type_, CType) or type_.size not in (4, 8):
        raise x.outside(f"{name} on this type", node)
    b = x.builder
    operands = [in_register(b, convert(b, v, type_)) for v in held[1:]]
    if base == "atomicSub":
        operands = [b.emit(f"neg.s{8 * type_.size}", register_class(type_), *operands)]
    kind = _type_name(operation, type_)
    space = held[0].space
    where = f".{space}" if space in ("global", "shared") else ""
    result = b.register(register_class(type_))
    b.put(f"atom{where}.{operation}.{kind}", operand(held[0]), *operands, result=result)
    return Value(type_, result)


def _type_name(operation: str, type_: CType) -> str:
    """The instruction type (PTX ISA, atom): adds and subtractions of integers are unsigned."""
    if operation in ("and", "or", "xor", "exch", "cas"):
        return f"b{8 * type_.size}"
    name = suffix(type_)
    return name.replace("s", "u") if operation in ("add", "inc", "dec") and name[0] == "s" else name
