"""Reads of a kernel's parameters through a register, written as reads by name.

Compilers may take the address of a struct passed by value first. `mov.b64 %rd1, k_param_0;
add.s64 %rd2, %rd1, 4; ld.param.u32 %r1, [%rd2+16]` is then `ld.param.u32 %r1, [k_param_0+20]`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from perflint.grammar.model import (
    Address,
    Function,
    Immediate,
    Instruction,
    Pair,
    Register,
    Symbol,
    Vector,
)


def by_name(kernel: Function) -> Function:
    """The kernel with its parameters read by name wherever the address is one of them, or in it.

    Only registers that one unguarded instruction writes hold such an address for certain.
    """
    held = _held(kernel)
    if not held:
        return kernel
    instructions = tuple(_named(each, held) for each in kernel.instructions)
    return replace(kernel, instructions=instructions)


def _held(kernel: Function) -> dict[str, Symbol]:
    """The registers that hold a parameter's address plus a constant."""
    written = Counter(name for each in kernel.instructions for name in _written(each))
    held: dict[str, Symbol] = {}
    for each in kernel.instructions:
        if each.opcode not in ("mov", "add") or each.guard is not None:
            continue
        into, value = each.operands[0], _address(each, kernel, held)
        if value is not None and isinstance(into, Register) and written[into.name] == 1:
            held[into.name] = value
    return held


def _written(instruction: Instruction) -> Iterator[str]:
    """The registers that stand where an instruction has its results."""
    first = instruction.operands[0] if instruction.operands else None
    parts = first.elements if isinstance(first, Vector) else (first,)
    if isinstance(first, Pair):
        parts = (first.first, first.second)
    yield from (each.name for each in parts if isinstance(each, Register))


def _address(instruction: Instruction, kernel: Function, held: dict[str, Symbol]) -> Symbol | None:
    """The parameter's address that an instruction computes; None if it is none for certain."""
    values = [
        held.get(each.name, each) if isinstance(each, Register) else each
        for each in instruction.operands[1:]
    ]
    found = next((each for each in values if isinstance(each, Symbol)), None)
    index = kernel.parameter_index.get(found.name) if found is not None else None
    if found is None or index is None or instruction.opcode == "mov":
        return found if index is not None else None
    added = values[1 if values[0] is found else 0]
    if not isinstance(added, Immediate) or added.kind != "int":
        return None
    offset = found.offset + added.bits
    inside = 0 <= offset < kernel.parameters[index].size
    return replace(found, offset=offset) if inside else None


def _named(instruction: Instruction, held: dict[str, Symbol]) -> Instruction:
    """A read through a register that holds a parameter's address, by the parameter's name."""
    if instruction.opcode != "ld" or "param" not in instruction.modifiers:
        return instruction
    into, address = instruction.operands
    if not isinstance(address, Address) or not isinstance(address.base, Register):
        return instruction
    symbol = held.get(address.base.name)
    if symbol is None:
        return instruction
    return replace(instruction, operands=(into, replace(address, base=symbol)))
