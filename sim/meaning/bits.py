"""Logic, shifts, bit fields and data movement within a lane (PTX ISA 9.7.1, 9.7.8, 9.7.9)."""

from __future__ import annotations

import operator
from functools import partial

import numpy as np

from perflint.grammar.model import Immediate, Instruction
from perflint.sim.meaning.registry import Form, Function, Meaning, meaning
from perflint.sim.values import DTYPE, Value


def shift_left(a: Value, count: Value) -> Value:
    """`shl`: counts beyond the width give 0. NumPy defines such shifts the same way."""
    width = np.uint32(8 * a.dtype.itemsize)
    return a << np.minimum(count, width).astype(a.dtype)


def shift_right(a: Value, count: Value) -> Value:
    """`shr`: counts beyond the width give 0, or the sign where signed."""
    width = np.uint32(8 * a.dtype.itemsize)
    return a >> np.minimum(count, width).astype(a.dtype)


def funnel(left: bool, wrap: bool, a: Value, b: Value, c: Value) -> Value:
    """`shf`: the upper (left) or lower (right) word of {b, a} shifted by c."""
    count = (c & np.uint32(31) if wrap else np.minimum(c, np.uint32(32))).astype(np.uint64)
    both = (b.astype(np.uint64) << np.uint64(32)) | a.astype(np.uint64)
    if left:
        return ((both << count) >> np.uint64(32)).astype(np.uint32)
    return (both >> count).astype(np.uint32)


