"""Loops that do the same over and over, to take time: what they repeat is their purpose."""

from __future__ import annotations

from collections.abc import Iterable

from perflint.analysis.model import AccessSite, KernelFacts
from perflint.grammar import table
from perflint.grammar.model import Address, Instruction, Register

#: What such a loop is made of: nothing is computed of a value but the next sum.
#: Copies of a statement from which on they are taken to be a loop's, whatever is done in them.
LEAST_TURNS = 8
_PLAIN = frozenset({"ld", "st", "add", "sub", "mov", "setp", "bra"})


def burns_time(facts: KernelFacts, site: AccessSite) -> bool:
    """Whether each turn of the innermost loop around a site loads and stores the same elements, and
    at most adds the same to them: `for (r = 0; r < REPEAT; r++) a[i] = a[i] + step;`.

    The loop may be unrolled; what is left of its turns then is another one like it, or a turn that
    stands behind it. All of it may be: then its turns stand one behind the other.
    """
    innermost = [
        max(loops, key=lambda loop: loop.depth)
        for pc in site.pcs
        if (loops := [loop for loop in facts.loops if pc in loop.pcs])
    ]
    deepest = max((loop.depth for loop in innermost), default=0)
    around = [loop.pcs for loop in innermost if loop.depth == deepest]
    instructions = facts.kernel.instructions
    if not around:
        turns = len(site.pcs)
        return turns >= LEAST_TURNS and _turns_alike(
            list(instructions[min(site.pcs) : max(site.pcs)]), turns - 1
        )
    return bool(around) and all(
        _repeats_itself([instructions[pc] for pc in pcs]) for pcs in dict.fromkeys(around)
    )


def _turns_alike(body: list[Instruction], turns: int) -> bool:
    """Whether so many turns, one behind the other, load and store the same elements."""
    moves = [each for each in body if each.opcode in ("ld", "st")]
    elements = {(each.opcode, *map(str, _places(each))) for each in moves}
    return len(moves) == turns * len(elements) and _repeats_itself(body)


def _repeats_itself(body: list[Instruction]) -> bool:
    if not all(each.opcode in _PLAIN and "volatile" not in each.modifiers for each in body):
        return False
    written = {name for each in body for name in table.writes(each)}
    moves = [each for each in body if each.opcode in ("ld", "st")]
    stores = [each for each in moves if each.opcode == "st"]
    addresses = {name for each in moves for name in _bases(each)}
    if not stores or not addresses.isdisjoint(written):
        return False
    data = _data(body)
    sums = [each for each in body if data.intersection(table.writes(each))]
    asked = [each for each in body if each.opcode == "setp"]
    return all(_is_fixed(each, written - data) for each in (*sums, *stores)) and all(
        data.isdisjoint(table.reads(each)) for each in asked
    )


def _places(each: Instruction) -> list[Address]:
    return [operand for operand in each.operands if isinstance(operand, Address)]


def _bases(each: Instruction) -> list[str]:
    return [place.base.name for place in _places(each) if isinstance(place.base, Register)]


def _data(body: Iterable[Instruction]) -> set[str]:
    """The registers that hold what is loaded, or sums of it."""
    body = list(body)
    found = {name for each in body if each.opcode == "ld" for name in table.writes(each)}
    while True:
        more = {
            name
            for each in body
            if each.opcode in ("add", "sub", "mov") and not found.isdisjoint(table.reads(each))
            for name in table.writes(each)
        }
        if more <= found:
            return found
        found |= more


def _is_fixed(each: Instruction, counters: set[str]) -> bool:
    """Whether an instruction reads nothing that changes from turn to turn but data."""
    return counters.isdisjoint(table.reads(each))
