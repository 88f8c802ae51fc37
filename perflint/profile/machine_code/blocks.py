"""The basic blocks of a kernel's machine code, as `nvdisasm` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from perflint.base.patterns import pattern
from perflint.base.records import dataclass

#: `@!P0 ISETP.NE.AND P1, PT, R2, RZ, PT ;` behind its address
_INSTRUCTION = pattern(
    r"\s*/\*[0-9a-f]+\*/\s+(?:@(!?U?P[T\d]+)\s+)?([A-Z][A-Z0-9_]*)([\w.]*)\s*([^;]*);"
)
_LABEL = pattern(r"\s*([.$\w]+):\s*$")
_TARGET = pattern(r"`\(([^)]+)\)")
#: Where a block ends. A call comes back behind itself.
_ENDS = frozenset({"BRA", "EXIT", "RET", "KILL", "CALL"})
#: What may go to any place whose address the code holds.
_ANYWHERE = frozenset({"BRX", "BRXU", "JMP", "JMX", "JMXU", "RPCMOV", "RTT", "BPT"})


@dataclass(frozen=True)
class Instruction:
    """One machine instruction."""

    opcode: str
    guarded: bool  #: a predicate may keep it from doing anything


@dataclass(eq=False)
class Block:
    """Instructions that are issued one behind the other."""

    instructions: list[Instruction] = field(default_factory=list)
    successors: list[int] = field(default_factory=list)
    #: whether it may be come to otherwise than from a block that has it among its successors
    open: bool = False


class UnreadableCodeError(ValueError):
    """Machine code that is not understood."""


def blocks(text: str, entry: str) -> tuple[Block, ...]:
    """The blocks of an entry, the first one first. Raises UnreadableCodeError."""
    found: list[Block] = []
    at: dict[str, int] = {}
    jumps: list[tuple[int, str]] = []
    falls = False  # whether the last block goes on into the next one
    fresh, anywhere = True, False
    for line in _lines(text, entry):
        if label := _LABEL.match(line):
            at[label[1]] = len(found)
            fresh = True
            continue
        one = _INSTRUCTION.match(line)
        if one is None:
            continue
        if fresh:
            if found and falls:
                found[-1].successors.append(len(found))
            found.append(Block())
            fresh, falls = False, True
        guard, opcode, _, operands = one.groups()
        guarded = guard is not None and guard not in ("PT", "UPT")
        found[-1].instructions.append(Instruction(opcode, guarded))
        target = _TARGET.search(operands)
        if opcode == "BRA" and target is not None:
            jumps.append((len(found) - 1, target[1]))
            # `BRA.DIV UR4, …` and `BRA P1, …` have a condition of their own
            falls = guarded or not operands.strip().startswith("`")
        elif opcode in _ENDS:
            falls = guarded or opcode == "CALL"
        anywhere |= opcode in _ANYWHERE
        if opcode != "BRA":
            jumps += [(-1, name) for name in _TARGET.findall(operands)]
        fresh = opcode in _ENDS or opcode in _ANYWHERE
    if not found:
        raise UnreadableCodeError(f"there is no code of {entry}")
    for block, name in jumps:
        target_block = at.get(name)
        if target_block is None or target_block >= len(found):
            continue  # another function's
        if block < 0:
            found[target_block].open = True
        else:
            found[block].successors.append(target_block)
    come_to = {number for each in found for number in each.successors}
    for number, each in enumerate(found):
        each.open |= anywhere or number == 0 or number not in come_to
    return tuple(found)


def _lines(text: str, entry: str) -> Iterator[str]:
    """The lines of an entry's section."""
    inside = False
    for line in text.splitlines():
        if line.startswith("//-----"):
            inside = f" .text.{entry} " in line
        elif inside and not line.startswith((f"{entry}:", f".text.{entry}:")):
            yield line


__all__ = ["Block", "Instruction", "UnreadableCodeError", "blocks"]
