"""The arrays that a kernel is tried with: how large their integers are, and of which kind.

Indices lie within what they index, offsets of rows ascend within it, and flags are 0 or 1.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeVar

from perflint.analysis.model import DataRole, Into, KernelFacts, Pointer
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Parameter, Symbol
from perflint.frontend.source.language.model import HostData
from perflint.grammar.model import TYPE_SIZE
from perflint.sim.launch import Buffer, Flags, Marked, Offsets, Progression, Same

_T = TypeVar("_T")

#: Elements of a row where nothing says how many there are, and lanes do not share it; and at most,
#: so that loops over rows come to their end within a budget that reaches every access.
ROW, LONGEST_ROW = 8, 32


def buffer_of(
    facts: KernelFacts,
    pointer: Pointer,
    name: str,
    size: int,
    allocations: Mapping[Pointer, int],
    values: Mapping[Pointer, int | float],
    told: HostData | None = None,
) -> Buffer:
    """The array behind a pointer that is passed as a parameter or in a struct.

    `allocations` are bytes behind pointers, `values` scalars that are known, both by parameter and
    byte offset in a struct; `size` is what integers are below of which nothing is known. `told` is
    what the program puts into the array.
    """
    role = next((r for r in facts.data_roles if r.pointer == pointer), None)
    element = facts.element_types.get(pointer)
    own = allocations.get(pointer)
    count = own // TYPE_SIZE[element] if own and element else None
    extent = _extent(role, allocations, values) if role else None
    contents: Offsets | Flags | Marked | None = None
    limit = size
    if role and role.kind == "flag":
        contents = Flags()
    elif role and role.kind == "offsets":
        contents = _offsets(count, extent, _row(role))
    elif role and role.end is not None:
        contents, limit = Marked(role.end), extent or size
    elif role and extent:
        # What decides about loops stays small: more turns only take longer.
        limit = min(extent, size) if role.steers else extent
    return Buffer(name, element, own, limit, contents=contents, told=_told(told))


def _told(data: HostData | None) -> Same | Progression | None:
    if data is None or not data.step:
        return None if data is None else Same(data.first)
    return Progression(int(data.first), data.step)


def with_room_for_rows(
    facts: KernelFacts,
    allocations: Mapping[int, int],
    invented: Collection[int],
    values: Mapping[int, int | float],
) -> dict[int, int]:
    """Allocations in which the rows' elements fit, where an invented size has too little room.

    Two sizes that are invented apart, of rows and of what they hold, make rows without an element.
    """
    found, known = dict(allocations), by_place(values)
    for role in (each for each in facts.data_roles if each.kind == "offsets"):
        element, own = facts.element_types.get(role.pointer), allocations.get(role.pointer[0])
        if not element or not own or role.pointer[1]:
            continue
        for into in role.into:
            index, scale = into.pointer[0], _number(into.scale, known)
            if index in invented and not into.pointer[1] and scale:
                found[index] = max(found[index], own // TYPE_SIZE[element] * _row(role) * scale)
    return found


def by_place(by_parameter: Mapping[int, _T]) -> dict[Pointer, _T]:
    """What is known of parameters, by parameter and byte offset."""
    return {(index, 0): each for index, each in by_parameter.items()}


def _extent(
    role: DataRole, allocations: Mapping[Pointer, int], values: Mapping[Pointer, int | float]
) -> int | None:
    """How many elements the smallest of the arrays has that values index, where that is known."""
    found = [_elements(into, allocations, values) for into in role.into]
    known = [count for count in found if count]
    return min(known) if known else None


def _elements(
    into: Into, allocations: Mapping[Pointer, int], values: Mapping[Pointer, int | float]
) -> int | None:
    """The elements of an array, or of a row of it where an index is added to that of a row."""
    scale = _number(into.scale, values)
    if into.pointer not in allocations or not scale:
        return None
    rows = (_number(pitch, values) for pitch in into.pitches)
    sizes = [allocations[into.pointer], *(row for row in rows if row is not None and row > scale)]
    return max(1, min(sizes) // scale)


def _number(formula: Polynomial, values: Mapping[Pointer, int | float]) -> int | None:
    """The size of a formula of parameters; None where one of them is not known."""
    given: dict[Symbol, int] = {
        symbol: int(values[symbol.index, symbol.offset])
        for symbol in formula.symbols
        if isinstance(symbol, Parameter) and (symbol.index, symbol.offset) in values
    }
    return abs(int(formula.evaluate(given))) if given.keys() == formula.symbols else None


def _row(role: DataRole) -> int:
    """The elements of a row where nothing says how many: one for each lane that shares it."""
    return role.lanes if role.lanes > 1 else ROW


def _offsets(count: int | None, extent: int | None, row: int) -> Offsets:
    """Rows as the allocations have them: `count` offsets into `extent` elements."""
    rows = count - 1 if count and count > 1 else None
    if rows and extent:
        return Offsets(max(1, min(max(LONGEST_ROW, row), extent // rows)), rows, extent)
    return Offsets(row, rows, extent)
