"""Vector registers as registers of their elements (PTX ISA 6.4.2).

`.reg .v2 .u32 v` holds `v.x` and `v.y` and is written `{v.x, v.y}` where it stands whole, so that
no reader of instructions needs to know of it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from perflint.grammar.model import (
    Address,
    Call,
    Element,
    Function,
    Instruction,
    Operand,
    Pair,
    Register,
    Vector,
)

_ELEMENTS = "xyzw"
#: The other names of elements.
_COLOURS = "rgba"


def element_names(name: str, count: int) -> tuple[str, ...]:
    """The registers of a vector register's elements."""
    return tuple(f"{name}.{each}" for each in _ELEMENTS[:count])


@lru_cache(maxsize=256)
def scalars(function: Function) -> Function:
    """The function with a register for each element of its vector registers."""
    widths = {
        name: (int(type_[1]), type_[3:])
        for name, type_ in function.registers.items()
        if type_[:1] == "v"
    }
    if not widths:
        return function
    registers: dict[str, str] = {}
    for name, type_ in function.registers.items():
        if name in widths:
            count, element = widths[name]
            registers |= dict.fromkeys(element_names(name, count), element)
        else:
            registers[name] = type_
    counts = {name: count for name, (count, _) in widths.items()}
    return replace(
        function,
        registers=registers,
        instructions=tuple(_instruction(each, counts) for each in function.instructions),
    )


def _instruction(instruction: Instruction, widths: dict[str, int]) -> Instruction:
    call = instruction.call
    if call is not None:
        call = Call(
            _operands(call.results, widths), call.target, _operands(call.arguments, widths),
            call.prototype,
        )  # fmt: skip
    return replace(instruction, operands=_operands(instruction.operands, widths), call=call)


def _operands(operands: tuple[Operand, ...], widths: dict[str, int]) -> tuple[Operand, ...]:
    return tuple(_operand(each, widths) for each in operands)


def _operand(operand: Operand, widths: dict[str, int]) -> Operand:
    match operand:
        case Register(name) if name in widths:
            return Vector(tuple(Register(x) for x in element_names(name, widths[name])))
        case Element(Register(name), selector) if name in widths:
            at = max(_ELEMENTS.find(selector), _COLOURS.find(selector))
            return Register(f"{name}.{_ELEMENTS[at]}") if at < widths[name] else operand
        case Vector(elements):
            return Vector(_operands(elements, widths))
        case Pair(first, second):
            return Pair(_operand(first, widths), second)  # type: ignore[arg-type]
        case Address(base, offset, index):
            return Address(base, offset, _operands(index, widths))
    return operand
