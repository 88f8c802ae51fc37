"""The instruction table: what an instruction reads, writes, moves and costs.

One row per instruction (`rows_*.py`, notation in `notation.py`); the functions below answer
questions about an `Instruction` of the model by its row. A row is found by opcode and modifiers,
the longest name first (`cp.async.bulk` before `cp.async`), once per combination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from typing import Literal, TypeVar

from perflint.base.records import dataclass
from perflint.grammar import rows_arithmetic, rows_control, rows_matrix, rows_memory
from perflint.grammar.model import (
    TYPE_SIZE,
    Address,
    Element,
    Immediate,
    Instruction,
    Not,
    Operand,
    Pair,
    Register,
    SpecialRegister,
    Symbol,
    Vector,
)
from perflint.grammar.modifiers import spaces, types, vector
from perflint.grammar.notation import AccessKind, Control, Cost, Role, Row

__all__ = [
    "ROWS",
    "Control",
    "Cost",
    "MemoryAccess",
    "Role",
    "Row",
    "UnknownInstructionError",
    "access",
    "accesses",
    "carry",
    "control",
    "cost",
    "find",
    "known",
    "operands",
    "reads",
    "row",
    "space",
    "spaces",
    "types",
    "vector",
    "writes",
]

ROWS: dict[str, Row] = {
    each.name: each
    for family in (rows_arithmetic, rows_memory, rows_control, rows_matrix)
    for each in family.ROWS
}

_OPCODES = frozenset(name.partition(".")[0] for name in ROWS)

#: The width that decides an `arithmetic` row's cost.
_ARITHMETIC: dict[str, Cost] = {
    "f64": "double",
    "f32": "single",
    "f32x2": "single",
    "f16": "half",
    "f16x2": "half",
    "bf16": "half",
    "bf16x2": "half",
}


class UnknownInstructionError(KeyError):
    """An opcode that is no row of the table: its full name, and the line in the PTX text."""

    def __init__(self, name: str, line: int) -> None:
        super().__init__(name)
        self.name = name
        self.line = line

    def __str__(self) -> str:
        return f"line {self.line}: unknown instruction {self.name!r}"


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """What one lane does to memory in one instruction (`cp.async` makes two of them).

    A tensor, texture or surface access, a prefetch and an operation on an mbarrier are none.
    """

    kind: AccessKind
    space: str  #: global, shared, local, const, param or generic
    size: int  #: bytes per lane with all vector elements; 0 where a lane has no share of its own
    address: Address


def known(opcode: str) -> bool:
    """Whether some row begins with this opcode."""
    return opcode in _OPCODES


@lru_cache(maxsize=4096)
def find(opcode: str, modifiers: tuple[str, ...]) -> Row | None:
    """The row with the longest name that opcode and modifiers begin with."""
    for end in range(len(modifiers), -1, -1):
        name = ".".join((opcode, *modifiers[:end]))
        found = ROWS.get(name) or ROWS.get(name.partition("::")[0])
        if found is not None:
            return found
    return None


Found = TypeVar("Found")


def _once(function: Callable[[Instruction], Found]) -> Callable[[Instruction], Found]:
    """Look an instruction up once, however many analyses ask the same of it."""
    name = function.__name__

    @wraps(function)
    def asked(instruction: Instruction) -> Found:
        known = instruction.known
        if name not in known:
            known[name] = function(instruction)
        found: Found = known[name]
        return found

    return asked


@_once
def row(instruction: Instruction) -> Row:
    """The row of an instruction. Raises UnknownInstructionError."""
    found = find(instruction.opcode, instruction.modifiers)
    if found is None:
        raise UnknownInstructionError(instruction.name, instruction.line)
    return found


def operands(instruction: Instruction) -> Iterator[tuple[Role, Operand]]:
    """The instruction's operands, each with its role; not of a call, whose roles are its own.

    Optional operands are told from one another by being an address or not. Operands beyond the
    row's are read.
    """
    roles = row(instruction).operands
    spare = len(roles) - len(instruction.operands)
    at = 0
    for operand in instruction.operands:
        while (
            spare > 0
            and at < len(roles)
            and roles[at].optional
            and roles[at].address != isinstance(operand, Address)
        ):
            at, spare = at + 1, spare - 1
        if at < len(roles):
            yield roles[at], operand
        else:
            yield Role("more", False, True, isinstance(operand, Address), True), operand
        at += 1


def _registers(operand: Operand) -> tuple[str, ...]:
    """The names of the registers an operand mentions."""
    kind = type(operand)
    if kind is Register or kind is SpecialRegister:
        return (operand.name,)  # type: ignore[union-attr]
    if kind is Immediate or kind is Symbol:
        return ()
    match operand:
        case Element(inner, _) | Not(inner):
            return (inner.name,)
        case Vector(elements):
            return tuple(name for each in elements for name in _registers(each))
        case Pair(first, second):
            return (*_registers(first), *_registers(second))
        case Address(base, _, index):
            inside = (name for each in index for name in _registers(each))
            return (*_registers(base), *inside)
    return ()


def _partial(operand: Operand) -> Iterator[str]:
    """Registers of which a written operand replaces a part only: their rest is read."""
    match operand:
        case Element(inner, _):
            yield inner.name
        case Vector(elements):
            for each in elements:
                yield from _partial(each)


@_once
def writes(instruction: Instruction) -> tuple[str, ...]:
    """Names of the registers written, in operand order, each once."""
    if instruction.call is not None:
        written = [name for each in instruction.call.results for name in _registers(each)]
    else:
        written = [
            name
            for role, operand in operands(instruction)
            if role.written
            for name in _registers(operand)
        ]
    return tuple(dict.fromkeys(written))


@_once
def reads(instruction: Instruction) -> tuple[str, ...]:
    """Names of the registers read: guard, sources, address bases; special registers too.

    A register that is written in part (`%v.x`) counts as read, and so do the accumulators that
    an instruction updates.
    """
    read = [] if instruction.guard is None else [instruction.guard.register.name]
    if instruction.call is not None:
        for each in (instruction.call.target, *instruction.call.arguments):
            read.extend(_registers(each))
        return tuple(dict.fromkeys(read))
    for role, operand in operands(instruction):
        read.extend(_registers(operand) if role.read else _partial(operand))
    return tuple(dict.fromkeys(read))


def space(instruction: Instruction) -> str | None:
    """The state space named, `generic` if it has an address and names none, else None.

    Of an instruction with two (`cp.async`) it is the destination's; see `accesses`.
    """
    named = spaces(instruction)
    if named:
        return named[0]
    return "generic" if row(instruction).accesses else None


@_once
def accesses(instruction: Instruction) -> tuple[MemoryAccess, ...]:
    """The memory accesses of one lane, reads before writes; empty for most instructions."""
    described = row(instruction)
    if not described.accesses:
        return ()
    by_name = {role.name: operand for role, operand in operands(instruction)}
    named = spaces(instruction)
    out = []
    for each in described.accesses:
        address = by_name.get(each.operand)
        if not isinstance(address, Address):
            continue
        if each.space is None:
            where = named[0] if named else "generic"
        elif each.space.isdigit():
            at = int(each.space) - 1
            where = named[at] if at < len(named) else "generic"
        else:
            where = each.space
        size = _size(instruction, described.bytes, by_name)
        out.append(MemoryAccess(each.kind, where, size, address))
    return tuple(out)


def access(instruction: Instruction) -> MemoryAccess | None:
    """The only access of an instruction, or the first of several, or None."""
    return next(iter(accesses(instruction)), None)


def _size(instruction: Instruction, rule: str | int | None, by_name: dict[str, Operand]) -> int:
    if isinstance(rule, int):
        return rule
    if isinstance(rule, str):
        operand = by_name.get(rule)
        return operand.bits if isinstance(operand, Immediate) and operand.kind == "int" else 0
    named = types(instruction)
    return TYPE_SIZE.get(named[0], 0) * vector(instruction) if named else 0


def control(instruction: Instruction) -> Control | None:
    """How control goes on: a jump, a call, an end, or a wait for the whole block (`barrier`)."""
    return row(instruction).control


def cost(instruction: Instruction) -> Cost:
    """What the instruction occupies; arithmetic by its widest floating-point type."""
    described = row(instruction).cost
    if described != "arithmetic":
        return described
    named = types(instruction)
    return next((kind for name, kind in _ARITHMETIC.items() if name in named), "integer")


def carry(instruction: Instruction) -> frozenset[Literal["reads", "writes"]]:
    """Whether the instruction reads or writes the carry bit CC.CF (PTX ISA 9.7.2)."""
    out: set[Literal["reads", "writes"]] = set()
    if instruction.opcode in ("addc", "subc", "madc"):
        out.add("reads")
    if "cc" in instruction.modifiers:
        out.add("writes")
    return frozenset(out)