def population(a: Value) -> Value:
    """`popc`: how many bits are set."""
    if a.dtype.itemsize == 8:
        return population(a.astype(np.uint32)) + population((a >> np.uint64(32)).astype(np.uint32))
    a = a - ((a >> np.uint32(1)) & np.uint32(0x55555555))
    a = (a & np.uint32(0x33333333)) + ((a >> np.uint32(2)) & np.uint32(0x33333333))
    a = (a + (a >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
    return (a * np.uint32(0x01010101)) >> np.uint32(24)


def smeared(a: Value) -> Value:
    """Every bit below the highest set one, set too."""
    shift = 1
    while shift < 8 * a.dtype.itemsize:
        a = a | (a >> a.dtype.type(shift))
        shift *= 2
    return a


def leading_zeros(a: Value) -> Value:
    """`clz`."""
    return np.uint32(8 * a.dtype.itemsize) - population(smeared(a))


def highest_bit(signed: bool, shift_amount: bool, a: Value) -> Value:
    """`bfind`: the position of the highest bit that is not the sign; all ones if there is none."""
    if signed:
        a = np.where(a < 0, ~a, a).view(f"u{a.dtype.itemsize}")
    position = population(smeared(a)) - np.uint32(1)
    if shift_amount:
        return np.where(a == 0, position, np.uint32(8 * a.dtype.itemsize - 1) - position)
    return position


def reverse(a: Value) -> Value:
    """`brev`: the bits in the opposite order."""
    shift = 1
    for mask in (0x55, 0x33, 0x0F):
        every = a.dtype.type(int.from_bytes(bytes([mask]) * a.dtype.itemsize, "little"))
        by = a.dtype.type(shift)
        a = ((a >> by) & every) | ((a & every) << by)
        shift *= 2
    return a.byteswap()


def extract(a: Value, start: Value, length: Value) -> Value:
    """`bfe`: a field of bits; a signed one repeats its top bit, or bit 31 (63) beyond the word."""
    width = 8 * a.dtype.itemsize
    at = (start & np.uint32(255)).astype(np.int64)
    size = (length & np.uint32(255)).astype(np.int64)
    bits = a.view(f"u{a.dtype.itemsize}")
    kind = bits.dtype
    clamped = np.minimum(size, width)
    every = ~kind.type(0) >> (width - np.maximum(clamped, 1)).astype(kind)
    field = (bits >> np.minimum(at, width).astype(kind)) & every
    field = np.where(size == 0, kind.type(0), field)
    if a.dtype.kind == "u":
        return field
    top = np.minimum(at + size - 1, width - 1)
    sign = (bits >> np.maximum(top, 0).astype(kind)) & kind.type(1)
    kept = np.clip(width - at, 0, clamped)
    above = np.where(kept >= width, kind.type(0), ~kind.type(0) << kept.astype(kind))
    filled = np.where((size != 0) & (sign != 0), field | above, field)
    return filled.view(a.dtype)


def insert(a: Value, b: Value, start: Value, length: Value) -> Value:
    """`bfi`: the low bits of a, put into b."""
    kind = a.dtype
    width = 8 * kind.itemsize
    at = (start & np.uint32(255)).astype(np.int64)
    size = np.minimum((length & np.uint32(255)).astype(np.int64), width)
    every = ~kind.type(0) >> (width - np.maximum(size, 1)).astype(kind)
    every = np.where(size == 0, kind.type(0), every)
    by = np.minimum(at, width).astype(kind)
    mask = every << by
    return (b & ~mask) | ((a << by) & mask)


def bit_mask(clamp: bool, start: Value, length: Value) -> Value:
    """`bmsk`: `length` ones from bit `start`."""
    if clamp:
        at, size = np.minimum(start, np.uint32(32)), np.minimum(length, np.uint32(32))
    else:
        at, size = start & np.uint32(31), length & np.uint32(31)
    ones = (np.uint64(1) << size.astype(np.uint64)) - np.uint64(1)
    return (ones << at.astype(np.uint64)).astype(np.uint32)


def sign_extend(clamp: bool, signed: bool, a: Value, bits: Value) -> Value:
    """`szext`: the low `bits` bits, extended."""
    count = np.minimum(bits, np.uint32(32)) if clamp else bits & np.uint32(31)
    shift = (np.uint32(64) - count).astype(np.uint64)
    wide = a.view(np.uint32).astype(np.uint64) << shift
    if signed:
        return (wide.view(np.int64) >> shift.view(np.int64)).astype(np.int32)
    return (wide >> shift).astype(np.uint32)


def permute(mode: str, a: Value, b: Value, c: Value) -> Value:
    """`prmt`: four bytes picked out of {b, a}."""
    both = (b.astype(np.uint64) << np.uint64(32)) | a.astype(np.uint64)
    c = c.astype(np.uint32)
    low = c & np.uint32(3)
    result = np.uint32(0)
    for index in range(4):
        i = np.uint32(index)
        if mode == "":
            selector = (c >> np.uint32(4 * index)) & np.uint32(15)
        elif mode == "f4e":
            selector = low + i
        elif mode == "b4e":
            selector = (low - i) & np.uint32(7)
        elif mode == "rc8":
            selector = low
        elif mode == "ecl":
            selector = np.maximum(low, i)
        elif mode == "ecr":
            selector = np.minimum(low, i)
        else:  # rc16
            selector = ((low & np.uint32(1)) << np.uint32(1)) + np.uint32(index & 1)
        byte = both >> ((selector & np.uint32(7)) << np.uint32(3)).astype(np.uint64)
        byte = byte.astype(np.uint32) & np.uint32(255)
        if mode == "":
            sign = np.where(byte >= np.uint32(128), np.uint32(255), np.uint32(0))
            byte = np.where(selector >= np.uint32(8), sign, byte)
        result = result | (byte << np.uint32(8 * index))
    return result


def _two_input(table: int) -> Function:
    """The logic function of (b, c) whose four results are the bits of `table`, b the high one."""
    return {
        0: lambda b, c: np.uint32(0),
        1: lambda b, c: ~(b | c),
        2: lambda b, c: ~b & c,
        3: lambda b, c: ~b,
        4: lambda b, c: b & ~c,
        5: lambda b, c: ~c,
        6: lambda b, c: b ^ c,
        7: lambda b, c: ~(b & c),
        8: lambda b, c: b & c,
        9: lambda b, c: ~(b ^ c),
        10: lambda b, c: c,
        11: lambda b, c: ~b | c,
        12: lambda b, c: b,
        13: lambda b, c: b | ~c,
        14: lambda b, c: b | c,
        15: lambda b, c: ~np.uint32(0),
    }[table]


def lookup(table: int) -> Function:
    """`lop3`: the logic function of three words that `table` lists, a the high input."""
    named: dict[int, Function] = {
        0x96: lambda a, b, c: a ^ b ^ c,
        0x80: lambda a, b, c: a & b & c,
        0xFE: lambda a, b, c: a | b | c,
        0xE8: lambda a, b, c: (a & b) | ((a | b) & c),
    }
    if table in named:
        return named[table]
    without, with_a = _two_input(table & 15), _two_input(table >> 4)
    if table & 15 == table >> 4:
        return lambda a, b, c: without(b, c)
    if table & 15 == 0:
        return lambda a, b, c: a & with_a(b, c)
    if table >> 4 == 0:
        return lambda a, b, c: ~a & without(b, c)
    return lambda a, b, c: (a & with_a(b, c)) | (~a & without(b, c))


def lookups(instruction: Instruction) -> tuple[Meaning, ...]:
    """`lop3 d, a, b, c, table`, and `lop3.op d|p, a, b, c, table, q`, where p = (d != 0) op q."""
    table = instruction.operands[4]
    if not isinstance(table, Immediate):
        return ()
    function = lookup(table.bits & 255)
    if instruction.modifiers == ("b32",):
        return (Meaning(function, ("b32",), ("b32",) * 3),)
    if instruction.modifiers not in (("and", "b32"), ("or", "b32")):
        return ()
    join = operator.and_ if instruction.modifiers[0] == "and" else operator.or_
    sources = ("b32", "b32", "b32", "pred")
    return (
        Meaning(lambda a, b, c, q: function(a, b, c) + (a ^ a), ("b32",), sources),
        Meaning(lambda a, b, c, q: join(function(a, b, c) != (a ^ a), q), ("pred",), sources),
    )


def nth_set(mask: Value, base: Value, offset: Value) -> Value:
    """`fns`: the position of the |offset|-th set bit from `base` on, up or down; else all ones."""
    steps = offset.view(np.int32).astype(np.int64)
    start = base.astype(np.int64)
    found = np.full(np.broadcast(mask, base, offset).shape, 0xFFFFFFFF, np.uint32)
    left = np.maximum(np.abs(steps), 1)
    for distance in range(32):
        at = start + np.where(steps < 0, -distance, distance)
        here = (at >= 0) & (at < 32)
        bit = (mask >> np.clip(at, 0, 31).astype(np.uint32)) & np.uint32(1)
        hit = here & (bit == 1) & ((steps != 0) | (distance == 0))
        left = left - hit
        found = np.where(hit & (left == 0), at.astype(np.uint32), found)
    return found


@meaning("fns")
def _fns(form: Form) -> Meaning:
    return Meaning(nth_set, ("b32",), ("b32", "b32", "b32"))


@meaning("and", "or", "xor")
def _logic(form: Form) -> Meaning:
    function = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}[form.opcode]
    return Meaning(function, (form.type,), (form.type, form.type))


@meaning("not")
def _not(form: Form) -> Meaning:
    return Meaning(operator.invert, (form.type,), (form.type,))


@meaning("cnot")
def _cnot(form: Form) -> Meaning:
    dtype = DTYPE[form.type]
    return Meaning(lambda a: (a == 0).astype(dtype), (form.type,), (form.type,))


@meaning("shl")
def _shl(form: Form) -> Meaning:
    return Meaning(shift_left, (form.type,), (form.type, "u32"))


@meaning("shr")
def _shr(form: Form) -> Meaning:
    return Meaning(shift_right, (form.type,), (form.type, "u32"))


@meaning("shf", flags="l r clamp wrap")
def _shf(form: Form) -> Meaning:
    function = partial(funnel, "l" in form.flags, "wrap" in form.flags)
    return Meaning(function, ("b32",), ("b32", "b32", "u32"))


@meaning("popc")
def _popc(form: Form) -> Meaning:
    return Meaning(population, ("u32",), (form.type,))


@meaning("clz")
def _clz(form: Form) -> Meaning:
    return Meaning(leading_zeros, ("u32",), (form.type,))


@meaning("bfind", flags="shiftamt")
def _bfind(form: Form) -> Meaning:
    function = partial(highest_bit, form.type[0] == "s", "shiftamt" in form.flags)
    return Meaning(function, ("u32",), (form.type,))


@meaning("brev")
def _brev(form: Form) -> Meaning:
    return Meaning(reverse, (form.type,), (form.type,))


@meaning("bfe")
def _bfe(form: Form) -> Meaning:
    return Meaning(extract, (form.type,), (form.type, "u32", "u32"))


@meaning("bfi")
def _bfi(form: Form) -> Meaning:
    return Meaning(insert, (form.type,), (form.type, form.type, "u32", "u32"))


@meaning("bmsk", flags="clamp wrap")
def _bmsk(form: Form) -> Meaning:
    return Meaning(partial(bit_mask, "clamp" in form.flags), ("b32",), ("u32", "u32"))


@meaning("szext", flags="clamp wrap")
def _szext(form: Form) -> Meaning:
    function = partial(sign_extend, "clamp" in form.flags, form.type == "s32")
    return Meaning(function, (form.type,), (form.type, "u32"))


@meaning("prmt", flags="f4e b4e rc8 ecl ecr rc16")
def _prmt(form: Form) -> Meaning:
    return Meaning(partial(permute, next(iter(form.flags), "")), ("b32",), ("b32", "b32", "u32"))
