"""Whether an atomic's result can steer a kernel: a flow-insensitive taint over its registers."""

from __future__ import annotations

from perflint.grammar import table
from perflint.grammar.model import Address, Function, Register


def steered_by_atomics(kernel: Function) -> bool:
    """True where a value that `atom` returned may reach an address or a branch.

    Such a run depends on the order in which threads ran. Values through memory are not followed.
    """
    tainted = {
        name
        for instruction in kernel.instructions
        if instruction.opcode == "atom"
        for name in table.writes(instruction)
    }
    if not tainted:
        return False
    flows = [(table.reads(i), table.writes(i)) for i in kernel.instructions]
    changed = True
    while changed:
        changed = False
        for read, written in flows:
            if not tainted.isdisjoint(read) and not tainted.issuperset(written):
                tainted.update(written)
                changed = True
    for instruction in kernel.instructions:
        if instruction.guard is not None and instruction.guard.register.name in tainted:
            return True
        for operand in instruction.operands:
            base = operand.base if isinstance(operand, Address) else None
            if isinstance(base, Register) and base.name in tainted:
                return True
    return False
