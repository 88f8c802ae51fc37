"""Waits that can never end: lanes that spin on what nobody is left to write.

A run whose whole state (where every lane is, what its registers hold, what memory holds) is one
that it had before, with every lane that can run having run in between, goes round for ever. States
are compared as Brent's algorithm finds a cycle ("An improved Monte Carlo factorization algorithm",
BIT 20, 1980): with one kept at each power of two. Only instructions that change nothing but
registers are looked at; any other begins anew.
"""

from __future__ import annotations

import numpy as np

from perflint.grammar.model import Instruction, SpecialRegister
from perflint.sim.barriers import WAIT
from perflint.sim.clock import CLOCKS
from perflint.sim.device import Device
from perflint.sim.program import Program
from perflint.sim.turns import equal
from perflint.sim.values import Value

_FIRST = 4096  #: basic blocks in a row that changed no memory, before a state is kept
_EVERY = 64  #: blocks between two comparisons

#: What changes registers at most; atomics are watched at the memory that they change.
_QUIET = frozenset(
    {"abs", "activemask", "add", "addc", "and", "atom", "bfe", "bfi", "bfind", "bra", "brev",
     "brx", "clz", "cvt", "cvta", "div", "ex2", "fence", "fma", "isspacep", "ld", "ldu", "lg2",
     "lop3", "mad", "mad24", "madc", "match", "max", "membar", "min", "mov", "mul", "mul24",
     "nanosleep", "neg", "not", "or", "popc", "prmt", "rcp", "red", "rem", "rsqrt", "sad",
     "selp", "set", "setp", "shf", "shfl", "shl", "shr", "slct", "sqrt", "sub", "subc", "testp",
     "vote", "xor"}
)  # fmt: skip


class Endless:
    """Watches a machine for a state that it had before."""

    def __init__(self, program: Program, device: Device) -> None:
        instructions = program.kernel.instructions
        self._device, self._program = device, program
        self._quiet = [
            all(_quiet(i) for i in instructions[b.first : b.last]) for b in program.blocks
        ]
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._steps = 0
        self._changes = self._device.changes
        self._kept: tuple[int, np.ndarray | None, list[Value]] | None = None
        self._ran = np.zeros(0, bool)
        self._blocks: set[int] = set()  #: that ran since

    def after(
        self,
        ran: int,
        at: np.ndarray | None,
        current: int,
        pc: np.ndarray | None,
        registers: list[Value],
    ) -> bool:
        """Whether the run is known to go round for ever; asked after each basic block.

        `ran` is the block, `at` (n,) the places of the lanes that ran it (None: all); the others
        are the machine's state.
        """
        if not self._quiet[ran] or self._changes != self._device.changes:
            self._begin_anew()
            return False
        self._steps += 1
        if self._steps < _FIRST:
            return False
        if self._kept is not None:
            self._blocks.add(ran)
            if at is None:
                self._ran[:] = True
            elif len(self._ran) > int(at[-1]):
                self._ran[at] = True
            if self._steps % _EVERY == 0 and self._same(current, pc, registers):
                return True
        if self._steps & (self._steps - 1) == 0:
            self._kept = current, None if pc is None else pc.copy(), list(registers)
            self._blocks.clear()
            self._ran = np.zeros(1 if pc is None else len(pc), bool)
        return False

    def waits_at(self) -> int:
        """The pc of what the lanes read again and again."""
        instructions = self._program.kernel.instructions
        blocks = [self._program.blocks[n] for n in sorted(self._blocks)]
        inside = [i for b in blocks for i in instructions[b.first : b.last]]
        read = [i for i in inside if i.opcode in ("ld", "ldu", "atom", "red")]
        return next((i.index for i in (*read, *inside)), -1)

    def _same(self, current: int, pc: np.ndarray | None, registers: list[Value]) -> bool:
        assert self._kept is not None
        block, before, values = self._kept
        if pc is None or before is None:
            if pc is not before or current != block or not self._ran.all():
                return False
        elif not np.array_equal(pc, before) or not self._ran[pc < WAIT].all():
            return False
        return all(equal(a, b) for a, b in zip(values, registers, strict=True))


def _quiet(instruction: Instruction) -> bool:
    if instruction.opcode in ("bar", "barrier"):
        return "warp" in instruction.modifiers
    if instruction.opcode not in _QUIET:
        return False
    return not any(
        isinstance(o, SpecialRegister) and o.name in CLOCKS for o in instruction.operands
    )
