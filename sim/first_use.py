"""How soon a warp needs what it loads: until then a scheduler can hide the load's latency."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from perflint.grammar import table
from perflint.sim.program import EXIT, Program, successors


def first_uses(program: Program) -> Mapping[int, int]:
    """Instructions from each load to the first that reads what it loaded, by the load's pc.

    The least over all ways through the kernel; 1: the very next one reads it. Loads whose result
    nobody reads have no entry, nor has `cp.async`, which is waited for and not read.
    """
    instructions = program.kernel.instructions
    loads = [
        at
        for at, each in enumerate(instructions)
        if each.index >= 0
        and table.control(each) is None
        and any(access.kind != "store" for access in table.accesses(each))
        and table.writes(each)
    ]
    if not loads:
        return {}
    following = _following(program)
    reads = [frozenset(table.reads(each)) for each in instructions]
    writes = [
        frozenset(() if each.guard is not None else table.writes(each)) for each in instructions
    ]
    found = {}
    for at in loads:
        loaded = table.writes(instructions[at])
        ways = (_distance(following, reads, writes, at, name) for name in loaded)
        nearest = min((way for way in ways if way is not None), default=None)
        if nearest is not None:
            found[instructions[at].index] = nearest
    return MappingProxyType(found)


def _following(program: Program) -> list[tuple[int, ...]]:
    """The positions of the instructions that may be issued right after each."""
    blocks = program.blocks
    out: list[tuple[int, ...]] = [()] * len(program.kernel.instructions)
    for block in blocks:
        for at in range(block.first, block.last - 1):
            out[at] = (at + 1,)
        if block.first < block.last:
            out[block.last - 1] = tuple(_entered(program, successors(block)))
    return out


def _entered(program: Program, targets: tuple[int, ...]) -> set[int]:
    """The first instructions of some blocks; of an empty one, of those that follow it."""
    seen: set[int] = set()
    out: set[int] = set()
    left = [t for t in targets if t != EXIT]
    while left:
        number = left.pop()
        if number in seen:
            continue
        seen.add(number)
        block = program.blocks[number]
        if block.first < block.last:
            out.add(block.first)
        else:
            left.extend(t for t in successors(block) if t != EXIT)
    return out


def _distance(
    following: list[tuple[int, ...]],
    reads: list[frozenset[str]],
    writes: list[frozenset[str]],
    start: int,
    name: str,
) -> int | None:
    """Instructions from `start` to the nearest that reads the register, None: none does."""
    front, seen, distance = set(following[start]), set[int](), 1
    while front:
        if any(name in reads[at] for at in front):
            return distance
        seen |= front
        front = {t for at in front if name not in writes[at] for t in following[at]} - seen
        distance += 1
    return None
