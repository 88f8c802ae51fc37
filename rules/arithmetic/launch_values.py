"""Values that a kernel has from its launch alone: the same in all threads, not for a compiler."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from perflint.grammar import table
from perflint.grammar.model import (
    Address,
    Immediate,
    Instruction,
    Operand,
    Register,
    SpecialRegister,
    Symbol,
)
from perflint.rules.protocol import (
    Kernel,
)

_COMPUTES = frozenset(
    {"add", "sub", "mul", "mad", "shl", "shr", "cvt", "mov", "and", "or", "neg", "min", "max"}
    | {"div", "rem", "abs"}
)
_SHAPES = ("%ntid", "%nctaid")


@lru_cache(maxsize=4)
def _definitions(kernel: Kernel) -> Mapping[str, list[Instruction]]:
    out: dict[str, list[Instruction]] = {}
    for instruction in kernel.facts.kernel.instructions:
        for name in table.writes(instruction):
            out.setdefault(name, []).append(instruction)
    return out


def launch_value(kernel: Kernel, operand: Operand) -> frozenset[str] | None:
    """The parameters and special registers that an operand is made of; None if of anything else.

    Scalar parameters by their index as a text, special registers by their names. An immediate is
    made of nothing.
    """
    return _made_of(kernel, operand, frozenset())


def _made_of(kernel: Kernel, operand: Operand, around: frozenset[str]) -> frozenset[str] | None:
    if isinstance(operand, Immediate):
        return frozenset()
    if isinstance(operand, SpecialRegister):
        return frozenset({operand.name}) if operand.name.startswith(_SHAPES) else None
    if not isinstance(operand, Register) or operand.name in around:
        return None
    out: set[str] = set()
    for instruction in _definitions(kernel).get(operand.name, ()):
        found = _of_instruction(kernel, instruction, around | {operand.name})
        if found is None:
            return None
        out |= found
    return frozenset(out) if operand.name in _definitions(kernel) else None


def _of_instruction(
    kernel: Kernel, instruction: Instruction, around: frozenset[str]
) -> frozenset[str] | None:
    if instruction.opcode == "ld" and "param" in instruction.modifiers:
        address = instruction.operands[1]
        if not isinstance(address, Address) or not isinstance(address.base, Symbol):
            return None
        names = [p.name for p in kernel.facts.kernel.parameters]
        return frozenset({str(names.index(address.base.name))})
    if instruction.opcode not in _COMPUTES:
        return None
    out: set[str] = set()
    for operand in instruction.operands[1:]:
        found = _made_of(kernel, operand, around)
        if found is None:
            return None
        out |= found
    return frozenset(out)


def parameters_of(kernel: Kernel, value: frozenset[str]) -> tuple[int, ...]:
    """The scalar parameters among what a value is made of."""
    pointers = kernel.facts.pointer_parameters
    return tuple(sorted(int(v) for v in value if v.isdigit() and int(v) not in pointers))
