"""Provenance: which variables or pointer parameters a register's value may point into.

A domain over definitions: sets of bases, joined by union. Arithmetic that cannot keep a pointer
(a product, a shift, a conversion to fewer bits) has none; a pointer that was loaded is `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perflint.analysis.fixpoint import FiniteDomain, FlowGraph, solve
from perflint.analysis.simplify import special_limit
from perflint.analysis.ssa import StaticSingleAssignment
from perflint.analysis.symbols import Base, Parameter, Special, Symbol
from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import (
    Address,
    Function,
    Immediate,
    Instruction,
    Module,
    Register,
    Variable,
    Vector,
)
from perflint.grammar.model import Symbol as Name

#: A pointer that came out of memory or of a call.
UNKNOWN = Base("generic", "?")

Bases = frozenset[Symbol]
_NONE: Bases = frozenset()

#: Instructions that hand a pointer on. Several bases are alternatives, as of `selp`.
_KEEPS = {"mov", "cvta", "selp", "min", "max", "and", "or", "sub", "shfl", "prmt"}


@dataclass(frozen=True, eq=False)
class Scope:
    """The names a kernel can see, and its parameters."""

    module: Module
    function: Function
    variables: Mapping[str, Variable]

    @staticmethod
    def of(module: Module, function: Function) -> Scope:
        variables = dict(module.variables)
        variables.update({v.name: v for v in function.variables})
        return Scope(module, function, variables)

    def symbol(self, name: str) -> Symbol | None:
        """The base that a name in the PTX text stands for; None for a function or a label."""
        if name in self.function.parameter_index:
            return Base("param", name)
        variable = self.variables.get(name)
        return None if variable is None else Base(variable.space, name)

    def special(self, name: str) -> Special:
        """A special register, with what the kernel's directives leave it of values."""
        return Special(name, special_limit(name, self.function.directives))

    def parameter(self, instruction: Instruction, register: str) -> Parameter | None:
        """The parameter, or its field, that an `ld.param` reads into a register; else None."""
        access, types = table.access(instruction), table.types(instruction)
        if access is None or len(types) != 1 or not isinstance(access.address.base, Name):
            return None
        address, base = access.address, access.address.base
        index = self.function.parameter_index.get(base.name)
        if index is None or address.index:
            return None
        into = instruction.operands[0]
        registers = into.elements if isinstance(into, Vector) else (into,)
        lane = next(
            (i for i, r in enumerate(registers) if isinstance(r, Register) and r.name == register),
            0,
        )
        offset = base.offset + address.offset + lane * (access.size // len(registers))
        return Parameter(index, offset, types[0])


class _Provenance(FiniteDomain[Bases]):
    bottom: Bases = _NONE

    def __init__(self, scope: Scope, ssa: StaticSingleAssignment) -> None:
        self.scope, self.ssa = scope, ssa
        self.word = scope.module.address_size

    def join(self, a: Bases, b: Bases) -> Bases:
        return a | b if a and b else a or b

    def transfer(self, node: int, inputs: Sequence[Bases]) -> Bases:
        definition = self.ssa.definitions[node]
        out = self.bottom
        if definition.phi:
            for state in inputs:
                out = self.join(out, state)
            return out
        if definition.pc is None:
            return out
        instruction = self.scope.function.instructions[definition.pc]
        states = dict(zip(self.ssa.uses[definition.pc], inputs, strict=True))
        out = self._result(instruction, states, definition.register)
        if instruction.guard is not None:
            out = self.join(out, states.get(definition.register, _NONE))
        return out

    def _result(
        self, instruction: Instruction, states: Mapping[str, Bases], register: str
    ) -> Bases:
        opcode = instruction.opcode
        if opcode == "call":
            return frozenset((UNKNOWN,))
        types = table.types(instruction)
        wide = any(t.endswith(("64", "b128")) and t[0] in "bus" for t in types)
        if opcode in ("ld", "ldu", "atom"):
            access = table.access(instruction)
            if access is not None and access.space == "param":
                found = self.scope.parameter(instruction, register)
                if found is not None:
                    return frozenset((found,)) if self._holds_pointer(types) else _NONE
            return frozenset((UNKNOWN,)) if wide else _NONE
        operands = instruction.operands[1:]
        if opcode == "cvt":
            # Extending keeps a 32-bit (shared) address, narrowing a 64-bit value does not.
            return self._of(operands[0], states) if operands else _NONE
        if opcode == "mad" and "hi" not in instruction.modifiers:
            return self._of(operands[-1], states)
        if opcode == "sub" and self._of(operands[1], states):
            return _NONE
        if opcode == "add":
            # One of the two is an index; a 64-bit scalar parameter looks like a pointer, too.
            # Compilers write the pointer first.
            first, second = (self._of(o, states) for o in operands[:2])
            return first or second
        if opcode not in _KEEPS:
            return _NONE
        out = self.bottom
        for operand in operands:
            out = self.join(out, self._of(operand, states))
        return out

    def _holds_pointer(self, types: tuple[str, ...]) -> bool:
        return types[0][0] in "bus" and types[0][1:] == str(self.word)

    def _of(self, operand: object, states: Mapping[str, Bases]) -> Bases:
        match operand:
            case Register(name):
                return states.get(name, _NONE)
            case Name(name):
                symbol = self.scope.symbol(name)
                return _NONE if symbol is None else frozenset((symbol,))
        return _NONE


def provenance(scope: Scope, ssa: StaticSingleAssignment, graph: FlowGraph) -> list[Bases]:
    """By definition: what the value may point into."""
    return solve(graph, _Provenance(scope, ssa))


def pointer_parameters(
    scope: Scope, ssa: StaticSingleAssignment, bases: Sequence[Bases]
) -> frozenset[Parameter]:
    """Parameters (and struct fields) that `cvta` turns into an address: surely pointers."""
    out: set[Parameter] = set()
    for pc, instruction in enumerate(scope.function.instructions):
        if instruction.opcode == "cvta" and instruction.operands[1:]:
            source = instruction.operands[1]
            if isinstance(source, Register) and source.name in ssa.uses[pc]:
                found = bases[ssa.uses[pc][source.name]]
                out.update(s for s in found if isinstance(s, Parameter))
    for index, parameter in enumerate(scope.function.parameters):
        if parameter.pointer:
            out.add(Parameter(index, 0, parameter.type))
    return frozenset(out)


def address_bases(
    scope: Scope,
    ssa: StaticSingleAssignment,
    bases: Sequence[Bases],
    pointers: frozenset[Parameter],
    pc: int,
    address: Address,
) -> Bases:
    """What an address operand may point into; scalar parameters that only add to it left out."""
    base = address.base
    if isinstance(base, Immediate):
        return _NONE
    if isinstance(base, Register):
        number = ssa.uses[pc].get(base.name)
        found = _NONE if number is None else bases[number]
    else:
        symbol = scope.symbol(base.name)
        found = _NONE if symbol is None else frozenset((symbol,))
    sure = frozenset(s for s in found if not isinstance(s, Parameter) or s in pointers)
    return sure or found
