"""Axes whose blocks a kernel halves turn by turn: `for (s = blockDim.x / 2; s > 0; s >>= 1)`.

A tree of additions over a block's threads counts all of them only where there are a power of two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from perflint.analysis.ssa import StaticSingleAssignment
from perflint.grammar.model import Function, Immediate, Instruction, SpecialRegister

_EXTENTS = {f"%ntid.{axis}": axis for axis in "xyz"}
_COPIES = frozenset({"mov", "cvt"})


def halved_axes(kernel: Function, ssa: StaticSingleAssignment) -> frozenset[str]:
    """The axes along which a loop's variable goes from the block's size down, or up to it."""
    found: set[str] = set()
    for definition in ssa.definitions:
        if not definition.phi:
            continue
        steps = [_back(kernel, ssa, each, definition.number) for each in definition.inputs]
        if any(turned == "shr" for turned, _ in steps):
            found |= {axis for _, axis in steps if axis}
        elif any(turned == "shl" for turned, _ in steps):
            found |= _compared(kernel, ssa, definition.number)
    return frozenset(found)


def _back(kernel: Function, ssa: StaticSingleAssignment, number: int, phi: int) -> tuple[str, str]:
    """The shift by one that a value is a phi's own by, and the axis whose extent it is made of."""
    shift = ""
    for _ in range(len(ssa.definitions)):
        definition = ssa.definitions[number]
        if number == phi:
            return shift, ""
        if definition.phi or definition.pc is None:
            break
        instruction = kernel.instructions[definition.pc]
        if axis := _extent(instruction):
            return "", axis
        if instruction.opcode in ("shr", "shl") and _is_one(instruction.operands[-1]):
            if shift not in ("", instruction.opcode):
                break
            shift = instruction.opcode
        elif instruction.opcode not in _COPIES:
            break
        if len(definition.inputs) != 1:
            break
        number = definition.inputs[0]
    return "", ""


def _compared(kernel: Function, ssa: StaticSingleAssignment, phi: int) -> set[str]:
    """The axes whose extents a doubled variable is compared with."""
    found = set()
    own = {phi, *_made_of(kernel, ssa, phi)}
    for instruction in kernel.instructions:
        if instruction.opcode == "setp":
            used = set(ssa.uses[instruction.index].values())
            if used & own:
                found |= {a for each in used - own for a in _axes(kernel, ssa, each)}
    return found


def _made_of(kernel: Function, ssa: StaticSingleAssignment, phi: int) -> Iterator[int]:
    readers: dict[int, list[int]] = defaultdict(list)
    for each in ssa.definitions:
        if not each.phi and each.pc is not None and kernel.instructions[each.pc].opcode == "shl":
            for source in each.inputs:
                readers[source].append(each.number)
    yield from readers[phi]


def _axes(kernel: Function, ssa: StaticSingleAssignment, number: int) -> Iterable[str]:
    axis = _back(kernel, ssa, number, -1)[1]
    return (axis,) if axis else ()


def _extent(instruction: Instruction) -> str:
    source = instruction.operands[-1] if instruction.operands else None
    if instruction.opcode != "mov" or not isinstance(source, SpecialRegister):
        return ""
    return _EXTENTS.get(source.name, "")


def _is_one(operand: object) -> bool:
    return isinstance(operand, Immediate) and operand.kind == "int" and operand.bits == 1
