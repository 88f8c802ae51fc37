"""Instructions that only compute, and how a guard may be put on them."""

from __future__ import annotations

from perflint.grammar import table
from perflint.grammar.model import Instruction

CARRY = "carry"  #: the name under which the condition code register is kept

#: What the runtime may do to an instruction under a guard without a branch around it.
PURE = frozenset(("arithmetic", "integer", "half", "single", "double", "division", "special",
                  "conversion", "compare", "logic", "move", "video"))  # fmt: skip


def inlineable(instruction: Instruction) -> bool:
    """Whether a guarded instruction is run for all lanes and its result kept for some."""
    return (
        table.cost(instruction) in PURE
        and table.control(instruction) is None
        and not table.accesses(instruction)
        and instruction.opcode not in ("mov", "mapa", "getctarank", "tcgen05")
        and not table.carry(instruction)
    )
