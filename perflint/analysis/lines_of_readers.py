"""A source line for instructions that have none: that of the next one that reads their result."""

from __future__ import annotations

from dataclasses import replace

from perflint.grammar import table
from perflint.grammar.model import Function, Location


def with_lines_of_readers(kernel: Function) -> Function:
    """The kernel with a location for each instruction whose result another one with a line reads.

    Compilers give line 0 to what they make out of several statements or expand: the two halves of
    a 64-bit division, the slow path of a power. It belongs to the statement that uses it.
    """
    body = list(kernel.instructions)
    changed = False
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


def _has_line(location: Location | None) -> bool:
    return location is not None and any(each.line > 0 for each in location.chain())
