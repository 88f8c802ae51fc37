"""The blocks of a program's loops."""

from __future__ import annotations

from functools import lru_cache

from perflint.sim.program import EXIT, Program, successors


@lru_cache(maxsize=64)
def predecessors(program: Program) -> tuple[tuple[int, ...], ...]:
    """The blocks that lead to each."""
    before: list[list[int]] = [[] for _ in program.blocks]
    for number, block in enumerate(program.blocks):
        for target in successors(block):
            before[target].append(number)
    return tuple(map(tuple, before))


def jumps_back(program: Program, header: int) -> tuple[int, ...]:
    """The blocks of a loop that lead to its first."""
    return tuple(number for number in predecessors(program)[header] if number >= header)


def loop_of(program: Program, header: int) -> frozenset[int]:
    """The blocks from which a jump back to a loop's first block is reached without passing it."""
    before = predecessors(program)
    body, pending = {header}, list(jumps_back(program, header))
    while pending:
        number = pending.pop()
        if number not in body:
            body.add(number)
            pending.extend(before[number])
    return frozenset(body)


def way_out(program: Program, header: int) -> int:
    """Where lanes that leave a loop go first; EXIT where it can only be left with the kernel."""
    body = loop_of(program, header)
    ways = {t for number in body for t in successors(program.blocks[number])} - body
    return min(ways, default=EXIT)
