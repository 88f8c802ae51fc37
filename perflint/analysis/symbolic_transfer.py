"""What PTX instructions compute, as polynomials: the transfer functions of the address domain.

Sign and zero extension are the identity but for numbers, and so is cutting 64 bits to 32: indices
are assumed not to overflow. What is no polynomial becomes an operation; what has no integer meaning
gives None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from perflint.analysis import operations, simplify
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.provenance import Scope
from perflint.analysis.simplify import build, value_range
from perflint.analysis.symbols import Op, Opaque
from perflint.grammar import table
from perflint.grammar.model import (
    Immediate,
    Instruction,
    Not,
    Operand,
    Register,
    SpecialRegister,
    Symbol,
)

#: Values of the registers read, by name; a register without one is missing.
Values = Mapping[str, Polynomial]


def computed(instruction: Instruction) -> bool:
    """Whether an instruction may have an integer meaning that its operands' values matter for."""
    if instruction.opcode not in _RULES and instruction.opcode != "ld":
        return False
    if instruction.opcode == "ld":
        return table.space(instruction) == "param"
    types = table.types(instruction)
    return bool(types) and all(_integral(t) for t in types) and "cc" not in instruction.modifiers


def _integral(type: str) -> bool:
    return type == "pred" or (type[0] in "bus" and type[1:] in ("8", "16", "32", "64"))


def result(
    instruction: Instruction, values: Values, scope: Scope, register: str
) -> Polynomial | None:
    """What an instruction computes into a register, or None if that has no formula.

    `values` holds a polynomial for every register that the instruction reads.
    """
    if not computed(instruction):
        return None
    types = table.types(instruction)
    if instruction.opcode == "ld":
        integral = len(types) == 1 and _integral(types[0])
        parameter = scope.parameter(instruction, register) if integral else None
        return None if parameter is None else Polynomial.of(parameter)
    if not instruction.operands or not isinstance(instruction.operands[0], Register):
        return None
    arguments: list[Polynomial] = []
    bits = int(types[-1][1:]) if types[-1] != "pred" else 1
    unsigned = types[-1][0] == "u" and _looks_at_high_bits(instruction)
    for operand in instruction.operands[1:]:
        value = _operand(operand, values, scope, bits, unsigned)
        if value is None:
            return None
        arguments.append(value)
    compute = _RULES.get(instruction.opcode)
    return None if compute is None else compute(instruction, types, tuple(arguments))


def _looks_at_high_bits(instruction: Instruction) -> bool:
    """Whether the result is another one for -1 than for 4294967295."""
    wide = "wide" in instruction.modifiers or "hi" in instruction.modifiers
    return wide or instruction.opcode in ("div", "rem", "min", "max", "setp")


