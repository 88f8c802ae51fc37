"""Direct calls of functions with a body, written out where they stand.

A call's arguments and results are `.param` variables (PTX ISA 7.1): the callee's parameters become
another name for the caller's variables, its registers, labels and variables get names of their own.
Those that are registers are moved. Vector registers are written as their elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from perflint.grammar.model import (
    Address,
    Element,
    Function,
    Guard,
    Immediate,
    Instruction,
    Module,
    Not,
    Operand,
    Pair,
    Register,
    Sink,
    SpecialRegister,
    Symbol,
    Variable,
    Vector,
)
from perflint.grammar.parameter_reads import by_name
from perflint.grammar.vectors import element_names, scalars

_DEPTH = 8  #: calls within calls; recursion ends here, and its call is then refused
#: Spaces of which every call has variables of its own.
_OWN = ("local", "param", "reg")
_LIMIT = 200_000  #: instructions of a kernel with all its calls written out


def written_out(module: Module, kernel: Function) -> Function:
    """The kernel with its calls written out and numbered anew, arguments handed over in registers.

    Every instruction's index is its position. Calls of recursive functions stay as they are, and
    so does a kernel without calls.
    """
    kernel = by_name(scalars(kernel))
    if not any(_callee(module, i) for i in kernel.instructions):
        return kernel
    recursive = _recursive(module)
    if recursive:
        functions = {n: f for n, f in module.functions.items() if n not in recursive}
        module = replace(module, functions=functions)
    return parameters_in_registers(inlined(module, kernel))


def _recursive(module: Module) -> frozenset[str]:
    """Names of the functions that may call themselves."""
    calls = {
        name: {c.name for i in f.instructions if (c := _callee(module, i)) is not None}
        for name, f in module.functions.items()
    }
    out: set[str] = set()
    for name in calls:
        reached: set[str] = set()
        pending = [name]
        while pending:
            fresh = calls[pending.pop()] - reached
            reached |= fresh
            pending += fresh
        if name in reached:
            out.add(name)
    return frozenset(out)


def inlined(module: Module, kernel: Function) -> Function:
    """The kernel with its calls written out; calls that cannot be stay as they are.

    The kernel's own instructions keep their index, those of the callees have -1.
    """
    kernel = scalars(kernel)
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
    if len(given) != len(taken) or not all(map(_fits, taken, given)):
        return None
    return scalars(found)


def _fits(formal: Variable, actual: Operand) -> bool:
    """Whether an argument or result can be handed over: a variable, or a register's value."""
    if formal.space == "param":
        return isinstance(actual, Symbol)
    if formal.vector > 1:
        if isinstance(actual, Vector):
            return len(actual.elements) == formal.vector and all(map(_is_value, actual.elements))
        return isinstance(actual, Sink)
    return _is_value(actual)


def _is_value(operand: Operand) -> bool:
    return isinstance(operand, (Register, Immediate, SpecialRegister, Sink))


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
        after, end = prefix + "return", prefix + "end"
        if instruction.guard is not None:
            skip = Guard(instruction.guard.register, not instruction.guard.negated)
            instructions.append(_jump(instruction, end, skip))
        names = _names(callee, instruction, prefix)
        call = instruction.call
        assert call is not None
        for formal, value in _in_registers(callee.parameters, call.arguments):
            instructions.append(_move(instruction, formal, Register(prefix + formal.name), value))
        begin = len(instructions)
        instructions += [_renamed(i, names, prefix, after) for i in callee.instructions]
        registers |= {prefix + name: kind for name, kind in callee.registers.items()}
        known = {v.name for v in variables}
        variables += [
            replace(v, name=prefix + v.name) if v.space in _OWN else v
            for v in callee.variables
            if v.space in _OWN or v.name not in known
        ]
        targets |= {
            prefix + label: tuple(prefix + n for n in ns)
            for label, ns in callee.branch_targets.items()
        }
        labels |= {prefix + label: begin + at for label, at in callee.labels.items()}
        labels[after] = len(instructions)
        for formal, target in _in_registers(callee.results, call.results):
            instructions.append(_move(instruction, formal, target, Register(prefix + formal.name)))
        labels[end] = len(instructions)
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
    # Of shared memory there is one for all calls (and lives as long as the block).
    own = (v for v in callee.variables if v.space in _OWN)
    names = {v.name: prefix + v.name for v in own}
    formal = (*callee.parameters, *callee.results)
    for variable, given in zip(formal, (*call.arguments, *call.results), strict=True):
        if variable.space == "param":
            assert isinstance(given, Symbol)
            names[variable.name] = given.name
    return names


def _move(call: Instruction, formal: Variable, target: Operand, value: Operand) -> Instruction:
    """What hands over a parameter or a result that is a register."""
    return replace(
        call, opcode="mov", modifiers=(formal.type,), operands=(target, value), guard=None,
        call=None, index=-1,
    )  # fmt: skip


