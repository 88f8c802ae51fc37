"""Operators on values, typed and folded by C's rules."""

from __future__ import annotations

from dataclasses import replace

from perflint.frontend.csubset.conversions import (
    as_float,
    convert,
    in_register,
    index_bytes,
    to_space,
    truth,
)
from perflint.frontend.csubset.emission import Builder
from perflint.frontend.csubset.stream import OutsideError
from perflint.frontend.csubset.types import (
    INT,
    LLONG,
    UINT,
    Pointer,
    Type,
    common,
    is_float,
    is_integer,
    promoted,
)
from perflint.frontend.csubset.values import (
    Value,
    from_arithmetic,
    number,
    register_class,
    suffix,
    to_arithmetic,
)
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType

_COMPARISONS = {"<": "lt", ">": "gt", "<=": "le", ">=": "ge", "==": "eq", "!=": "ne"}
_BITS = {"&": "and", "|": "or", "^": "xor"}
_INTEGER = {"+": "add", "-": "sub", "*": "mul.lo", "/": "div", "%": "rem"}
_FLOAT = {"+": "add", "-": "sub", "*": "mul", "/": "div.rn"}


def binary(b: Builder, op: str, left: Value, right: Value) -> Value:
    """`left op right` for every binary operator but `&&`, `||` and the comma."""
    if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
        return _pointers(b, op, left, right)
    if not isinstance(left.type, CType) or not isinstance(right.type, CType):
        raise OutsideError("operator on a struct")
    folded = c_types.binary(op, to_arithmetic(left), to_arithmetic(right))
    if folded is not None:
        return from_arithmetic(folded)
    if op in ("<<", ">>"):
        return _shift(b, op, left, right, left.type)
    if op in _BITS and left.is_predicate and right.is_predicate:
        return Value(INT, b.emit(f"{_BITS[op]}.pred", "p", left.text, right.text))
    type = common(left.type, right.type)
    a, c = _operand(b, left, type), _operand(b, right, type)
    kind = suffix(type)
    if op in _COMPARISONS:
        test = _COMPARISONS[op]
        test = "neu" if test == "ne" and is_float(type) else test
        if type.size == 8 and is_float(type):
            narrow = [as_float(b, v.text, v.number) for v in (a, c)]
            if all(narrow):
                return Value(INT, b.emit(f"setp.{test}.f32", "p", *map(str, narrow)))
        return Value(INT, b.emit(f"setp.{test}.{kind}", "p", a.text, c.text))
    if is_float(type):
        return _floats(b, op, a, c, type)
    if op in _BITS:
        opcode = f"{_BITS[op]}.b{8 * type.size}"
    elif op in _INTEGER:
        opcode = f"{_INTEGER[op]}.{kind}"
        if same := _neutral(op, a, c):
            return same
    else:
        raise OutsideError(f"operator {op}")
    return Value(type, b.emit(opcode, register_class(type), a.text, c.text))


def _operand(b: Builder, value: Value, type: CType) -> Value:
    converted = convert(b, value, type)
    return replace(converted, text=in_register(b, converted))


def _neutral(op: str, left: Value, right: Value) -> Value | None:
    """`x + 0`, `x * 1` and the like are x."""
    neutral = {"+": 0, "-": 0, "*": 1, "/": 1}.get(op)
    if neutral is None:
        return None
    if right.number == neutral:
        return left
    return right if left.number == neutral and op in "+*" else None


def _floats(b: Builder, op: str, left: Value, right: Value, type: CType) -> Value:
    if op not in _FLOAT:
        raise OutsideError(f"operator {op} on floating-point numbers")
    kind, name = register_class(type), suffix(type)
    if op in "+-" and (fused := _fused(b, op, left, right, type)):
        return fused
    result = b.emit(f"{_FLOAT[op]}.{name}", kind, left.text, right.text)
    if type.size == 8:
        opcode = f"{_FLOAT[op]}.{name}"
        b.doubles[result] = (opcode, (left.text, left.number), (right.text, right.number))
    if op == "*":
        b.products[result] = (left.text, right.text)
    return Value(type, result)