def _operand(
    operand: Operand, values: Values, scope: Scope, bits: int, unsigned: bool
) -> Polynomial | None:
    match operand:
        case Register(name):
            return values.get(name)
        case Not(register):
            value = values.get(register.name)
            return None if value is None else build("not.pred", (value,))
        case Immediate(value, "int"):
            # Either spelling may stand for either number: 4294967295 for -1 and the reverse.
            span = 1 << bits
            if bits == 1:
                return Polynomial(value)
            if unsigned:
                return Polynomial(value % span)
            return Polynomial((value + span // 2) % span - span // 2)
        case SpecialRegister("WARP_SZ"):
            return Polynomial(32)
        case SpecialRegister(name):
            return Polynomial.of(scope.special(name))
        case Symbol(name, offset):
            symbol = scope.symbol(name)
            return None if symbol is None else Polynomial.of(symbol) + offset
    return None


Arguments = tuple[Polynomial, ...]
Types = tuple[str, ...]
Compute = Callable[[Instruction, Types, Arguments], Polynomial | None]


def _typed(instruction: Instruction, types: Types) -> str:
    return f"{instruction.opcode}.{types[0]}"


def _same(instruction: Instruction, types: Types, a: Arguments) -> Polynomial | None:
    return a[0]


def _convert(instruction: Instruction, types: Types, a: Arguments) -> Polynomial | None:
    if len(types) != 2:
        return None
    to, source = int(types[0][1:]), int(types[1][1:])
    number = a[0].constant
    if number is not None:
        return Polynomial(_content(_content(number, types[1]), types[0]))
    if source <= 32 and wide(a[0]):
        # A 64-bit register may stand where 32 bits are read (PTX ISA, operand size exceeding).
        a = (build(f"cvt.{types[1]}", a),)
    if to >= source or (to >= 32 and not wide(a[0])):
        return a[0]
    bounds = value_range(a[0])
    high = 1 << (to - (types[0][0] == "s"))
    if bounds is not None and bounds[0] >= 0 and bounds[1] < high:
        return a[0]
    return build(f"cvt.{types[0]}", a)


def _content(number: int, type: str) -> int:
    """What a register of the type holds of a number."""
    return operations.content(number, int(type[1:]), type[0] == "s")


def _factors(instruction: Instruction, types: Types, a: Arguments) -> tuple[Polynomial, Polynomial]:
    """Both factors; a number among those of a wide product as its type holds it."""
    if "wide" not in instruction.modifiers:
        return a[0], a[1]
    numbers = [each.constant for each in a[:2]]
    first, second = (
        each if number is None else Polynomial(_content(number, types[0]))
        for each, number in zip(a[:2], numbers, strict=True)
    )
    return first, second


def _multiply(instruction: Instruction, types: Types, a: Arguments) -> Polynomial | None:
    if "hi" in instruction.modifiers:
        return build(f"mul.hi.{types[0]}", a)
    first, second = _factors(instruction, types, a)
    return first * second


def _multiply_add(instruction: Instruction, types: Types, a: Arguments) -> Polynomial | None:
    if "hi" in instruction.modifiers:
        return build(f"mul.hi.{types[0]}", a[:2]) + a[2]
    first, second = _factors(instruction, types, a)
    return first * second + a[2]


def _shift_right(instruction: Instruction, types: Types, a: Arguments) -> Polynomial | None:
    amount = a[1].constant
    if amount is not None and types[0][1:] == "64" and wide(a[0]):
        # A field cut out of a loaded word: x << c >> d. The bits above are lost.
        shift = min(simplify.zero_bits(a[0]), 63)
        if shift >= amount:
            kept = a[0].divided_by(1 << shift)
            assert kept is not None
            field = build(f"bfe.{types[0]}", (kept, Polynomial(0), Polynomial(64 - shift)))
            return field * (1 << (shift - amount))
        return Polynomial.of(Op(f"shr.{types[0]}", a))
    return build(f"shr.{types[0]}", a)


def _operation(instruction: Instruction, types: Types, a: Arguments) -> Polynomial | None:
    return build(_typed(instruction, types), a)


def _find(instruction: Instruction, types: Types, a: Arguments) -> Polynomial | None:
    if types[0][0] != "u":
        return None  # of signed numbers the highest bit that differs from the sign
    middle = ".shiftamt" if "shiftamt" in instruction.modifiers else ""
    return build(f"bfind{middle}.{types[0]}", a)


def _select(instruction: Instruction, types: Types, a: Arguments) -> Polynomial | None:
    return build("selp", a)


def _compare(instruction: Instruction, types: Types, a: Arguments) -> Polynomial | None:
    # With a third operand the comparison is combined with a predicate (PTX ISA, setp).
    compared = build(f"setp.{instruction.modifiers[0]}.{types[0]}", a[:2])
    if len(a) == 2:
        return compared
    return build(f"{instruction.modifiers[1]}.pred", (compared, a[2])) if len(a) == 3 else None


_RULES: Mapping[str, Compute] = {
    "mov": _same,
    "cvta": _same,
    "cvt": _convert,
    "add": lambda i, t, a: a[0] + a[1],
    "sub": lambda i, t, a: a[0] - a[1],
    "neg": lambda i, t, a: -a[0],
    "mul": _multiply,
    "mul24": _multiply,
    "mad": _multiply_add,
    "mad24": _multiply_add,
    "shl": _operation,
    "shr": _shift_right,
    "and": _operation,
    "or": _operation,
    "xor": _operation,
    "not": _operation,
    "div": _operation,
    "rem": _operation,
    "min": _operation,
    "max": _operation,
    "abs": _operation,
    "clz": _operation,
    "popc": _operation,
    "bfind": _find,
    "bfe": _operation,
    "bfi": _operation,
    "lop3": _operation,
    "selp": _select,
    "setp": _compare,
}

#: Operations with more symbols than this are replaced by an opaque leaf.
_LARGEST = 1200


def too_large(value: Polynomial) -> bool:
    """Whether a value has outgrown what is worth carrying on."""
    return value.size > _LARGEST


def wide(value: Polynomial) -> bool:
    """Whether a value of 64 bits may be more than an index: some of its bits came from memory."""
    return any(isinstance(a, Opaque) and a.wide for a in value.atoms)
