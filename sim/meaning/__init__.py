"""What instructions compute: one small function of NumPy values each, by family."""

from __future__ import annotations

from perflint.grammar.model import Immediate, Instruction, Pair
from perflint.sim.meaning import bits, comparison, conversion, floating, integer, packed
from perflint.sim.meaning.registry import Form, Meaning, meaning, resolve

__all__ = ["Form", "Meaning", "conversion", "floating", "integer", "meaning", "meanings_of"]


def meanings_of(instruction: Instruction) -> tuple[Meaning, ...]:
    """What an instruction computes, one meaning per written destination; () if it is unknown.

    Only `setp p|q` has two: of the comparison and of its opposite.
    """
    operands = instruction.operands
    if instruction.opcode == "lop3":
        table = operands[-1]
        if instruction.modifiers != ("b32",) or not isinstance(table, Immediate):
            return ()
        return (Meaning(bits.lookup(table.bits & 255), ("b32",), ("b32",) * 3),)
    key = (instruction.opcode, instruction.modifiers, len(operands))
    found = resolve(*key) or packed.resolve_packed(*key)
    if found is None:
        return ()
    if isinstance(operands[0], Pair):
        if instruction.opcode != "setp":
            return ()
        opposite = comparison.complement(Form(*key))
        return (found, opposite) if opposite is not None else ()
    return (found,)
