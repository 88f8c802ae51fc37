"""FP origin: which double-precision arithmetic only ever sees single-precision values.

`x * 2.0` with a float `x` is converted to f64, multiplied there and converted back. Two domains
over definitions say so: forward, what an f64 value was made of; backward, what becomes of it. Both
are sets, joined by union.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from perflint.analysis.fixpoint import FiniteDomain, FlowGraph, solve
from perflint.analysis.ssa import StaticSingleAssignment
from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import Function, Immediate, Instruction

# What a double was made of.
SINGLE, INTEGER, DOUBLE = 1, 2, 4
EXACT, INEXACT = 8, 16  #: constants that a float holds, and that it rounds
SMALL = 32  #: integers of at most 16 bits, such as a pixel's: a float holds each
# What becomes of a double: rounded to a float or an integer, compared, or kept (stored, passed).
TO_SINGLE, TO_INTEGER, COMPARED, KEPT = 1, 2, 4, 8
#: How `exp` and `log` scale a double: its exponent is added to as bits, and put together again.
_BITS = frozenset(
    ["add", "sub", "shl", "shr", "and", "or", "xor", "not", "lop3", "prmt", "bfe", "bfi"]
)
_WORDS = frozenset(f"{kind}{size}" for kind in "bsu" for size in (32, 64))


@dataclass(frozen=True)
class DoubleUse:
    """One instruction that computes in double precision."""

    pc: int
    origin: int  #: union over its operands: SINGLE, INTEGER, DOUBLE, …
    destination: int  #: union over what becomes of its result: TO_SINGLE, …

    @property
    def implicit(self) -> bool:
        """Whether floats go in, floats or comparisons come out, and doubles are but constants.

        Or integers go in and only floats come out, as in `float y = n * 0.5`; small ones may come
        out as integers, too, as a grey pixel of three colours does.
        """
        small = self.origin & SMALL and not self.origin & INTEGER
        ends = KEPT if small else KEPT | TO_INTEGER
        kept = self.origin & DOUBLE or self.destination & ends
        single = (self.origin & SINGLE or small) and self.destination
        scaled = self.origin & INTEGER and self.destination & TO_SINGLE
        return bool(single or scaled) and not kept


class _Sets(FiniteDomain[int]):
    """Unions over inputs, cut where a node has a set of its own."""

    bottom = 0

    def __init__(self, own: Sequence[int], passing: Sequence[bool]) -> None:
        self.own, self.passing = own, passing

    def join(self, a: int, b: int) -> int:
        return a | b

    def transfer(self, node: int, inputs: Sequence[int]) -> int:
        out = self.own[node]
        if self.passing[node]:
            for state in inputs:
                out = self.join(out, state)
        return out


def double_uses(function: Function, ssa: StaticSingleAssignment) -> tuple[DoubleUse, ...]:
    """Every instruction that computes f64 from f64, in program order."""
    doubles = [i for i in function.instructions if _computes(i)]
    if not doubles:
        return ()
    origins, destinations = _origins(function, ssa), _destinations(function, ssa)
    out = []
    for instruction in doubles:
        pc = instruction.index
        origin = _constants(instruction)
        for number in ssa.uses[pc].values():
            origin |= origins[number]
        destination = COMPARED if instruction.opcode in ("setp", "set") else 0
        for number in () if destination else ssa.defined[pc].values():
            destination |= destinations[number]
        out.append(DoubleUse(pc, origin, destination))
    return tuple(out)


def _computes(instruction: Instruction) -> bool:
    """Whether an instruction does arithmetic in f64, comparisons included."""
    return (
        instruction.opcode not in ("ld", "ldu", "st", "mov", "cvt", "atom", "red", "selp")
        and "f64" in instruction.modifiers
    )


def _origins(function: Function, ssa: StaticSingleAssignment) -> list[int]:
    own = [0] * len(ssa.definitions)
    passing = [True] * len(ssa.definitions)
    for definition in ssa.definitions:
        if definition.phi or definition.pc is None:
            continue
        instruction = function.instructions[definition.pc]
        types = table.types(instruction)
        if instruction.opcode == "cvt" and len(types) == 2:
            passing[definition.number] = types[1] == "f64" and types[0] == "f64"
            if types[0] == "f64":
                source = types[1]
                own[definition.number] = _of_type(source)
        elif instruction.opcode in ("mov", "selp") or _computes(instruction):
            own[definition.number] = _constants(instruction)
        elif types and types[0] in ("f64", "b64"):
            own[definition.number], passing[definition.number] = DOUBLE, False
        else:
            passing[definition.number] = False
    return solve(FlowGraph.of([d.inputs for d in ssa.definitions]), _Sets(own, passing))


def _of_type(source: str) -> int:
    """What a double is made of that is converted from a type."""
    if source == "f64":
        return 0
    if source[0] == "f":
        return SINGLE
    return SMALL if source[1:] in ("8", "16") else INTEGER


def _constants(instruction: Instruction) -> int:
    out = 0
    for operand in instruction.operands:
        if isinstance(operand, Immediate) and operand.kind == "f64":
            out |= EXACT if _is_single(float(operand.value)) else INEXACT
    return out


def _is_single(value: float) -> bool:
    """Whether a float holds the number exactly."""
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return False
    return rounded == value or value != value


def _destinations(function: Function, ssa: StaticSingleAssignment) -> list[int]:
    """Backward: a definition's inputs are the definitions that read it."""
    count = len(ssa.definitions)
    readers: list[list[int]] = [[] for _ in range(count)]
    own = [0] * count
    for definition in ssa.definitions:
        if definition.phi:
            for source in definition.inputs:
                readers[source].append(definition.number)
    for instruction in function.instructions:
        pc = instruction.index
        for source in set(ssa.uses[pc].values()):
            end = _end(instruction)
            if end is not None:
                own[source] |= end
            else:
                readers[source].extend(ssa.defined[pc].values())
    return solve(FlowGraph.of(readers), _Sets(own, [True] * count), backward=True)


def _end(instruction: Instruction) -> int | None:
    """What an instruction makes of the doubles it reads; None if it computes a double of them."""
    types = table.types(instruction)
    if instruction.opcode == "cvt" and len(types) == 2:
        if types[0] == "f64":
            return None
        return TO_SINGLE if types[0][0] == "f" else TO_INTEGER
    if instruction.opcode in ("setp", "set"):
        return COMPARED
    if instruction.opcode in ("mov", "selp") or _computes(instruction):
        return None
    if instruction.opcode in _BITS and types[0] in _WORDS:
        return None
    if instruction.opcode == "abs" and types[0] == "f32":  # the upper word: how large it is
        return None
    return KEPT
