"""What evaluating a launch found out, kept for other launches that see the same choices."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

from perflint.base.records import dataclass

#: What evaluation saw (a `choice`, whether it `asks`, a `pin`) or told (`entered`, `stated`, …).
Note = tuple[str, Hashable, object]
OWN = "own"  #: a note of what only one evaluation knows: its roots, the conditions it asked for


@dataclass(frozen=True)
class Answer:
    """What was found out, what it rested on, and whether a limit stood in the way."""

    value: object
    notes: tuple[Note, ...]
    cut: bool

    @cached_property
    def own(self) -> bool:
        """Whether it rests on what only its own evaluation knows."""
        return any(kind == OWN for kind, _, _ in self.notes)
