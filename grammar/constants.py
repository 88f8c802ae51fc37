"""Literals and constant expressions (PTX ISA 4.5)."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Mapping

from perflint.grammar.errors import StatementError
from perflint.grammar.model import Immediate

#: C's, from loosest to tightest (PTX ISA 4.5.4).
PRECEDENCE: Mapping[str, int] = {
    symbol: level
    for level, symbols in enumerate(
        (
            ("||",),
            ("&&",),
            ("|",),
            ("^",),
            ("&",),
            ("==", "!="),
            ("<", ">", "<=", ">="),
            ("<<", ">>"),
            ("+", "-"),
            ("*", "/", "%"),
        )
    )
    for symbol in symbols
}

_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "&&": lambda a, b: bool(a) and bool(b),
    "||": lambda a, b: bool(a) or bool(b),
}
_FLOAT: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_INTEGER: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    # Of the distance six bits count: C leaves open what more would mean, ptxas does this.
    "<<": lambda a, b: a << (b & 63),
    ">>": lambda a, b: a >> (b & 63),
}
_MASK = (1 << 64) - 1


def wrap(value: int, unsigned: bool = False) -> int:
    """Cut to 64 bits, as .s64 or .u64."""
    value &= _MASK
    return value if unsigned or value >> 63 == 0 else value - (1 << 64)


def is_unsigned(value: int) -> bool:
    """Constants are .s64, or .u64 where they do not fit (PTX ISA 4.5.1).

    That `3U` is .u64 as well is forgotten: it would matter to `3U - 5 > 0`, which nobody writes.
    """
    return value >> 63 > 0


def literal(text: str) -> Immediate:
    """The value of a number as written. Raises StatementError if it needs more than 64 bits."""
    head = text[:2].lower()
    if head == "0f" and len(text) == 10:
        return Immediate(int(text[2:], 16), "f32")
    if head == "0d" and len(text) == 18:
        return Immediate(int(text[2:], 16), "f64")
    if head == "0x":
        base, digits = 16, text[2:]
    elif head == "0b":
        base, digits = 2, text[2:]
    elif "." in text or "e" in text or "E" in text:
        return double(float(text))
    else:
        base, digits = (8 if text[0] == "0" else 10), text
    digits = digits.rstrip("uU")
    # Longer than any 64-bit number is, leading zeros aside; Python refuses to read thousands.
    digits = digits.lstrip("0") or "0"
    try:
        value = int(digits, base) if len(digits) <= 64 else 1 << 64
    except ValueError:
        raise StatementError("an octal number has digits from 0 to 7", text) from None
    if value >> 64:
        raise StatementError("this number does not fit in 64 bits", text)
    return Immediate(value)


class Integers(dict[str, int]):
    """Integer literal → its value, each read once."""

    def __missing__(self, text: str) -> int:
        value = self[text] = literal(text).bits
        return value


def double(value: float) -> Immediate:
    """A 64-bit floating-point constant."""
    return Immediate(int(struct.unpack("<Q", struct.pack("<d", value))[0]), "f64")


def unary(symbol: str, operand: Immediate) -> Immediate:
    """`-5`, `!0`, `~7`, `+1`."""
    if operand.kind == "int":
        value = operand.bits
        results = {"-": -value, "+": value, "~": ~value, "!": int(value == 0)}
        least = symbol == "-" and value == 1 << 63  # as compilers write the least .s64
        return Immediate(wrap(results[symbol], is_unsigned(value) and not least))
    if symbol == "-":
        # A flip of the sign bit: exact for zeros, infinities and NaNs as well.
        return Immediate(operand.bits ^ (1 << (31 if operand.kind == "f32" else 63)), operand.kind)
    if symbol == "+":
        return operand
    raise StatementError(f"`{symbol}` needs an integer")


def binary(symbol: str, left: Immediate, right: Immediate) -> Immediate:
    """Two constants and an operator of C. Raises StatementError for a division by zero."""
    a, b = left.value, right.value
    unsigned = False
    if isinstance(a, int) and isinstance(b, int):
        # A shift has the type of what is shifted; else one unsigned makes both so, as in C.
        unsigned = is_unsigned(a) or (is_unsigned(b) and symbol not in ("<<", ">>"))
        a, b = wrap(a, unsigned), wrap(b, unsigned)
    if symbol in _COMPARE:
        return Immediate(int(_COMPARE[symbol](a, b)))
    if isinstance(a, int) and isinstance(b, int):
        if symbol in "/%":
            if b == 0:
                raise StatementError("division by zero in a constant expression")
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)  # C truncates
            return Immediate(wrap(quotient if symbol == "/" else a - quotient * b, unsigned))
        return Immediate(wrap(_INTEGER[symbol](a, b), unsigned))
    if symbol == "/" and b != 0:
        return double(a / b)
    if symbol in _FLOAT:
        return double(_FLOAT[symbol](float(a), float(b)))
    raise StatementError(f"`{symbol}` needs integers")


def cast(type_: str, operand: Immediate) -> Immediate:
    """`(.u64) -1`; only the 64-bit integer types are casts (PTX ISA 4.5.5)."""
    if operand.kind != "int":
        raise StatementError("a cast needs an integer")
    bits = int(type_[1:]) if type_[1:].isdigit() else 0
    if not bits or type_[0] not in "us":
        raise StatementError("a cast is to an integer type", f".{type_}")
    value = operand.bits & ((1 << bits) - 1)
    if type_[0] == "s" and value >> (bits - 1):
        value -= 1 << bits
    return Immediate(value)
