"""C's scalar types, conversions and operators on a 64-bit Linux host (LP64: `long` has 64 bits).

What C leaves undefined (signed overflow, a shift by the width, division by zero, a float out of an
integer's range) has no value here: the result is None.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import field, replace

from perflint.base.records import dataclass
from perflint.frontend.source.language.terms import TERM_LIMIT, UNWRAPPED, Applied, Constant, Term


@dataclass(frozen=True)
class CType:
    """A scalar type, or one of which only the size is known."""

    name: str
    kind: str  #: `int`, `float`, or `opaque` (structs, pointers: only sizeof works)
    size: int  #: bytes
    signed: bool = True
    rank: int = 0  #: integer conversion rank (C17 6.3.1.1)
    alignment: int = 0  #: bytes; 0: its size


@dataclass(frozen=True)
class Value:
    """A number and its C type."""

    number: int | float
    type: CType
    #: how it is computed of what is not known; None if it is the same whatever that is
    term: Term | None = field(default=None, compare=False, repr=False)


BOOL = CType("bool", "int", 1, False, 0)
CHAR = CType("char", "int", 1, True, 1)
UCHAR = CType("unsigned char", "int", 1, False, 1)
SHORT = CType("short", "int", 2, True, 2)
USHORT = CType("unsigned short", "int", 2, False, 2)
INT = CType("int", "int", 4, True, 3)
UINT = CType("unsigned int", "int", 4, False, 3)
LONG = CType("long", "int", 8, True, 4)
ULONG = CType("unsigned long", "int", 8, False, 4)
LLONG = CType("long long", "int", 8, True, 5)
ULLONG = CType("unsigned long long", "int", 8, False, 5)
FLOAT = CType("float", "float", 4, rank=1)
#: Of a value whose type is not in sight: known by its identity, for it is equal to an int's.
UNSEEN = CType("int", "int", 4, signed=True, rank=INT.rank)
DOUBLE = CType("double", "float", 8, rank=2)
POINTER = CType("pointer", "opaque", 8)

#: No array has so many bytes: it is a difference below zero, where it is taken as unsigned.
WRAPPED = 1 << 63

_WORDS = {"unsigned", "signed", "int", "char", "short", "long"}


#: Types whose members `.x .y .z .w` are numbers of this type.
ELEMENTS: dict[str, CType] = {
    f"{base}{count}": element
    for base, element in (
        *(("char", CHAR), ("uchar", UCHAR), ("short", SHORT), ("ushort", USHORT)),
        *(("int", INT), ("uint", UINT), ("long", LONG), ("ulong", ULONG)),
        *(("longlong", LLONG), ("ulonglong", ULLONG), ("float", FLOAT), ("double", DOUBLE)),
    )
    for count in (1, 2, 3, 4)
} | {"dim3": UINT}


def _vector(name: str, element: CType) -> CType:
    """A built-in vector type (CUDA C++ Programming Guide, built-in vector types)."""
    count = 3 if name == "dim3" else int(name[-1])
    packed = element.size if count == 3 else min(16, element.size * count)
    return CType(name, "opaque", element.size * count, alignment=packed)


TYPES: dict[str, CType] = {
    **{"bool": BOOL, "_Bool": BOOL, "float": FLOAT, "double": DOUBLE},
    **{"uchar": UCHAR, "ushort": USHORT, "uint": UINT, "ulong": ULONG},
    **{"clock_t": LONG, "time_t": LONG},
    **{"size_t": ULONG, "ssize_t": LONG, "ptrdiff_t": LONG, "intptr_t": LONG, "uintptr_t": ULONG},
    **{"int8_t": CType("signed char", "int", 1, True, 1), "uint8_t": UCHAR},
    **{"int16_t": SHORT, "uint16_t": USHORT, "int32_t": INT, "uint32_t": UINT},
    **{"int64_t": LONG, "uint64_t": ULONG, "off_t": LONG},
    **{"__half": CType("half", "opaque", 2), "half": CType("half", "opaque", 2)},
    **{"__nv_bfloat16": CType("bfloat16", "opaque", 2), "nv_bfloat16": CType("bf", "opaque", 2)},
    **{"half2": CType("half2", "opaque", 4), "__half2": CType("half2", "opaque", 4)},
    **{name: _vector(name, element) for name, element in ELEMENTS.items()},
}


#: What the headers of Windows and OpenGL call numbers, where no file in sight says otherwise.
PLATFORM: dict[str, CType] = {
    **dict.fromkeys(("UINT", "UINT32", "DWORD", "GLuint", "GLenum", "u_int", "cl_uint"), UINT),
    **dict.fromkeys(("INT", "INT32", "LONG", "BOOL", "GLint", "GLsizei", "cl_int"), INT),
    **dict.fromkeys(("BYTE", "UINT8", "GLubyte", "u_char"), UCHAR),
    **dict.fromkeys(("WORD", "UINT16", "GLushort"), USHORT),
    **dict.fromkeys(("UINT64", "SIZE_T", "DWORD64", "ULONGLONG"), ULLONG),
    **dict.fromkeys(("INT64", "LONGLONG", "SSIZE_T"), LLONG),
    **dict.fromkeys(("FLOAT", "GLfloat", "cl_float"), FLOAT),
    **dict.fromkeys(("DOUBLE", "GLdouble"), DOUBLE),
}


def basic_type(words: tuple[str, ...]) -> CType | None:
    """The type that the words of a declaration name, such as `("unsigned", "long")`."""
    if len(words) == 1 and (name := words[0].removeprefix("::").removeprefix("std::")) in TYPES:
        return TYPES[name]
    if words and set(words) <= _WORDS:
        unsigned = "unsigned" in words
        if "char" in words:
            return UCHAR if unsigned else CHAR
        if "short" in words:
            return USHORT if unsigned else SHORT
        longs = words.count("long")
        signed_and_unsigned = ((INT, UINT), (LONG, ULONG), (LLONG, ULLONG))
        return signed_and_unsigned[longs][unsigned] if longs <= 2 else None
    return DOUBLE if words in (("long", "double"),) else None


_INTEGER_OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")


def recorded(
    operator: str, result: Value | None, *operands: Value, type: CType | None = None
) -> Value | None:
    """A result with the formula it was computed by, where one of its operands has one.

    None where the formula is longer than TERM_LIMIT.
    """
    if result is None or all(operand.term is None for operand in operands):
        return result
    terms = tuple(operand.term or Constant(operand) for operand in operands)
    weight = 1 + sum(term.weight for term in terms)
    if weight > TERM_LIMIT:
        return None
    return replace(result, term=Applied(operator, terms, type, weight))


def element(index: Value, items: Sequence[Value]) -> Value | None:
    """`items[index]`; None where there is none, but for other values of the roots there may be."""
    position = int(index.number)
    inside = 0 <= position < len(items)
    if not items or (not inside and index.term is None):
        return None
    return recorded("element", items[position if inside else 0], index, *items)


def unwrapped(value: Value | None) -> Value | None:
    """A number of bytes, which has no value where it is a difference below zero that wrapped."""
    if value is None or value.term is None:
        return value if value is None or value.number < WRAPPED else None
    return recorded(UNWRAPPED, value, value)


def plain(number: int | float) -> Value:
    """A number whose own type nobody asks for: the widest."""
    return Value(number, LLONG if isinstance(number, int) else DOUBLE)


def convert(value: Value | None, target: CType) -> Value | None:
    """Convert as an assignment or a cast does; None where C gives no defined value."""
    if value is None:
        return None
    if value.term is not None and value.type == target:
        return value
    found = _converted(value, target)
    if found is None and value.term is not None and target.kind in ("int", "float"):
        found = _one(target)  # the sample is too large; other values of the roots may not be
    return recorded("convert", found, value, type=target)


def _converted(value: Value, target: CType) -> Value | None:
    if target.kind == "opaque" or value.type.kind == "opaque":
        return None
    number = value.number
    if target.kind == "float":
        return _float(float(number), target)
    if target.name == "bool":
        return Value(int(number != 0), target)
    if isinstance(number, float):
        if not math.isfinite(number):
            return None
        number = math.trunc(number)
        low, high = _range(target)
        return Value(number, target) if low <= number <= high else None
    wrapped = number & ((1 << 8 * target.size) - 1)
    if target.signed and wrapped >> (8 * target.size - 1):
        wrapped -= 1 << 8 * target.size
    return Value(wrapped, target)


def binary(op: str, left: Value | None, right: Value | None) -> Value | None:
    """Apply an arithmetic, comparison or bit operator."""
    if left is None or right is None or "opaque" in (left.type.kind, right.type.kind):
        return None
    one, other = (Value(v.number, v.type) for v in (left, right))
    found = _binary(op, one, other)
    if found is None and (right.term or (left.term and right.number)):
        found = _stand_in(op, one, other)  # other values of the roots may have a result
    return recorded(op, found, left, right)


def without_value(op: str, left: Value | None, right: Value | None) -> Value | None:
    """What has no value in C, `50000 * 50000` in an int, as a formula that never has one.

    So that nobody takes it for what cannot be read, and invents it.
    """
    if left is None or right is None or {left.type.kind, right.type.kind} != {"int"}:
        return None
    found = _stand_in(op, left, right) if op in _INTEGER_OPERATORS else None
    return None if found is None else recorded(op, found, *map(_as_formula, (left, right)))


def _as_formula(value: Value) -> Value:
    return replace(value, term=value.term or Constant(value))


def _one(kind: CType) -> Value:
    return Value(1.0 if kind.kind == "float" else 1, kind)


def _stand_in(op: str, left: Value, right: Value) -> Value | None:
    """Some number of the type of an operation whose result C does not define, to go on with."""
    common = _promoted(left.type) if op in ("<<", ">>") else _common(left.type, right.type)
    a, b = convert(left, common), convert(right, common)
    known = ("+", "-", "*", "/") if common.kind == "float" else _INTEGER_OPERATORS
    if a is None or b is None or op not in known:
        return None
    if common.kind == "float" or op not in "+-*":
        return _one(common)
    x, y = int(a.number), int(b.number)
    number = x * y if op == "*" else x + y if op == "+" else x - y
    return Value(1 + number % (_range(common)[1] // 2), common)


def _binary(op: str, left: Value, right: Value) -> Value | None:
    if op in ("<<", ">>"):
        return _shift(op, left, right)
    common = _common(left.type, right.type)
    a, b = convert(left, common), convert(right, common)
    if a is None or b is None:
        return None
    if op in _COMPARISONS:
        return Value(int(_COMPARISONS[op](a.number, b.number)), INT)
    if common.kind == "float":
        return _float_binary(op, float(a.number), float(b.number), common)
    return _int_binary(op, int(a.number), int(b.number), common)


def unary(op: str, operand: Value | None) -> Value | None:
    """Apply `+ - ~ !`."""
    if operand is None or operand.type.kind == "opaque":
        return None
    return recorded(f"unary {op}", _unary(op, Value(operand.number, operand.type)), operand)


def _unary(op: str, operand: Value) -> Value | None:
    if op == "!":
        return Value(int(operand.number == 0), INT)
    promoted = convert(operand, _promoted(operand.type))
    if promoted is None or op == "+":
        return promoted
    if op == "-":
        if promoted.type.kind == "float":
            return Value(-promoted.number, promoted.type)
        return _int_result(-int(promoted.number), promoted.type)
    if op == "~" and promoted.type.kind == "int":
        return convert(Value(~int(promoted.number), promoted.type), promoted.type)
    return None


_COMPARISONS = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def _promoted(kind: CType) -> CType:
    return INT if kind.kind == "int" and kind.rank < INT.rank else kind


def _common(left: CType, right: CType) -> CType:
    """The usual arithmetic conversions (C17 6.3.1.8)."""
    floats = [t for t in (left, right) if t.kind == "float"]
    if floats:
        return max(floats, key=lambda t: t.rank)
    left, right = _promoted(left), _promoted(right)
    if left.signed == right.signed:
        return left if left.rank >= right.rank else right
    signed, unsigned = (left, right) if left.signed else (right, left)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.size > unsigned.size:
        return signed
    return {"long": ULONG, "long long": ULLONG}.get(signed.name, UINT)


def _range(kind: CType) -> tuple[int, int]:
    bits = 8 * kind.size
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind.signed else (0, (1 << bits) - 1)


def _int_result(number: int, kind: CType) -> Value | None:
    if not kind.signed:
        return convert(Value(number, kind), kind)
    low, high = _range(kind)
    return Value(number, kind) if low <= number <= high else None


def _int_binary(op: str, a: int, b: int, kind: CType) -> Value | None:
    if op in ("/", "%"):
        if b == 0:
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return _int_result(quotient if op == "/" else a - b * quotient, kind)
    results = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
    return _int_result(results[op], kind) if op in results else None


def _shift(op: str, left: Value, right: Value) -> Value | None:
    kind, count = _promoted(left.type), int(right.number)
    a = convert(left, kind)
    if a is None or kind.kind != "int" or right.type.kind != "int":
        return None
    if not 0 <= count < 8 * kind.size:
        return None
    return _int_result(int(a.number) << count if op == "<<" else int(a.number) >> count, kind)


def _float_binary(op: str, a: float, b: float, kind: CType) -> Value | None:
    if op == "/":
        return _float(a / b, kind) if b != 0 else None
    if op not in ("+", "-", "*"):
        return None
    return _float(a + b if op == "+" else a - b if op == "-" else a * b, kind)


def _float(number: float, kind: CType) -> Value | None:
    """Round to the type's precision; None for infinities and NaN."""
    if not math.isfinite(number):
        return None
    if kind.size == 4:
        try:
            number = struct.unpack("f", struct.pack("f", number))[0]
        except OverflowError:
            return None
    return Value(number, kind)


