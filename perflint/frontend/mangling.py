"""Read as much of Itanium-mangled names as kernels need: their nested names."""

from __future__ import annotations

import re

from perflint.base.patterns import pattern
from perflint.frontend.model import EntryOrigin

_LITERAL = pattern(r"L([a-z])(n?\d+)E")


def origin_of(entry: str) -> EntryOrigin:
    """The kernel that a PTX entry's name says it is: `_ZN2ns4kernEPf` is `kern`."""
    parts = nested_name(entry)
    return EntryOrigin(parts[-1], qualified="::".join(parts))


def nested_name(mangled: str) -> tuple[str, ...]:
    """The name's parts, outermost first: `_ZN2ns4kernEPf` → ("ns", "kern").

    A name that is not mangled (`extern "C"`) is its own only part. Template arguments and
    parameters are left out, anonymous namespaces too.
    """
    if not mangled.startswith("_Z"):
        return (mangled,)
    position, parts = 2, []
    nested = mangled[position : position + 1] == "N"
    if nested:
        position += 1
        while mangled[position : position + 1] in "rVK" and position < len(mangled):
            position += 1
    elif mangled[position : position + 1] == "L":  # internal linkage
        position += 1
    while position < len(mangled):
        if mangled[position] == "L" and mangled[position + 1 : position + 2].isdigit():
            position += 1
        number = re.match(r"\d+", mangled[position:])
        if number:
            start = position + number.end()
            parts.append(mangled[start : start + int(number[0])])
            position = start + int(number[0])
        elif mangled[position] == "I":
            position = list_end(mangled, position)
        else:
            break
        if not nested:
            break
    parts = [p for p in parts if not p.startswith(("_GLOBAL__N_", "_INTERNAL_"))]
    return tuple(parts) or (mangled,)


def list_end(mangled: str, position: int) -> int:
    """The position after the bracketed list that starts at `position`."""
    depth = 0
    while position < len(mangled):
        if number := re.match(r"\d+", mangled[position:]):
            position += number.end() + int(number[0])
            continue
        if literal := _LITERAL.match(mangled, position):
            position = literal.end()
            continue
        character = mangled[position]
        if character in "INXJ":
            depth += 1
        elif character == "E":
            depth -= 1
        position += 1
        if depth == 0:
            break
    return position
