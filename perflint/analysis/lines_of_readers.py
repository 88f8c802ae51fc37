"""A source line for instructions that have none: that of the next one that reads their result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from perflint.grammar import table
from perflint.grammar.model import Function, Immediate, Instruction, Location

#: What of 64 bits a division of 32 does not see, as a signed number.
_UPPER = -(1 << 32)


def with_lines_of_readers(kernel: Function) -> Function:
    """The kernel with a location for each instruction whose result another one with a line reads.

    Compilers give line 0 to what they make out of several statements or expand, like the slow
    path of a power. It belongs to the statement that uses it. The two ways of a 64-bit division
    belong to the test between them, which has the line of the division.
    """
    body = list(kernel.instructions)
    changed = False
    for index, at_test in _ways_of_divisions(body):
        body[index] = replace(body[index], location=at_test)
        changed = True
    reader: dict[str, Location | None] = {}  # of each register, behind the instruction looked at
    for index in reversed(range(len(body))):
        each = body[index]
        location = each.location
        written = table.writes(each)
        if not _has_line(location):
            found = next((at for name in written if (at := reader.get(name)) is not None), None)
            if found is not None:
                location = found
                body[index] = replace(each, location=location)
                changed = True
        for name in written:
            reader.pop(name, None)
        for name in table.reads(each):
            reader[name] = location if _has_line(location) else None
    return replace(kernel, instructions=tuple(body)) if changed else kernel


def _ways_of_divisions(body: Sequence[Instruction]) -> Iterator[tuple[int, Location]]:
    """Divisions without a line, each with the location of the test that chooses its width.

    Where the upper halves of both operands are 0, 32 bits are divided in place of 64.
    """
    joined: dict[str, set[str]] = {}  # what an `or` joins, or a conversion narrows
    tests: list[tuple[set[str], Location]] = []
    for index, each in enumerate(body):
        read = set(table.reads(each))
        sources = set().union(*(joined.get(name, {name}) for name in read))
        if each.opcode == "and" and _UPPER in _bits(each) and _has_line(each.location):
            assert each.location is not None
            tests.append((sources, each.location))
        elif each.opcode in ("div", "rem") and not _has_line(each.location):
            found = [at for tested, at in tests if tested and tested <= sources]
            yield from ((index, at) for at in found[-1:])
        joins = each.opcode == "or" or (
            each.opcode == "cvt" and {"u32", "u64"} == {*each.modifiers}
        )
        for name in table.writes(each):
            if joins:
                joined[name] = read
            else:
                joined.pop(name, None)


def _bits(instruction: Instruction) -> list[int]:
    return [each.bits for each in instruction.operands if isinstance(each, Immediate)]


def _has_line(location: Location | None) -> bool:
    return location is not None and any(each.line > 0 for each in location.chain())
