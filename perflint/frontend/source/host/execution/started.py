"""What a program is told of how it was started, besides its words: MPI's processes.

A run on paper is that of process 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution.run_state import Reference
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import Array

#: Questions about a grid of processes, and what one process alone is told (MPI 4.1, 8.5): by the
#: position of the array, what its elements are.
_GRIDS = {
    "MPI_Dims_create": {2: 1},
    "MPI_Cart_get": {2: 1, 4: 0},
    "MPI_Cart_coords": {3: 0},
}
#: Libraries' initialisers, which take their own words alone out of the program's (MPI 4.1, 11.2.1).
_INITIALISES = pattern(r"\w*[Ii]nit(?:[A-Z_]\w*|ialize)?")


def keeps_words(name: str, values: Sequence[Any], words: Sequence[str]) -> bool:
    """Whether a call starts a library with `argc` and `argv`, which keep the program's words."""
    if len(values) < 2 or not _INITIALISES.fullmatch(name):
        return False
    count, given = (v.get() if isinstance(v, Reference) else v for v in values[:2])
    return bool(count == len(words) + 1 and given == ["", *words])


def grid_told(name: str, values: Sequence[Any], processes: int) -> bool:
    """Whether a call asks for a grid of processes, of which there is one: its arrays are set."""
    asked = _GRIDS.get(name, {}) if processes == 1 else {}
    for position, number in asked.items():
        value = values[position] if position < len(values) else None
        while isinstance(value, Reference):
            value = value.within if isinstance(value.within, Array) else value.get()
        if not isinstance(value, Array) or not isinstance(value.size, int):
            return False
        for at in range(value.size):
            value[at] = number
    return bool(asked)


def answered(name: str, group: str, processes: int) -> Any:
    """What MPI leaves in the last argument of a question about a group; None of another call."""
    if name == "MPI_Comm_rank":
        return 0 if group == "MPI_COMM_WORLD" or processes == 1 else UNKNOWN
    if name == "MPI_Comm_size":
        is_world = group == "MPI_COMM_WORLD" and processes > 0
        return processes if is_world or processes == 1 else UNKNOWN
    return None