def _in_registers(
    taken: tuple[Variable, ...], given: tuple[Operand, ...]
) -> list[tuple[Variable, Operand]]:
    """Each register that is handed over, with its other side; of a vector, its elements."""
    pairs: list[tuple[Variable, Operand]] = []
    for variable, operand in zip(taken, given, strict=True):
        if variable.space == "reg" and isinstance(operand, Vector):
            names = element_names(variable.name, variable.vector)
            parts = (replace(variable, name=name, vector=1) for name in names)
            pairs += zip(parts, operand.elements, strict=True)
        elif variable.space == "reg":
            pairs.append((variable, operand))
    return [(v, o) for v, o in pairs if not isinstance(o, Sink)]


def _jump(call: Instruction, label: str, guard: Guard | None) -> Instruction:
    return replace(
        call, opcode="bra", modifiers=(), operands=(Symbol(label),), guard=guard, call=None
    )


def renamed(instruction: Instruction, names: Mapping[str, str], prefix: str) -> Instruction:
    """An instruction with its registers, labels and some variables named anew; `ret` stays."""
    if instruction.opcode != "ret":
        return _renamed(instruction, names, prefix, "")
    guard = instruction.guard
    if guard is not None:
        guard = Guard(Register(prefix + guard.register.name), guard.negated)
    return replace(instruction, guard=guard, index=-1)


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
            target=_operand(call.target, {}, prefix),
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


# --- arguments ------------------------------------------------------------------------------------

Slot = tuple[str, int, int]  #: variable, byte offset, bits


def parameters_in_registers(kernel: Function) -> Function:
    """The function with its `.param` variables replaced by registers, all numbered anew.

    Only variables that are always accessed by name, in parts that never overlap, and as wide as
    the registers that they come from and go to. Every instruction's index is then its position.
    """
    slots = _slots(kernel)
    names = {v for v, _, _ in slots}
    instructions: list[Instruction] = []
    place: list[int] = []
    for instruction in kernel.instructions:
        place.append(len(instructions))
        parts = _parts(kernel, instruction)
        if parts and parts[0][0][0] in names:
            store = instruction.opcode == "st"
            for slot, value in parts:
                register = Register(_slot_name(slot))
                pair = (register, value) if store else (value, register)
                move = replace(instruction, opcode="mov", modifiers=(f"b{slot[2]}",), operands=pair)
                instructions.append(move)
        else:
            instructions.append(instruction)
    place.append(len(instructions))
    return replace(
        kernel,
        instructions=tuple(replace(i, index=n) for n, i in enumerate(instructions)),
        labels={name: place[at] for name, at in kernel.labels.items()},
        registers={**kernel.registers, **{_slot_name(s): f"b{s[2]}" for s in slots}},
        variables=tuple(v for v in kernel.variables if v.name not in names),
    )


def _slot_name(slot: Slot) -> str:
    return f"{slot[0]}@{slot[1]}"


def _slots(kernel: Function) -> set[Slot]:
    """The parts of the `.param` variables that registers can hold."""
    candidates = {v.name for v in kernel.variables if v.space == "param"}
    slots: dict[str, set[Slot]] = {name: set() for name in candidates}
    for instruction in kernel.instructions:
        parts = _parts(kernel, instruction)
        for slot, _ in parts:
            if slot[0] in slots:
                slots[slot[0]].add(slot)
        if not parts:
            candidates -= _mentioned(instruction)
    out: set[Slot] = set()
    for name in candidates:
        covered = sorted((offset, offset + bits // 8) for _, offset, bits in slots[name])
        if all(end <= start for (_, end), (start, _) in pairwise(covered)):
            out |= slots[name]
    return out


_BITS = {f"{kind}{bits}": bits for kind in "busf" for bits in (16, 32, 64)}


def _parts(kernel: Function, instruction: Instruction) -> list[tuple[Slot, Operand]]:
    """What a load or store of a named parameter moves: each part and its other side; or nothing."""
    if instruction.opcode not in ("ld", "st") or "param" not in instruction.modifiers:
        return []
    store = instruction.opcode == "st"
    address = instruction.operands[0 if store else 1]
    moved = instruction.operands[1 if store else 0]
    bits = _BITS.get(instruction.modifiers[-1])
    if not isinstance(address, Address) or not isinstance(address.base, Symbol) or bits is None:
        return []
    values = moved.elements if isinstance(moved, Vector) else (moved,)
    start = address.base.offset + address.offset
    out: list[tuple[Slot, Operand]] = []
    for n, value in enumerate(values):
        if isinstance(value, Register):
            if _BITS.get(kernel.registers.get(value.name, "")) != bits:
                return []
        elif not (store and isinstance(value, Immediate)):
            return []
        out.append(((address.base.name, start + n * bits // 8, bits), value))
    return out


def _mentioned(instruction: Instruction) -> set[str]:
    """Names of the variables that an instruction mentions."""
    operands = list(instruction.operands)
    if instruction.call is not None:
        operands += [*instruction.call.arguments, *instruction.call.results]
    for operand in tuple(operands):
        if isinstance(operand, Vector):
            operands += operand.elements
    bases = (o.base if isinstance(o, Address) else o for o in operands)
    return {b.name for b in bases if isinstance(b, Symbol)}
