"""The meaning of operations that are no polynomials, over integers or NumPy arrays of lanes.

Names are PTX mnemonics with their type: `and.b32`, `shr.u32`, `setp.lt.s32`. Values are
mathematical integers: what a register of that type holds, sign included for signed types and as it
was computed for untyped ones. Wrapping happens only where the operation itself looks at bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: An int, or an array of int64 with one element per lane.
Value = Any

_COMPARISONS: dict[str, Callable[[Value, Value], Value]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lo": lambda a, b: a < b,
    "ls": lambda a, b: a <= b,
    "hi": lambda a, b: a > b,
    "hs": lambda a, b: a >= b,
}


def width(name: str) -> int:
    """Bits of an operation's type: 32 for `shr.u32`, 1 for `and.pred`."""
    suffix = name.rpartition(".")[2]
    return int(suffix[1:]) if suffix[1:].isdigit() else 1


def _wrap(value: Value, bits: int) -> Value:
    """The value modulo 2**bits, as an unsigned number (in int64 for 64 bits: unchanged)."""
    return value if bits >= 64 else value & ((1 << bits) - 1)


def _signed(value: Value, bits: int) -> Value:
    """The value modulo 2**bits, as a two's complement number."""
    if bits >= 64:
        return value
    sign = 1 << (bits - 1)
    return ((value + sign) & ((1 << bits) - 1)) - sign


def _ordered(name: str, value: Value) -> Value:
    """The number that a register of the operation's type holds, or one that orders as it does."""
    bits = width(name)
    kind = name.rpartition(".")[2][:1]
    if bits >= 64:
        # Adding 2**63 makes the order of signed numbers that of unsigned ones.
        return np.asarray(value, np.int64) ^ np.int64(-(1 << 63)) if kind == "u" else value
    return _signed(value, bits) if kind == "s" else _wrap(value, bits)


def _divide(a: Value, b: Value) -> Value:
    """Quotient towards zero, as C and PTX have it; 0 for a zero divisor (PTX leaves it open)."""
    a, b = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    safe = np.where(b == 0, 1, b)
    quotient = np.abs(a) // np.abs(safe) * np.sign(a) * np.sign(safe)
    return np.where(b == 0, 0, quotient)


def _remainder(a: Value, b: Value) -> Value:
    return np.asarray(a, dtype=np.int64) - _divide(a, b) * b


def _bit_length(value: Value, bits: int) -> Value:
    """The position behind the highest set bit of a register's content, 0 for 0."""
    rest = np.asarray(_wrap(value, bits), np.int64).astype(np.uint64)
    length = np.zeros(rest.shape, np.int64)
    for step in (32, 16, 8, 4, 2, 1):
        above = rest >> np.uint64(step)
        length = length + np.where(above > 0, step, 0)
        rest = np.where(above > 0, above, rest)
    return length + (rest > 0)


def _bit_count(value: Value, bits: int) -> Value:
    """How many bits of a register's content are set."""
    content = np.asarray(_wrap(value, bits), np.int64)
    return sum((content >> np.int64(n)) & 1 for n in range(bits))


def _bfe(name: str, a: Value, position: Value, length: Value) -> Value:
    field = (_wrap(a, width(name)) >> position) & ((1 << length) - 1)
    if ".s" not in name:
        return field
    sign = np.where(length > 0, 1 << np.maximum(length - 1, 0), 0)
    return np.where(field & sign, field - 2 * sign, field)


def _bfi(a: Value, b: Value, position: Value, length: Value) -> Value:
    mask = ((1 << length) - 1) << position
    return (b & ~mask) | ((a << position) & mask)


def _lop3(a: Value, b: Value, c: Value, table: Value) -> Value:
    out: Value = 0
    for row in range(8):
        term = (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
        out = out | np.where((table >> row) & 1, term, 0)
    return out


def evaluate(name: str, arguments: list[Value]) -> Value:
    """The operation's value for these arguments. Raises KeyError if it has no meaning here."""
    opcode, _, rest = name.partition(".")
    bits = width(name)
    unsigned = f".u{bits}" in name
    match opcode, arguments:
        case "and", [a, b]:
            return a & b
        case "or", [a, b]:
            return a | b
        case "xor", [a, b]:
            return a ^ b
        case "not", [a]:
            return ~a & 1 if bits == 1 else ~a
        case "shl", [a, b]:
            return np.where(np.asarray(b) >= bits, 0, a << np.clip(b, 0, 63))
        case "shr", [a, b]:
            shifted = _signed(a, bits) if ".s" in name else _wrap(a, bits)
            return shifted >> np.clip(b, 0, bits - (".s" in name))
        case "mul", [a, b]:
            return a * b if "hi" not in rest else (a * b) >> bits
        case "add", [a, b]:
            return a + b
        case "div", [a, b]:
            return _divide(_wrap(a, bits), _wrap(b, bits)) if unsigned else _divide(a, b)
        case "rem", [a, b]:
            return _remainder(_wrap(a, bits), _wrap(b, bits)) if unsigned else _remainder(a, b)
        case "min", [a, b]:
            return np.where(_ordered(name, a) <= _ordered(name, b), a, b)
        case "max", [a, b]:
            return np.where(_ordered(name, a) >= _ordered(name, b), a, b)
        case "abs", [a]:
            return np.abs(a)
        case "clz", [a]:
            return bits - _bit_length(a, bits)
        case "popc", [a]:
            return _bit_count(a, bits)
        case "bfind", [a]:
            # The highest bit's position, or the shift that brings it to the top; -1 for 0.
            found = _bit_length(a, bits)
            position = bits - found if "shiftamt" in rest else found - 1
            return np.where(found == 0, -1, position)
        case "cvt", [a]:
            return _signed(a, bits) if f".s{bits}" in name else _wrap(a, bits)
        case "bfe", [a, b, c]:
            return _bfe(name, a, b, c)
        case "bfi", [a, b, c, d]:
            return _bfi(a, b, c, d)
        case "lop3", [a, b, c, table]:
            return _lop3(a, b, c, table)
        case "selp", [a, b, condition]:
            return np.where(condition, a, b)
        case "setp", [a, b]:
            return _COMPARISONS[rest.partition(".")[0]](_ordered(name, a), _ordered(name, b))
    raise KeyError(name)
