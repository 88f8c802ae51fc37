"""What can steer a kernel: a flow-insensitive taint over registers to addresses and branches."""

from __future__ import annotations

from collections.abc import Iterable

from perflint.grammar import table
from perflint.grammar.model import Address, Function, Instruction, Register

#: Instructions on whose operands more depends than a result: who waits, where a call leads, which
#: texel is fetched, how much is copied.
_STEERED = frozenset(
    ("bar", "barrier", "brx", "call", "cp", "mbarrier", "sust", "suld", "sured", "tex", "tld4")
)


def steered_by_atomics(kernel: Function) -> bool:
    """True where a value that `atom` returned may reach an address or a branch.

    Such a run depends on the order in which threads ran. Values through memory are not followed.
    """
    atomics = {name for i in kernel.instructions if i.opcode == "atom" for name in table.writes(i)}
    return bool(atomics) and _reaches(kernel, _tainted(kernel, atomics), frozenset())


def steered_by_integers(kernel: Function) -> bool:
    """False where no run depends on which integers the kernel's arrays hold.

    That is so if it loads floats only, or if nothing that it loads reaches an address or a branch.
    What is loaded as a float may have been filled as an integer, so that with both among the loads
    both count.
    """
    loads = [i for i in kernel.instructions if _loads(i)]
    if all(str(table.types(i)[-1]).startswith("f") for i in loads if table.types(i)):
        return any(not table.types(i) for i in loads)
    loaded = {name for i in loads for name in table.writes(i)}
    return _reaches(kernel, _tainted(kernel, loaded), _STEERED)


def _loads(i: Instruction) -> bool:
    reads = any(access.kind != "store" for access in table.accesses(i))
    return (reads and "param" not in i.modifiers) or i.opcode in ("tex", "tld4", "suld")


def _tainted(kernel: Function, registers: Iterable[str]) -> set[str]:
    """The registers that some registers' values may reach, those included."""
    tainted = set(registers)
    flows = [(table.reads(i), table.writes(i)) for i in kernel.instructions]
    changed = True
    while changed:
        changed = False
        for read, written in flows:
            if not tainted.isdisjoint(read) and not tainted.issuperset(written):
                tainted.update(written)
                changed = True
    return tainted


def _reaches(kernel: Function, tainted: set[str], steered: frozenset[str]) -> bool:
    """Whether a guard, an address or an instruction of those that are steered reads a register."""
    for instruction in kernel.instructions:
        if instruction.guard is not None and instruction.guard.register.name in tainted:
            return True
        if instruction.opcode in steered and not tainted.isdisjoint(table.reads(instruction)):
            return True
        for operand in instruction.operands:
            base = operand.base if isinstance(operand, Address) else None
            if isinstance(base, Register) and base.name in tainted:
                return True
    return False
