"""What a finding's change is worth: the floor of its kernel before and after it (docs/worth.md)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from perflint.base.floor import UNITS, Floor


@dataclass(frozen=True)
class Worth:
    """The floor of a kernel's simulated blocks as they are, and with a finding's change.

    Both are of the same blocks under the same arguments, on one multiprocessor.
    """

    before: Floor
    after: Floor
    #: What memory would take to move the excess, by what the kernel's instructions take to issue.
    excess: float = 0.0

    @property
    def moves(self) -> bool:
        """Whether the change lowers what no schedule can beat."""
        return self.after.value < self.before.value

    @property
    def relieves(self) -> bool:
        """Whether the change takes work from any unit that is counted."""
        after = self.after.cycles
        return any(after[unit] < cycles for unit, cycles in self.before.cycles.items())

    @property
    def text(self) -> str:
        """The two floors in words, with the unit that sets each."""
        unit, before, after = self.before.unit, self.before.value, self.after.value
        if not self.moves:
            same = f"{UNITS[unit]}, {before:,} cycles before and after"
            told = f"the kernel's floor does not move ({same})"
            if 0 < self.excess < 1:
                told += (
                    f"; memory moves the excess in {self.excess:.1%} of the time that issue takes"
                )
            return told
        told = f"{UNITS[unit]} needs at least {before:,} cycles for the blocks simulated, "
        left = ceil(self.after.cycles[unit])
        if left == after:
            return f"{told}{left:,} after the change"
        then = UNITS[self.after.unit]
        return f"{told}{left:,} after the change; then {then} sets the floor at {after:,}"
