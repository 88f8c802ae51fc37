"""The operands of instructions as expressions, and results as registers hold them."""

from __future__ import annotations

import numpy as np

from perflint.grammar import table
from perflint.grammar.model import (
    Element,
    Immediate,
    Instruction,
    Not,
    Operand,
    Register,
    SpecialRegister,
    Symbol,
)
from perflint.sim.lanes import Lanes
from perflint.sim.trace import Setting
from perflint.sim.values import DTYPE, constant
from perflint.symbolic import transfer
from perflint.symbolic.expressions import Expressions, Node
from perflint.symbolic.followed import Followed
from perflint.symbolic.registers import Registers, bits_of
from perflint.symbolic.transfer import InexpressibleError


class Operands:
    """What instructions read, by operand; `registers` and `followed` are those of a trace."""

    def __init__(self, setting: Setting, followed: Followed) -> None:
        self.setting, self.followed = setting, followed
        self.expressions = Expressions()
        self.registers = Registers(self.expressions, followed.threads)

    def is_symbolic(self, instruction: Instruction) -> bool:
        """Whether anything that an instruction reads hangs on the input."""
        return any(self.registers.symbolic(n) for n in table.reads(instruction))

    def note(self, instruction: Instruction, reason: str) -> None:
        """Count what is concretised, if it hangs on the input at all."""
        if self.is_symbolic(instruction):
            self.followed.concretised[reason] += 1

    def raw(self, operand: Operand, slots: np.ndarray, ptx_type: str) -> Node:
        """An operand as it is held; plain numbers as the type wants them.

        Raises InexpressibleError and TooDeepError.
        """
        sort = ptx_type if ptx_type == "p" else transfer.sort_of(ptx_type)
        e = self.expressions
        match operand:
            case Register(name):
                node = self.registers.node(name, slots)
                if node is not None:
                    return node
                numbers = self.registers.numbers(name)
                if numbers is None:
                    raise InexpressibleError("a value that is not told")
                return e.const(_shared_by_all(bits_of(numbers, sort), slots), sort)
            case Not(register):
                return transfer.negated(e, self.raw(register, slots, "pred"))
            case Immediate(bits, kind):
                value = constant(bits, kind, DTYPE[ptx_type if sort != "p" else "pred"])
                return e.const(bits_of(np.array(value), sort).reshape(-1)[0], sort)
            case SpecialRegister("WARP_SZ"):
                return e.const(32, sort)
        if isinstance(operand, Symbol):
            raise InexpressibleError("an address")
        part = isinstance(operand, Element)
        raise InexpressibleError("part of a register" if part else "a special register")

    def typed(self, operand: Operand, slots: np.ndarray, ptx_type: str) -> Node:
        """An operand as a type has it."""
        node = self.raw(operand, slots, ptx_type)
        return transfer.coerced(self.expressions, node, ptx_type)

    def held(self, name: str, ptx_type: str = "b32") -> str:
        """The sort of what a register holds; of one that is not declared, that of a type."""
        declared = self.setting.program.kernel.registers.get(name, ptx_type)
        return transfer.sort_of(declared) if declared != "pred" else "p"

    def extended(self, node: Node, name: str, ptx_type: str) -> Node:
        """A result of a type as its register holds it: extended where that is wider."""
        held = self.held(name, ptx_type)
        if node.sort[0] != "b" or held[0] != "b":
            return node
        return transfer.coerced(self.expressions, node, held, signed=ptx_type[0] == "s")

    def everyone(self, lanes: Lanes, value: object, sort: str) -> np.ndarray:
        """A value of some threads as one of all, (n,)."""
        numbers = bits_of(np.array(lanes.array(value)), sort)
        whole = np.zeros(self.followed.threads, numbers.dtype)
        whole[lanes.slots] = numbers
        return whole

    def as_run(self, lanes: Lanes, value: object, sort: str) -> Node:
        """A value that the run had, in each thread."""
        return self.expressions.const(self.everyone(lanes, value, sort), sort)


def _shared_by_all(numbers: np.ndarray, slots: np.ndarray) -> object:
    """One number where all threads here have the same."""
    some = numbers[slots]
    return some[0] if len(some) and (some == some[0]).all() else numbers.copy()
