"""Constant expressions (PTX ISA 4.6): 64-bit integers and doubles, C's operators and precedence."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Sequence

from perflint.grammar.model import Immediate

_MASK = (1 << 64) - 1


class ConstantError(ValueError):
    """An expression that has no value; the message says why."""


def number(text: str) -> Immediate:
    """An integer or floating-point literal (4.5.1, 4.5.2)."""
    prefix = text[:2].lower()
    if prefix == "0f" and len(text) == 10:
        return Immediate(int(text[2:], 16), "f32")
    if prefix == "0d" and len(text) == 18:
        return Immediate(int(text[2:], 16), "f64")
    digits = text.rstrip("uU")
    if prefix == "0x":
        return Immediate(int(digits, 16))
    if prefix == "0b":
        return Immediate(int(digits[2:], 2))
    if digits.isdigit():
        octal = len(digits) > 1 and digits[0] == "0"
        try:
            return Immediate(int(digits, 8) if octal else int(digits))
        except ValueError:
            raise ConstantError(f"{text} is no octal number") from None
    return double(float(text))


def double(value: float) -> Immediate:
    """A decimal constant: PTX keeps it as a double."""
    return Immediate(struct.unpack("<Q", struct.pack("<d", value))[0], "f64")


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"*": operator.mul, "/": _divide, "%": lambda a, b: a - b * _divide(a, b)},
    {"+": operator.add, "-": operator.sub},
    {"<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63)},
    {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
    {"==": operator.eq, "!=": operator.ne},
    {"&": operator.and_},
    {"^": operator.xor},
    {"|": operator.or_},
    {"&&": lambda a, b: bool(a) and bool(b)},
    {"||": lambda a, b: bool(a) or bool(b)},
)


def fold(terms: Sequence[Immediate], operators: Sequence[str]) -> Immediate:
    """The value of `terms[0] operators[0] terms[1] …`. Raises ConstantError."""
    if any(t.kind != "int" for t in terms):
        return _fold_floats(terms, operators)
    values, left = [t.bits for t in terms], list(operators)
    for level in _LEVELS:
        i = 0
        while i < len(left):
            if left[i] not in level:
                i += 1
                continue
            if left[i] in "/%" and values[i + 1] == 0:
                raise ConstantError("division by zero in a constant")
            values[i : i + 2] = [wrap(int(level[left[i]](values[i], values[i + 1])))]
            del left[i]
    return Immediate(values[0])


def _fold_floats(terms: Sequence[Immediate], operators: Sequence[str]) -> Immediate:
    values = [float(t.value) for t in terms]
    left = list(operators)
    for group in ("*/", "+-"):
        i = 0
        while i < len(left):
            if left[i] not in group:
                i += 1
                continue
            a, b = values[i], values[i + 1]
            if left[i] == "/" and b == 0:
                raise ConstantError("division by zero in a constant")
            values[i : i + 2] = [a * b if left[i] == "*" else a / b if left[i] == "/" else
                                 a + b if left[i] == "+" else a - b]  # fmt: skip
            del left[i]
    if left:
        raise ConstantError(f"`{left[0]}` needs integers")
    return double(values[0])


def unary(sign: str, term: Immediate) -> Immediate:
    """`-x`, `+x`, `!x`, `~x`."""
    if term.kind == "int":
        value = {"-": -term.bits, "+": term.bits, "!": int(not term.bits), "~": ~term.bits}[sign]
        return Immediate(wrap(value))
    if sign in "!~":
        raise ConstantError(f"`{sign}` needs an integer")
    top = 1 << (31 if term.kind == "f32" else 63)
    return Immediate(term.bits ^ (top if sign == "-" else 0), term.kind)


def cast(type_: str, term: Immediate) -> Immediate:
    """`(.s64) x` and `(.u64) x`: the two casts that PTX has (4.6.2)."""
    value = int(term.value)
    return Immediate(value & _MASK if type_ == ".u64" else wrap(value))


def wrap(value: int) -> int:
    """Into 64 bits; what fits neither as signed nor as unsigned loses its upper bits."""
    if -(1 << 63) <= value <= _MASK:
        return value
    value &= _MASK
    return value - (1 << 64) if value >> 63 else value
