"""Instructions as PTX text again: one canonical form, for expectations and round trips."""

from __future__ import annotations

from perflint.grammar.model import (
    Address,
    Element,
    Function,
    Immediate,
    Instruction,
    Not,
    Operand,
    Pair,
    Register,
    Sink,
    SpecialRegister,
    Symbol,
    Vector,
)


def operand(value: Operand) -> str:
    match value:
        case Register(name) | SpecialRegister(name):
            return name
        case Immediate(bits, "int"):
            return str(bits)
        case Immediate(bits, "f32"):
            return f"0f{bits:08X}"
        case Immediate(bits, _):
            return f"0d{bits:016X}"
        case Symbol(name, offset, None):
            return name + (f"{offset:+d}" if offset else "")
        case Symbol(name, offset, mask):
            return f"{mask:#x}({operand(Symbol(name, offset))})"
        case Element(register, selector):
            return f"{register.name}.{selector}"
        case Vector(elements):
            return "{" + ", ".join(map(operand, elements)) + "}"
        case Sink():
            return "_"
        case Pair(first, second):
            return f"{operand(first)}|{operand(second)}"
        case Not(register):
            return f"!{register.name}"
        case Address(base, offset, index):
            inside = operand(base) + (f"{offset:+d}" if offset else "")
            return "[" + ", ".join([inside, *map(operand, index)]) + "]"
    raise AssertionError(value)


def instruction(each: Instruction) -> str:
    guard = ""
    if each.guard is not None:
        guard = f"@{'!' * each.guard.negated}{each.guard.register.name} "
    parts = [operand(value) for value in each.operands]
    if each.call is not None:
        call = each.call
        results = f"({', '.join(map(operand, call.results))}), " if call.results else ""
        arguments = [f"({', '.join(map(operand, call.arguments))})"] if call.arguments else []
        prototype = [call.prototype] if call.prototype else []
        parts = [", ".join([results + operand(call.target), *arguments, *prototype])]
    return f"{guard}{each.name} {', '.join(parts)}".rstrip() + ";"


def body(function: Function) -> str:
    """A function's body whose registers need no scopes: all declared one by one."""
    lines = [f".reg .{type_} {name};" for name, type_ in function.registers.items()]
    at: dict[int, list[str]] = {}
    for label, index in function.labels.items():
        at.setdefault(index, []).append(f"{label}:")
    for each in function.instructions:
        lines += [*at.get(each.index, []), instruction(each)]
    return "\n".join(lines + at.get(len(function.instructions), []))
