"""What functions may write to through what they are handed: members by name, elements, or all.

Whichever pointer leads to a structure, its members change by their names, where their addresses
are taken, or with the structure as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from perflint.base.records import dataclass
from perflint.frontend.source.host.execution.run_state import Reference
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import Array, Record, lose


@dataclass(frozen=True)
class Effects:
    """What may be written through what a function is handed."""

    members: frozenset[str] = frozenset()  #: by name, of whatever structure
    within: frozenset[str] = frozenset()  #: members of which the elements, or what they point to
    elements: bool = False  #: numbers that pointers and arrays lead to
    everything: bool = False

    def __or__(self, other: Effects) -> Effects:
        return Effects(
            self.members | other.members,
            self.within | other.within,
            self.elements or other.elements,
            self.everything or other.everything,
        )


ALL = Effects(everything=True)


def lose_by(effects: Effects, values: Iterable[Any]) -> None:
    """Forget what a function of such effects may have written through some values."""
    if effects.everything:
        lose(values)
        return
    waiting, seen = list(values), set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Reference):
            held = value.get()
            if effects.elements and not isinstance(held, (dict, Reference)):
                lose([value])
            waiting.append(value.within if isinstance(value.within, Array) else held)
        elif isinstance(value, Array) and effects.elements:
            lose([value])
        elif isinstance(value, Record):
            _lose_members(value, effects)
        if isinstance(value, dict):
            waiting += [v for v in value.values() if isinstance(v, (dict, Reference))]


def _lose_members(record: Record, effects: Effects) -> None:
    written: Collection[str] = effects.members
    for member, held in list(record.items()):
        if member in effects.within:
            lose([held])
        through = member in effects.within and not isinstance(held, (dict, Reference, int, float))
        if (member in written or through) and member not in record.constants:
            lose([Reference(record, member)])
            if not isinstance(held, dict):
                dict.__setitem__(record, member, UNKNOWN)
