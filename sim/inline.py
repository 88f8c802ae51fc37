"""Direct calls of functions with a body, written out where they stand.

A call's arguments and results are `.param` variables (PTX ISA 7.1), which live in the thread's
local memory here: the callee's parameters become another name for the caller's variables, its
registers, labels and variables get names of their own. What a callee does to memory has no place
in the kernel's text: its instructions have index -1 and are not traced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from perflint.grammar.model import (
    Address,
    Element,
    Function,
    Guard,
    Instruction,
    Module,
    Not,
    Operand,
    Pair,
    Register,
    Symbol,
    Variable,
    Vector,
)

_DEPTH = 8  #: calls within calls; recursion ends here, and its call is then refused
_LIMIT = 200_000  #: instructions of a kernel with all its calls written out


def inlined(module: Module, kernel: Function) -> Function:
    """The kernel with its calls written out; calls that cannot be stay as they are."""
    for _ in range(_DEPTH):
        calls = [i for i in kernel.instructions if _callee(module, i) is not None]
        if not calls or len(kernel.instructions) > _LIMIT:
            break
        kernel = _inline_once(module, kernel)
    return kernel


def _callee(module: Module, instruction: Instruction) -> Function | None:
    call = instruction.call
    if call is None or not isinstance(call.target, Symbol):
        return None
    found = module.functions.get(call.target.name)
    if found is None or found.declaration or found.kind != "func":
        return None
    given = (*call.arguments, *call.results)
    taken = (*found.parameters, *found.results)
    fits = len(given) == len(taken) and all(isinstance(g, Symbol) for g in given)
    return found if fits and all(v.space == "param" for v in taken) else None


def _inline_once(module: Module, kernel: Function) -> Function:
    instructions: list[Instruction] = []
    registers = dict(kernel.registers)
    variables: list[Variable] = list(kernel.variables)
    targets = dict(kernel.branch_targets)
    place: list[int] = []  # new position of each old instruction
    labels: dict[str, int] = {}
    for number, instruction in enumerate(kernel.instructions):
        place.append(len(instructions))
        callee = _callee(module, instruction)
        if callee is None:
            instructions.append(instruction)
            continue
        prefix = f"{callee.name}@{len(instructions)}.{number}."
        after = prefix + "return"
        if instruction.guard is not None:
            skip = Guard(instruction.guard.register, not instruction.guard.negated)
            instructions.append(_jump(instruction, after, skip))
        names = _names(callee, instruction, prefix)
        begin = len(instructions)
        instructions += [_renamed(i, names, prefix, after) for i in callee.instructions]
        registers |= {prefix + name: kind for name, kind in callee.registers.items()}
        variables += [replace(v, name=prefix + v.name) for v in callee.variables]
        targets |= {
            prefix + label: tuple(prefix + n for n in ns)
            for label, ns in callee.branch_targets.items()
        }
        labels |= {prefix + label: begin + at for label, at in callee.labels.items()}
        labels[after] = len(instructions)
    place.append(len(instructions))
    labels |= {label: place[at] for label, at in kernel.labels.items()}
    return replace(
        kernel,
        instructions=tuple(instructions),
        labels=labels,
        registers=registers,
        variables=tuple(variables),
        branch_targets=targets,
    )


def _names(callee: Function, instruction: Instruction, prefix: str) -> dict[str, str]:
    """New names of the callee's parameters and variables."""
    call = instruction.call
    assert call is not None
    names = {v.name: prefix + v.name for v in callee.variables}
    formal = (*callee.parameters, *callee.results)
    for variable, given in zip(formal, (*call.arguments, *call.results), strict=True):
        assert isinstance(given, Symbol)
        names[variable.name] = given.name
    return names


def _jump(call: Instruction, label: str, guard: Guard | None) -> Instruction:
    return replace(
        call, opcode="bra", modifiers=(), operands=(Symbol(label),), guard=guard, call=None
    )


def _renamed(
    instruction: Instruction, names: Mapping[str, str], prefix: str, after: str
) -> Instruction:
    guard = instruction.guard
    if guard is not None:
        guard = Guard(Register(prefix + guard.register.name), guard.negated)
    if instruction.opcode == "ret":
        return replace(_jump(instruction, after, guard), index=-1)
    operands = tuple(_operand(o, names, prefix) for o in instruction.operands)
    if instruction.opcode in ("bra", "brx"):
        label = operands[-1]
        assert isinstance(label, Symbol)
        operands = (*operands[:-1], Symbol(prefix + label.name))
    call = instruction.call
    if call is not None:
        call = replace(
            call,
            results=tuple(_operand(o, names, prefix) for o in call.results),
            arguments=tuple(_operand(o, names, prefix) for o in call.arguments),
        )
    return replace(instruction, operands=operands, index=-1, guard=guard, call=call)


def _operand(operand: Operand, names: Mapping[str, str], prefix: str) -> Operand:
    match operand:
        case Register(name):
            return Register(prefix + name)
        case Symbol(name, offset):
            return Symbol(names.get(name, name), offset)
        case Not(Register(name)):
            return Not(Register(prefix + name))
        case Element(Register(name), selector):
            return Element(Register(prefix + name), selector)
        case Vector(elements):
            return Vector(tuple(_operand(e, names, prefix) for e in elements))
        case Pair(first, second):
            pair = (_operand(first, names, prefix), _operand(second, names, prefix))
            return Pair(*pair)  # type: ignore[arg-type]
        case Address(base, offset, index):
            moved = _operand(base, names, prefix)
            rest = tuple(_operand(e, names, prefix) for e in index)
            return Address(moved, offset, rest)  # type: ignore[arg-type]
    return operand
