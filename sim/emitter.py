"""The source of one basic block in the making: names, operands, registers, results.

Registers live in Python locals, in every type that the block reads them as, so that a view is made
once. The names `m` and `a` in the lines are the machine and the lanes that run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perflint.grammar import table
from perflint.grammar.model import (
    Address,
    Element,
    Immediate,
    Instruction,
    Not,
    Operand,
    Pair,
    Register,
    Sink,
    SpecialRegister,
    Symbol,
)
from perflint.sim.computation import CARRY
from perflint.sim.meaning import meanings_of
from perflint.sim.meaning.video import PARTS
from perflint.sim.program import BasicBlock, Program
from perflint.sim.site import Site
from perflint.sim.special import is_special
from perflint.sim.values import DTYPE, constant, recast, register_dtype


class NoMeaningError(Exception):
    """The instruction at hand cannot be compiled; the message, if any, says why."""


#: Spaces of less than 4 GiB: of a sum of register and offset the machine has 32 bits.
_NARROW = ("shared", "local", "param", "body")


class Emitter:
    """The source of one block in the making."""

    def __init__(
        self,
        program: Program,
        block: BasicBlock,
        local_symbols: frozenset[str],
    ) -> None:
        self.program = program
        self.block = block
        self.local_symbols = local_symbols  #: `.param` variables of the body: local memory
        self.lines: list[str] = []
        self.names: dict[str, Any] = {}
        self.end = "None"
        self.step = 0  #: instructions of the block before the one at hand
        self.touches = False  #: of an access only the address is wanted, no byte is moved
        self._constants: dict[tuple[Any, ...], str] = {}
        self._functions: dict[int, str] = {}
        self._counter = 0
        #: slot -> {dtype: local variable that holds the register in that dtype}
        self._forms: dict[int, dict[np.dtype[Any], str]] = {
            slot: {register_dtype(program.types[slot]): f"r{slot}"}
            for slot in block.inputs
            if program.types[slot] in DTYPE
        }

    # --- names -----------------------------------------------------------------------------------

    def fresh(self) -> str:
        self._counter += 1
        return f"v{self._counter}"

    def assign(self, expression: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {expression}")
        return name

    def line(self, text: str) -> None:
        self.lines.append(text)

    def refer(self, value: Any) -> str:
        """A name for an object that the function uses."""
        name = self._functions.get(id(value))
        if name is None:
            name = f"k{len(self.names)}"
            self.names[name] = value
            self._functions[id(value)] = name
        return name

    def dtype(self, dtype: np.dtype[Any]) -> str:
        name = f"d_{dtype.kind}{dtype.itemsize}"
        self.names[name] = dtype
        return name

    def number(self, bits: int, kind: str, dtype: np.dtype[Any]) -> str:
        key = (bits, kind, dtype)
        if key not in self._constants:
            name = f"c{len(self._constants)}"
            self.names[name] = constant(bits, kind, dtype)
            self._constants[key] = name
        return self._constants[key]

    # --- operands --------------------------------------------------------------------------------

    def use(self, operand: Operand, ptx_type: str) -> str:
        """An expression for an operand as a PTX type."""
        if ptx_type not in DTYPE:
            raise NoMeaningError
        dtype = DTYPE[ptx_type]
        if isinstance(operand, Register):
            return self.read(operand.name, dtype)
        if isinstance(operand, Element) and operand.selector in PARTS:
            return self.read(operand.register.name, dtype)  # video instructions cut it themselves
        if isinstance(operand, Immediate):
            return self.number(operand.bits, operand.kind, dtype)
        if isinstance(operand, Not):
            return f"(~{self.read(operand.register.name, DTYPE['pred'])})"
        if isinstance(operand, SpecialRegister):
            if operand.name == "WARP_SZ":
                return self.number(32, "int", dtype)
            if not is_special(operand.name):
                raise NoMeaningError
            return self.cast(f"m.special(a, {operand.name!r}, {self.step})", dtype)
        if isinstance(operand, Symbol):
            return self.cast(f"m.symbol({operand.name!r}, {operand.offset})", dtype)
        raise NoMeaningError

    def cast(self, expression: str, dtype: np.dtype[Any], signed: bool = False) -> str:
        self.names["recast"] = recast
        return self.assign(f"recast({expression}, {self.dtype(dtype)}, {signed})")

    def read(self, name: str, dtype: np.dtype[Any]) -> str:
        return self.read_slot(self.slot(name), dtype)

    def read_slot(self, slot: int, dtype: np.dtype[Any]) -> str:
        forms = self._forms.get(slot)
        if forms is None:  # never written: PTX leaves it undefined, here it is zero
            forms = self._forms[slot] = {}
            own = register_dtype(self.program.types[slot])
            forms[own] = self.number(0, "int", own)
        if dtype not in forms:
            have, name = next(iter(forms.items()))
            if have.itemsize == dtype.itemsize and "b" not in (have.kind, dtype.kind):
                forms[dtype] = self.assign(f"{name}.view({self.dtype(dtype)})")
            else:
                forms[dtype] = self.cast(name, dtype)
        return forms[dtype]

    def slot(self, name: str) -> int:
        """Where the machine keeps a register."""
        slot = self.program.slots.get(name)
        if slot is None or self.program.types[slot] not in DTYPE:
            raise NoMeaningError
        return slot

    def write(self, operand: Operand, variable: str, ptx_type: str) -> None:
        """A result held in a local variable becomes a register's value."""
        if isinstance(operand, Sink):
            return
        if isinstance(operand, Element) and operand.selector in PARTS:
            operand = operand.register
        if not isinstance(operand, Register):
            raise NoMeaningError
        self.write_slot(self.slot(operand.name), variable, ptx_type)

    def write_slot(self, slot: int, variable: str, ptx_type: str) -> None:
        dtype = DTYPE[ptx_type]
        own = register_dtype(self.program.types[slot])
        if own.itemsize != dtype.itemsize or "b" in (own.kind, dtype.kind):
            if own != dtype:
                variable = self.cast(variable, own, signed=dtype.kind == "i")
            dtype = own
        self._forms[slot] = {dtype: variable}

    def address(self, operand: Address, space: str) -> str:
        """The address in a space: uint64, or uint32 in those whose sums wrap at 2^32."""
        if isinstance(operand.base, Symbol):
            return f"m.symbol({operand.base.name!r}, {operand.base.offset + operand.offset})"
        if isinstance(operand.base, Immediate):
            return self.number(operand.base.bits + operand.offset, "int", DTYPE["b64"])
        held = "b32" if space in _NARROW else "b64"
        base = self.use(operand.base, held)
        if not operand.offset:
            return base
        return f"({base} + {self.number(operand.offset, 'int', DTYPE[held])})"

    def inferred_type(self, operand: Operand, ptx_type: str) -> str:
        """The type of an untyped load, where its register is read as a float of that size."""
        if ptx_type[0] == "b" and isinstance(operand, Register):
            used = self.program.floats.get(operand.name)
            if used is not None and used[1:] == ptx_type[1:]:
                return used
        return ptx_type

    # --- instructions ----------------------------------------------------------------------------

    def pure(self, instruction: Instruction) -> None:
        """An instruction that only computes."""
        found = meanings_of(instruction)
        if not found:
            raise NoMeaningError
        carry = table.carry(instruction)
        destinations, sources = _divided(instruction, len(found))
        results: list[tuple[Operand, str, str]] = []
        carried = None
        for destination, meaning in zip(destinations, found, strict=True):
            types = meaning.sources[: len(sources)]
            if len(types) != len(sources):
                raise NoMeaningError
            arguments = [self.use(s, t) for s, t in zip(sources, types, strict=True)]
            if "reads" in carry:
                arguments.append(self.read_slot(self.program.slots[CARRY], DTYPE["pred"]))
            if len(arguments) != len(meaning.sources):
                raise NoMeaningError
            call = f"{self.refer(meaning.function)}({', '.join(arguments)})"
            if len(meaning.results) == 2:
                variable, carried = self.fresh(), self.fresh()
                self.line(f"{variable}, {carried} = {call}")
            else:
                variable = self.assign(_inlined(meaning.function, arguments) or call)
            results.append((destination, variable, meaning.results[0]))
        for destination, variable, ptx_type in results:
            if instruction.guard is not None and not isinstance(destination, Sink):
                guard = self.guard(instruction)
                old = self.use(destination, ptx_type)
                self.names["where"] = np.where
                variable = self.assign(f"where({guard}, {variable}, {old})")
            self.write(destination, variable, ptx_type)
        if carried is not None:
            self.write_slot(self.program.slots[CARRY], carried, "pred")

    def guard(self, instruction: Instruction) -> str:
        assert instruction.guard is not None
        name = self.read(instruction.guard.register.name, DTYPE["pred"])
        return f"(~{name})" if instruction.guard.negated else name

    def site(
        self, instruction: Instruction, space: str, kind: str, ptx_type: str, width: int = 1
    ) -> str:
        if ptx_type not in DTYPE or ptx_type == "pred":
            raise NoMeaningError
        traced = space not in ("param", "body") and instruction.index >= 0
        site = Site(
            instruction.index,
            "local" if space == "body" else space,
            kind,
            ptx_type,
            DTYPE[ptx_type],
            width,
            traced,
            self.step,
        )
        name = f"s{len(self.names)}"
        self.names[name] = site
        return name

    # --- the function ----------------------------------------------------------------------------

    def finish(self) -> str:
        """The source of the block's function."""
        outputs = "".join(
            self.read_slot(slot, register_dtype(self.program.types[slot])) + ", "
            for slot in self.block.outputs
        )
        inputs = "".join(f", r{slot}" for slot in self.block.inputs)
        body = "\n    ".join([*self.lines, f"return ({outputs}), {self.end}"])
        return f"def block(m, a{inputs}):\n    {body}\n"


def _divided(
    instruction: Instruction, results: int
) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
    """Destinations and sources of a computing instruction."""
    first, *rest = instruction.operands
    if instruction.opcode == "lop3":
        rest = [*rest[:3], *rest[4:]]
    if isinstance(first, Pair):
        if results != 2:
            raise NoMeaningError
        return (first.first, first.second), tuple(rest)
    if results != 1:
        raise NoMeaningError
    return (first,), tuple(rest)


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "and_": "&", "or_": "|", "xor": "^", "lt": "<",
          "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "truediv": "/"}  # fmt: skip


def _inlined(function: Any, arguments: list[str]) -> str | None:
    """An operator of Python's in place of a call of it."""
    if getattr(function, "__module__", "") != "_operator" or len(arguments) != 2:
        return None
    sign = _SIGNS.get(function.__name__)
    return f"{arguments[0]} {sign} {arguments[1]}" if sign else None
