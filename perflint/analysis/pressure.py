"""Register pressure: how many 32-bit registers are live at once, before ptxas allocates any."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from perflint.analysis.cfg import ControlFlow, control_flow
from perflint.grammar import table
from perflint.grammar.model import Function, Instruction

_WIDTH = {"64": 2, "128": 4}  #: registers by the bits at the end of a type's name
_PREDICATES = frozenset(("setp", "testp", "isspacep"))


@lru_cache(maxsize=4)
def register_pressure(kernel: Function) -> int:
    """The most 32-bit registers that hold live values at one place of a kernel.

    ptxas orders instructions anew and computes some values again, so that it may need more or
    fewer; far below a limit, it spills nothing. Raises ValueError for a kernel without code.
    """
    flow = control_flow(kernel)
    registers = _Registers(kernel)
    live = _live_out(flow, registers)
    most = 0
    for block in flow.blocks:
        now = live[block.number]
        for pc in reversed(block.pcs):
            now = (now & ~registers.killed[pc]) | registers.read[pc]
            most = max(most, registers.size(now))
    return most


class _Registers:
    """The registers that each instruction reads, and those whose former values it ends: as bits."""

    def __init__(self, kernel: Function) -> None:
        reads = [table.reads(each) for each in kernel.instructions]
        writes = [table.writes(each) for each in kernel.instructions]
        names = sorted({name for some in (*reads, *writes) for name in some})
        bit = {name: 1 << n for n, name in enumerate(names)}
        self.read = [_union(bit, some) for some in reads]
        # A guarded instruction may leave the old value.
        self.killed = [
            0 if each.guard else _union(bit, some)
            for each, some in zip(kernel.instructions, writes, strict=True)
        ]
        self._by_width: dict[int, int] = {}
        widths = dict.fromkeys(names, 1)
        for each, some in zip(kernel.instructions, writes, strict=True):
            widths.update(dict.fromkeys(some, _width(each)))
        for name, width in widths.items():
            self._by_width[width] = self._by_width.get(width, 0) | bit[name]

    def size(self, some: int) -> int:
        """How many 32-bit registers some take together."""
        return sum(width * (some & all_).bit_count() for width, all_ in self._by_width.items())


def _union(bit: dict[str, int], names: Iterable[str]) -> int:
    out = 0
    for name in names:
        out |= bit[name]
    return out


def _width(instruction: Instruction) -> int:
    """32-bit registers that a result takes: none for predicates."""
    types = table.types(instruction)
    if instruction.opcode in _PREDICATES or not types or types[0] == "pred":
        return 0 if types else 1
    return _WIDTH.get(types[0].lstrip("abcdefghijklmnopqrstuvwxyz"), 1)


def _live_out(flow: ControlFlow, registers: _Registers) -> list[int]:
    """The registers whose values are wanted behind each block."""
    used, defined = [], []
    for block in flow.blocks:
        reads = kills = 0
        for pc in block.pcs:
            reads |= registers.read[pc] & ~kills
            kills |= registers.killed[pc]
        used.append(reads)
        defined.append(kills)
    out = [0] * len(flow.blocks)
    waiting = [block.number for block in flow.blocks]
    while waiting:
        number = waiting.pop()
        new = 0
        for successor in flow.successors[number]:
            new |= used[successor] | (out[successor] & ~defined[successor])
        if new != out[number]:
            out[number] = new
            waiting.extend(flow.predecessors[number])
    return out