def _fused(b: Builder, op: str, left: Value, right: Value, type: CType) -> Value | None:
    """`x * y + z` as one fused multiply-add, which is the compiler's default (-fmad=true)."""
    kind, name = register_class(type), suffix(type)
    if left.text in b.products:
        x, y = b.products[left.text]
        z = right.text
        if op == "-":
            z = b.emit(f"neg.{name}", kind, z)
    elif right.text in b.products:
        x, y = b.products[right.text]
        z = left.text
        if op == "-":
            x = b.emit(f"neg.{name}", kind, x)
    else:
        return None
    return Value(type, b.emit(f"fma.rn.{name}", kind, x, y, z))


def _shift(b: Builder, op: str, left: Value, right: Value, type: CType) -> Value:
    type = promoted(type)
    if not is_integer(type) or not is_integer(right.type):
        raise OutsideError(f"operator {op} on floating-point numbers")
    a, count = _operand(b, left, type), _operand(b, right, UINT)
    bits = 8 * type.size
    opcode = f"shl.b{bits}" if op == "<<" else f"shr.{'s' if type.signed else 'u'}{bits}"
    return Value(type, b.emit(opcode, register_class(type), a.text, count.text))


# --- pointers -------------------------------------------------------------------------------------


def moved(b: Builder, pointer: Value, index: Value, negative: bool = False) -> Value:
    """`pointer + index`, or `pointer - index`."""
    assert isinstance(pointer.type, Pointer)
    text, known = index_bytes(b, index, pointer.type.target.size)
    if not text:
        return replace(pointer, offset=pointer.offset + (-known if negative else known))
    base = pointer.text
    if not base.startswith("%"):
        base = b.emit("mov.u64", "rd", base)
    opcode = "sub.s64" if negative else "add.s64"
    return replace(pointer, text=b.emit(opcode, "rd", base, text))


def _pointers(b: Builder, op: str, left: Value, right: Value) -> Value:
    if op == "+":
        pointer, index = (left, right) if isinstance(left.type, Pointer) else (right, left)
        return moved(b, pointer, index)
    if op == "-" and not isinstance(right.type, Pointer):
        return moved(b, left, right, negative=True)
    void = left.type if isinstance(left.type, Pointer) else right.type
    left, right = convert(b, left, void), convert(b, right, void)
    if left.space != right.space:
        space = "generic" if "null" not in (left.space, right.space) else ""
        space = space or next(v.space for v in (left, right) if v.space != "null")
        left, right = to_space(b, left, space), to_space(b, right, space)
    a, c = in_register(b, left), in_register(b, right)
    if op == "-":
        assert isinstance(void, Pointer)
        distance = b.emit("sub.s64", "rd", a, c)
        size = void.target.size
        return Value(LLONG, b.emit("div.s64", "rd", distance, str(size)) if size > 1 else distance)
    if op not in _COMPARISONS:
        raise OutsideError(f"operator {op} on pointers")
    test = {"lt": "lo", "gt": "hi", "le": "ls", "ge": "hs"}.get(_COMPARISONS[op])
    kind = "u64" if test else "s64"
    return Value(INT, b.emit(f"setp.{test or _COMPARISONS[op]}.{kind}", "p", a, c))


# --- one operand ----------------------------------------------------------------------------------


def unary(b: Builder, op: str, operand: Value) -> Value:
    """`+ - ~ !`."""
    if op == "!":
        held = truth(b, operand)
        if held.number is not None:
            return number(int(not held.number), INT)
        return Value(INT, b.emit("not.pred", "p", held.text))
    if not isinstance(operand.type, CType):
        raise OutsideError(f"operator {op} on what is no number")
    folded = c_types.unary(op, to_arithmetic(operand))
    if folded is not None:
        return from_arithmetic(folded)
    type = promoted(operand.type)
    value = _operand(b, operand, type)
    if op == "+":
        return value
    if op == "~" and is_integer(type):
        return Value(type, b.emit(f"not.b{8 * type.size}", register_class(type), value.text))
    if op != "-":
        raise OutsideError(f"operator {op}")
    kind = suffix(type).replace("u", "s")
    return Value(type, b.emit(f"neg.{kind}", register_class(type), value.text))


def balanced(b: Builder, left: Value, right: Value) -> Type:
    """The type of `c ? left : right`."""
    if left.type == right.type:
        return left.type
    if isinstance(left.type, Pointer):
        return left.type
    if isinstance(right.type, Pointer):
        return right.type
    if isinstance(left.type, CType) and isinstance(right.type, CType):
        return common(left.type, right.type)
    raise OutsideError("conditional expression of different structs")