# --- literals -------------------------------------------------------------------------------------


def literal(kind: str, text: str) -> Value | None:
    """A literal's value and type (C17 6.4.4)."""
    if kind in ("float", "double", "long double"):
        digits = text.rstrip("fFlL")
        number = float.fromhex(digits) if digits[:2].lower() == "0x" else float(digits)
        return convert(Value(number, DOUBLE), FLOAT if text[-1] in "fF" else DOUBLE)
    if kind == "char":
        body = text[1:-1]
        simple = {"\\n": 10, "\\t": 9, "\\0": 0, "\\r": 13, "\\\\": 92, "\\'": 39}
        number_of = simple.get(body, ord(body) if len(body) == 1 else None)
        return None if number_of is None or number_of > 127 else Value(number_of, CHAR)
    if "int" not in kind or not text[0].isdigit():
        return None
    digits, suffix = text.rstrip("uUlL").lower(), text[len(text.rstrip("uUlL")) :].lower()
    decimal = digits[0] != "0" or digits == "0"
    number = int(digits if decimal or not digits.isdecimal() else f"0o{digits}", 0)
    longs = suffix.count("l")
    signed = (INT, LONG, LLONG)[min(longs, 2) :]
    unsigned = (UINT, ULONG, ULLONG)[min(longs, 2) :]
    if "u" in suffix:
        candidates = unsigned
    elif decimal:
        candidates = signed
    else:
        candidates = tuple(t for pair in zip(signed, unsigned, strict=True) for t in pair)
    return next((Value(number, t) for t in candidates if number <= _range(t)[1]), None)


def limit_of(kind: CType | None, member: str) -> str | None:
    """C's number for a member of `std::numeric_limits<…>`; None for other members and types."""
    if kind is None or kind.kind == "opaque":
        return None
    if kind.kind == "float":
        suffix, sizes = ("f", _FLOATS) if kind.size == 4 else ("", _DOUBLES)
        return f"({sizes[member]}{suffix})" if member in sizes else None
    bits = 8 * kind.size - kind.signed
    ending = ("" if kind.signed else "u") + ("ll" if kind.size == 8 else "")
    if member == "max":
        return f"{(1 << bits) - 1}{ending}"
    if member in ("min", "lowest"):
        return f"(-{(1 << bits) - 1}{ending} - 1)" if kind.signed else "0u"
    return None


#: IEEE 754's binary32 and binary64.
_FLOATS = {
    **{"max": "3.4028234663852886e38", "lowest": "-3.4028234663852886e38"},
    **{"min": "1.1754943508222875e-38", "epsilon": "1.1920928955078125e-07"},
}
_DOUBLES = {
    **{"max": "1.7976931348623157e308", "lowest": "-1.7976931348623157e308"},
    **{"min": "2.2250738585072014e-308", "epsilon": "2.220446049250313e-16"},
}
