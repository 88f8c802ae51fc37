"""Loads whose values a kernel only stores again: copies, as of a struct with its padding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import TYPE_SIZE, Address, Instruction, Operand, Register, Vector


@dataclass(frozen=True)
class Part:
    """Bytes of a store's value that a load brought."""

    load: int  #: its pc
    source: int  #: the first of the bytes in what was loaded
    target: int  #: the same in what is stored
    size: int


def copied_parts(instructions: Sequence[Instruction]) -> Mapping[int, tuple[Part, ...]]:
    """By the pc of each load that only copies, and of the stores that take part, the parts.

    A load has an entry of its own, be it empty. It only copies where every register that it fills
    has no other writer, and is read by stores alone, as what they store, at the width it was loaded
    with.
    """
    writers = Counter(name for each in instructions for name in table.writes(each))
    readers: dict[str, list[Instruction]] = {}
    for each in instructions:
        for name in {*table.reads(each), *_guard(each)}:
            readers.setdefault(name, []).append(each)
    out: dict[int, tuple[Part, ...]] = {}
    for each in instructions:
        filled = _moved(each, "ld")
        names = [name for name, _, _ in filled]
        if not filled or each.index < 0 or any(writers[name] != 1 for name in names):
            continue
        found: list[tuple[int, Part]] = []
        for name, source, size in filled:
            parts = [
                _part(reader, name, each.index, source, size) for reader in readers.get(name, ())
            ]
            found += [part for part in parts if part is not None]
            if None in parts:
                break
        else:
            out.setdefault(each.index, ())
            for pc, part in found:
                out[pc] = (*out.get(pc, ()), part)
    for each in instructions:
        if each.opcode == "cp" and each.modifiers[:1] == ("async",) and table.accesses(each):
            sizes = [access.size for access in table.accesses(each)]
            out[each.index] = (Part(each.index, 0, 0, min(sizes)),)
    return out


def _part(
    reader: Instruction, name: str, load: int, source: int, size: int
) -> tuple[int, Part] | None:
    """Where a reader of a register stores it; None for what uses it otherwise."""
    addresses = {n for access in table.accesses(reader) for n in _address_names(access.address)}
    if reader.index < 0 or name in _guard(reader) or name in addresses:
        return None
    at = [(target, width) for other, target, width in _moved(reader, "st") if other == name]
    if len(at) != 1 or at[0][1] != size:
        return None
    return reader.index, Part(load, source, at[0][0], size)


def _address_names(address: Address) -> set[str]:
    return {each.name for each in (address.base, *address.index) if isinstance(each, Register)}


def _moved(instruction: Instruction, opcode: str) -> list[tuple[str, int, int]]:
    """Register, place and bytes of what a load fills or a store writes; nothing for others."""
    if instruction.opcode != opcode or "param" in instruction.modifiers:
        return []
    if opcode == "st" and "local" in instruction.modifiers:
        return []  # a thread's own memory is not followed
    size = TYPE_SIZE.get(instruction.modifiers[-1], 0)
    names = _registers(instruction.operands[0 if opcode == "ld" else 1])
    if not size or (opcode == "ld" and None in names):
        return []
    return [(name, k * size, size) for k, name in enumerate(names) if name is not None]


def _registers(operand: Operand) -> list[str | None]:
    elements = operand.elements if isinstance(operand, Vector) else (operand,)
    return [each.name if isinstance(each, Register) else None for each in elements]


def _guard(instruction: Instruction) -> tuple[str, ...]:
    return () if instruction.guard is None else (instruction.guard.register.name,)
