"""What a launch's work takes of its machine code at least, however its blocks are run through.

Which machine instruction does which of PTX is not known: ptxas moves, copies and merges them. But
whatever it made, all of the work that PTX has and that ptxas cannot make less of is done by
instructions of a kind; and a block is come to only from those that lead to it. So the numbers of
times that blocks are issued meet linear conditions, and the least sum of anything over all numbers
that meet them bounds what is really issued from below (as the implicit path enumeration of Li and
Malik, DAC 1995, bounds it from above).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib import resources
from math import floor
from typing import Any

from perflint.base.records import dataclass
from perflint.profile.machine_code.blocks import Block, UnreadableCodeError

#: z3's resource units for a kernel.
_RLIMIT = 40_000_000


@dataclass(frozen=True)
class Opcode:
    """A row of opcodes.toml."""

    does: str = ""
    amount: int = 1
    pipe: str = ""


@cache
def opcodes() -> Mapping[str, Opcode]:
    """The table, by name."""
    text = resources.files(__package__).joinpath("opcodes.toml").read_text("utf-8")
    return {name: Opcode(**row) for name, row in tomllib.loads(text).items()}


@dataclass(frozen=True)
class Work:
    """Work that has to be done, in warp instructions: lower bounds of what any code does."""

    warps: int
    done: Mapping[str, int]  #: by `does` of the table


def least(code: Sequence[Block], work: Work) -> Mapping[str, int]:
    """Warp instructions that are issued at least: of all kinds (`issue`), and of each pipe.

    Raises UnreadableCodeError for code with an opcode that the table does not have, and where the
    solver finds no answer.
    """
    table = opcodes()
    unknown = {i.opcode for block in code for i in block.instructions} - table.keys()
    if unknown:
        raise UnreadableCodeError(f"no row for {', '.join(sorted(unknown))}")
    pipes = sorted({row.pipe for row in table.values() if row.pipe})
    sums = {"issue": [len(block.instructions) for block in code]}
    for pipe in pipes:
        sums[pipe] = [
            sum(not i.guarded and table[i.opcode].pipe == pipe for i in block.instructions)
            for block in code
        ]
    does = {
        kind: [
            sum(table[i.opcode].amount for i in block.instructions if table[i.opcode].does == kind)
            for block in code
        ]
        for kind in work.done
    }
    return {name: _minimum(code, weights, does, work) for name, weights in sums.items()}


def _minimum(
    code: Sequence[Block], weights: Sequence[int], does: Mapping[str, Sequence[int]], work: Work
) -> int:
    if not any(weights):
        return 0
    import z3

    context = z3.Context()
    times = [z3.Real(f"x{number}", context) for number in range(len(code))]
    solver: Any = z3.Optimize(ctx=context)
    solver.set("rlimit", _RLIMIT)
    solver.add(*(each >= 0 for each in times), times[0] >= work.warps)
    before: list[list[int]] = [[] for _ in code]
    for number, block in enumerate(code):
        for each in set(block.successors):
            before[each].append(number)
    for number, block in enumerate(code):
        if not block.open:
            some = [times[each] for each in before[number]]
            solver.add(times[number] <= (z3.Sum(some) if some else 0))
    for kind, amounts in does.items():
        if work.done[kind]:
            able = [n * t for n, t in zip(amounts, times, strict=True) if n]
            if not able:
                raise UnreadableCodeError(f"no instruction does what counts as {kind}")
            solver.add(z3.Sum(able) >= work.done[kind])
    sought = solver.minimize(z3.Sum([n * t for n, t in zip(weights, times, strict=True) if n]))
    if solver.check() != z3.sat:
        raise UnreadableCodeError("the solver found no least number of instructions")
    found = solver.lower(sought)
    if z3.is_int_value(found):
        return int(found.as_long())
    if not z3.is_rational_value(found):
        raise UnreadableCodeError("the solver found no least number of instructions")
    least_of_all: Fraction = found.as_fraction()
    return floor(least_of_all)
