"""Accesses to shared memory that ptxas may make one: neighbours of up to 16 bytes a lane.

ptxas places shared variables itself, and so knows their alignment: loads of neighbouring words of
one thread become one `LDS.128`. It cannot do so in global memory, of whose alignment nothing is
known; there only what NVVM made a vector is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import Address, Immediate, Instruction, Register, Symbol
from perflint.sim.program import Program

_Key = tuple[str, str, str]  # base, kind and guard

WIDEST = 16  #: bytes of the widest access of a lane


@dataclass(frozen=True)
class Group:
    """Instructions whose requests may be one."""

    pcs: tuple[int, ...]
    #: turns of a loop whose requests may be one, too: each reads on where the last one ended
    turns: int = 1


@lru_cache(maxsize=32)
def groups(program: Program) -> tuple[Group, ...]:
    """The kernel's accesses to shared memory, each in one group."""
    defined = _definitions(program)
    steps = _small_steps(program)
    out: list[Group] = []
    for block in program.blocks:
        by_base: dict[_Key, list[tuple[int, int, int]]] = {}
        for at in range(block.first, block.last):
            instruction = program.kernel.instructions[at]
            for key, offset, size in _shared(instruction, defined):
                by_base.setdefault(key, []).append((offset, size, instruction.index))
        for (base, *_), found in by_base.items():
            turns = WIDEST // steps[base] if base in steps else 1
            out += [Group(pcs, turns) for pcs in _windows(found)]
    return tuple(out)


def _shared(
    instruction: Instruction, defined: Mapping[str, tuple[str, int]]
) -> Iterator[tuple[_Key, int, int]]:
    """(base, kind and guard), byte offset and bytes of what may be an access to shared memory."""
    for access in table.accesses(instruction):
        address = access.address
        if access.space not in ("shared", "generic") or access.kind == "atomic":
            continue
        if isinstance(address, Address) and isinstance(address.base, Register | Symbol):
            base, more = defined.get(address.base.name, (address.base.name, 0))
            own = address.base.offset if isinstance(address.base, Symbol) else 0
            yield (
                (base, access.kind, str(instruction.guard)),
                address.offset + own + more,
                access.size,
            )


def _windows(found: list[tuple[int, int, int]]) -> Iterator[tuple[int, ...]]:
    """Runs of accesses that lie within the widest one, from the lowest offset on, by pc."""
    start, run = 0, list[int]()
    for offset, size, pc in sorted(found):
        if run and offset + size > start + WIDEST:
            yield tuple(run)
            run = []
        if not run:
            start = offset
        run.append(pc)
    if run:
        yield tuple(run)


def _definitions(program: Program) -> Mapping[str, tuple[str, int]]:
    """Registers that are another one, or a variable's address, and a constant: (which, bytes)."""
    writes: dict[str, int] = {}
    found: dict[str, tuple[str, int]] = {}
    for each in program.kernel.instructions:
        for name in table.writes(each):
            writes[name] = writes.get(name, 0) + 1
        if each.opcode in ("add", "mov", "cvta") and each.guard is None:
            found |= _sum(each)
    once = {name: to for name, to in found.items() if writes.get(name) == 1 and to[0] != name}
    out = {}
    for name in once:
        base, total, seen = name, 0, set[str]()
        while base in once and base not in seen:
            seen.add(base)
            base, more = once[base]
            total += more
        out[name] = base, total
    return out


def _small_steps(program: Program) -> Mapping[str, int]:
    """Registers that some instruction moves on by less than the widest access, and how far."""
    out: dict[str, int] = {}
    for each in program.kernel.instructions:
        if each.opcode == "add":
            for name, (base, step) in _sum(each).items():
                if base == name and 0 < abs(step) < WIDEST:
                    out[name] = min(abs(step), out.get(name, WIDEST))
    return out


def _sum(instruction: Instruction) -> dict[str, tuple[str, int]]:
    """`{d: (a, constant)}` of an addition of a constant, a copy, or a variable's address."""
    written, *read = instruction.operands
    if not isinstance(written, Register) or not read:
        return {}
    base, constant = read[0], read[1] if len(read) > 1 else Immediate(0)
    if isinstance(base, Symbol):
        return {written.name: (base.name, base.offset)}
    if not isinstance(base, Register) or not isinstance(constant, Immediate):
        return {}
    return {written.name: (base.name, constant.bits)} if constant.kind == "int" else {}
