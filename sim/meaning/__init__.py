"""What instructions compute: one small function of NumPy values each, by family."""

from __future__ import annotations

from perflint.grammar.model import Instruction, Pair
from perflint.grammar.rows_arithmetic import VIDEO as VIDEO_ROWS
from perflint.sim.meaning import (
    bits,
    comparison,
    conversion,
    floating,
    integer,
    packed,
    video,
)
from perflint.sim.meaning.registry import Form, Meaning, meaning, resolve

__all__ = ["Form", "Meaning", "conversion", "floating", "integer", "meaning", "meanings_of"]

VIDEO = frozenset(row.name for row in VIDEO_ROWS)


def meanings_of(instruction: Instruction) -> tuple[Meaning, ...]:
    """What an instruction computes, one meaning per written destination; () if it is unknown.

    Two have `setp p|q` (the comparison and its opposite, or of packed halves the lower and the
    upper one) and `lop3` with a predicate.
    """
    operands = instruction.operands
    if instruction.opcode == "lop3":
        return bits.lookups(instruction)
    if instruction.opcode in VIDEO:
        one = video.video_meaning(instruction)
        return () if one is None else (one,)
    key = (instruction.opcode, instruction.modifiers, len(operands))
    pair = bool(operands) and isinstance(operands[0], Pair)
    if pair and instruction.opcode == "setp" and instruction.name.endswith("x2"):
        return packed.compared(Form(*key))
    found = resolve(*key) or packed.resolve_packed(*key)
    if found is None:
        return ()
    if pair:
        if instruction.opcode != "setp":
            return ()
        opposite = comparison.complement(Form(*key))
        return (found, opposite) if opposite is not None else ()
    return (found,)
