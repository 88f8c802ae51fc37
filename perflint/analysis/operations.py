"""The meaning of operations that are no polynomials, over integers or NumPy arrays of lanes.

Names are PTX mnemonics with their type: `and.b32`, `shr.u32`, `setp.lt.s32`. Values are
mathematical integers: what a register of that type holds, sign included for signed types and as it
was computed for untyped ones. Wrapping happens only where the operation itself looks at bits. What
comes out is what the simulator computes, modulo 2^bits (tests/analysis/test_meanings.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

#: An int, or an array of int64 with one element per lane.
Value = Any

_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
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


def content(value: int, bits: int, signed: bool) -> int:
    """The number that a register of so many bits holds."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _divide(a: int, b: int, ones: int) -> int:
    """Quotient towards zero, as C and PTX have it; of a zero divisor all ones, as GPUs give."""
    if b == 0:
        return ones
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    return a if b == 0 else a - b * _divide(a, b, 0)


def _bfe(a: int, position: int, length: int, bits: int, signed: bool) -> int:
    """A field of bits; a signed one repeats its top bit, or the word's beyond it."""
    position, length = position & 255, min(length & 255, bits)
    if length == 0:
        return 0
    if signed:
        return content(content(a, bits, True) >> min(position, bits - 1), length, True)
    return content(a, bits, False) >> position & ((1 << length) - 1)


def _bfi(a: int, b: int, position: int, length: int, bits: int) -> int:
    position, length = position & 255, min(length & 255, bits)
    mask = content(((1 << length) - 1) << position, bits, False)
    return (b & ~mask) | ((a << position) & mask)


def _lop3(a: int, b: int, c: int, table: int) -> int:
    out = 0
    for row in range(8):
        if table >> row & 1:
            out |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    return out


def evaluate(name: str, arguments: list[Value]) -> Value:
    """The operation's value for these arguments. Raises KeyError if it has no meaning here."""
    function = _function(name, len(arguments))
    if all(isinstance(a, int) for a in arguments):
        return function(*arguments)
    by_lane = np.frompyfunc(lambda *lane: function(*map(int, lane)), len(arguments), 1)
    return np.asarray(by_lane(*arguments), dtype=np.int64)


@lru_cache(maxsize=1024)
def _function(name: str, arguments: int) -> Callable[..., int]:
    """The operation over plain numbers; of 64 bits its results are signed."""
    found = _operation(name, arguments)
    if found is None:
        raise KeyError(name)
    return found if width(name) < 64 else lambda *a: content(found(*a), 64, True)


def _operation(name: str, arguments: int) -> Callable[..., int] | None:
    opcode, _, rest = name.partition(".")
    bits = width(name)
    signed = f".s{bits}" in name
    ones = -1 if signed else (1 << bits) - 1

    def own(value: int) -> int:
        return content(value, bits, signed)

    def amount(value: int) -> int:
        return content(value, 32, False)

    def highest(a: int) -> int:
        """The position behind the highest set bit, 0 for 0."""
        return content(a, bits, False).bit_length()

    def found(a: int) -> int:
        """The highest bit's position, or the shift that brings it to the top; -1 for 0."""
        at = highest(a)
        return -1 if at == 0 else bits - at if "shiftamt" in rest else at - 1

    known: dict[tuple[str, int], Callable[..., int]] = {
        ("and", 2): lambda a, b: a & b,
        ("or", 2): lambda a, b: a | b,
        ("xor", 2): lambda a, b: a ^ b,
        ("not", 1): lambda a: ~a & 1 if bits == 1 else ~a,
        ("shl", 2): lambda a, b: 0 if amount(b) >= bits else a << amount(b),
        ("shr", 2): lambda a, b: own(a) >> min(amount(b), bits),
        ("mul", 2): lambda a, b: own(a) * own(b) >> bits if "hi" in rest else a * b,
        ("add", 2): lambda a, b: a + b,
        ("div", 2): lambda a, b: _divide(own(a), own(b), ones),
        ("rem", 2): lambda a, b: _remainder(own(a), own(b)),
        ("min", 2): lambda a, b: a if own(a) <= own(b) else b,
        ("max", 2): lambda a, b: a if own(a) >= own(b) else b,
        ("abs", 1): lambda a: abs(own(a)),
        ("clz", 1): lambda a: bits - highest(a),
        ("popc", 1): lambda a: content(a, bits, False).bit_count(),
        ("bfind", 1): found,
        ("cvt", 1): own,
        ("bfe", 3): lambda a, b, c: _bfe(a, b, c, bits, signed),
        ("bfi", 4): lambda a, b, c, d: _bfi(a, b, c, d, bits),
        ("lop3", 4): _lop3,
        ("selp", 3): lambda a, b, condition: a if condition else b,
    }
    compare = _COMPARISONS.get(rest.partition(".")[0])
    if opcode == "setp" and arguments == 2 and compare is not None:
        return lambda a, b: int(compare(own(a), own(b)))
    return known.get((opcode, arguments))
