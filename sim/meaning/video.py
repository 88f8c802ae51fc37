"""Video instructions: arithmetic on bytes and halves of words (PTX ISA 9.7.18).

Values are computed as 64-bit integers, which hold every intermediate result; `vmad` of unsigned
words alone needs all 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from perflint.grammar.model import Element, Immediate, Instruction, Not, Operand, Register
from perflint.sim.meaning.registry import Function, Meaning
from perflint.sim.values import Value

#: Bits and first bit of the parts of a word.
PARTS = {"b0": (8, 0), "b1": (8, 8), "b2": (8, 16), "b3": (8, 24), "h0": (16, 0), "h1": (16, 16)}
_WORD = (32, 0)

_Binary = Callable[[Value, Value], Value]
_OPERATIONS: dict[str, _Binary] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": np.minimum,
    "vmax": np.maximum,
    "vavrg": lambda a, b: (a + b + (a + b >= 0)) >> 1,
}
_COMPARISONS: dict[str, _Binary] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def part(word: Value, bits: int, first: int, signed: bool) -> Value:
    """A part of words (uint32), extended to int64."""
    wide = word.astype(np.int64)
    if signed:
        return (wide << (64 - bits - first)) >> (64 - bits)
    return (wide >> first) & ((1 << bits) - 1)


def clamped(number: Value, bits: int, signed: bool) -> Value:
    """Saturated to `bits` bits."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return np.clip(number, low, high)


def word(number: Value) -> Value:
    """The low 32 bits."""
    return (number & 0xFFFFFFFF).astype(np.uint32)


def video_meaning(instruction: Instruction) -> Meaning | None:
    """What a video instruction computes of the registers it names; None if it is none known."""
    name, lanes = instruction.opcode, 1
    if name[-1] in "24":
        name, lanes = name[:-1], int(name[-1])
    selected = [_selector(operand) for operand in instruction.operands]
    types = [m for m in instruction.modifiers if m in ("u32", "s32")]
    flags = [m for m in instruction.modifiers if m not in ("u32", "s32")]
    if None in selected or not 3 <= len(selected) <= 4:
        return None
    parts = [each for each in selected if each is not None]
    negated = any(isinstance(operand, Not) for operand in instruction.operands)
    if negated and name != "vmad":
        return None
    if lanes > 1:
        found = _lanewise(name, lanes, types, flags) if set(parts) == {_WORD} else None
    elif name == "vmad":
        found = _multiply_add(types, flags, parts, instruction.operands)
    else:
        found = _scalar(name, types, flags, parts)
    count = len(parts) - 1
    return None if found is None else Meaning(found, ("b32",), ("b32",) * count)


def _selector(operand: Operand) -> tuple[int, int] | None:
    """(bits, first bit) of a word that an operand names."""
    if isinstance(operand, Element):
        return PARTS.get(operand.selector)
    return _WORD if isinstance(operand, Register | Immediate | Not) else None


def _operation(name: str, flags: list[str]) -> _Binary | None:
    if name == "vset":
        compare = _COMPARISONS.get(flags.pop(0)) if flags else None
        return None if compare is None else lambda a, b: compare(a, b).astype(np.int64)
    if name in ("vshl", "vshr"):
        wrap = "wrap" in flags
        for mode in ("wrap", "clamp"):
            if mode in flags:
                flags.remove(mode)

        def shift(a: Value, b: Value) -> Value:
            by = b & 31 if wrap else np.minimum(b, 32)
            return a << by if name == "vshl" else a >> by

        return shift
    return _OPERATIONS.get(name)


def _scalar(
    name: str, types: list[str], flags: list[str], parts: list[tuple[int, int]]
) -> Function | None:
    """One operation, then saturation, then a second one with c or a merge into it."""
    if name == "vset":
        types = ["u32", *types]
    operation = _operation(name, flags)
    saturates = "sat" in flags
    second = next((f for f in flags if f in ("add", "min", "max")), None)
    if operation is None or len(types) != 3 or set(flags) - {"sat", "add", "min", "max"}:
        return None
    target, a_part, b_part = parts[:3]
    signed, a_signed, b_signed = (t == "s32" for t in types)
    if (len(parts) == 4) != (second is not None or target != _WORD):
        return None
    if second is not None and target != _WORD:
        return None

    def function(a: Value, b: Value, *rest: Value) -> Value:
        result = operation(part(a, *a_part, a_signed), part(b, *b_part, b_signed))
        if saturates:
            result = clamped(result, target[0], signed)
        if not rest:
            return word(result)
        (c,) = rest
        if second is None:
            mask = ((1 << target[0]) - 1) << target[1]
            return word((c.astype(np.int64) & ~mask) | ((result << target[1]) & mask))
        held, other = part(word(result), *_WORD, signed), part(c, *_WORD, signed)
        return word({"add": np.add, "min": np.minimum, "max": np.maximum}[second](held, other))

    return function


def _multiply_add(
    types: list[str],
    flags: list[str],
    parts: list[tuple[int, int]],
    operands: tuple[Operand, ...],
) -> Function | None:
    """`vmad`: a * b + c, with one more for `.po`, shifted right and saturated."""
    if len(types) != 3 or len(parts) != 4 or parts[0] != _WORD:
        return None
    if set(flags) - {"sat", "shr7", "shr15", "po"}:
        return None
    _, a_signed, b_signed = (t == "s32" for t in types)
    minus_product = isinstance(operands[1], Not) ^ isinstance(operands[2], Not)
    minus_c = isinstance(operands[3], Not)
    signed = a_signed or b_signed or minus_product or minus_c
    shift = 7 if "shr7" in flags else 15 if "shr15" in flags else 0
    if not signed and shift == 0 and "sat" in flags:
        return None  # would need to know that the sum left 64 bits

    def function(a: Value, b: Value, c: Value) -> Value:
        product = part(a, *parts[1], a_signed) * part(b, *parts[2], b_signed)
        total = (-product if minus_product else product) + (
            -part(c, *_WORD, True) if minus_c else part(c, *_WORD, signed)
        )
        total = total + ("po" in flags)
        if not signed:
            total = (total.astype(np.uint64) >> np.uint64(shift)).astype(np.int64)
        else:
            total = total >> shift
        return word(clamped(total, 32, signed) if "sat" in flags else total)

    return function


def _lanewise(name: str, lanes: int, types: list[str], flags: list[str]) -> Function | None:
    """Halves or bytes side by side; `.add` sums them up and adds c."""
    if name == "vset":
        types = ["u32", *types]
    operation = _operation(name, flags)
    if operation is None or len(types) != 3 or set(flags) - {"sat", "add"}:
        return None
    bits = 32 // lanes
    signed, a_signed, b_signed = (t == "s32" for t in types)
    fits = "sat" in flags or name in ("vset", "vmin", "vmax", "vavrg")
    if "add" in flags and not (fits or (name == "vabsdiff" and not signed)):
        return None  # the manual leaves open how wide the lanes' results are then

    def function(a: Value, b: Value, c: Value) -> Value:
        total: Value = part(c, *_WORD, signed) if "add" in flags else np.int64(0)
        for first in range(0, 32, bits):
            result = operation(part(a, bits, first, a_signed), part(b, bits, first, b_signed))
            if "sat" in flags:
                result = clamped(result, bits, signed)
            if "add" in flags:
                total = total + result
            else:
                total = total | ((result & ((1 << bits) - 1)) << first)
        return word(total)

    return function
