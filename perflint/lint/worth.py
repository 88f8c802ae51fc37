"""What a finding's change is worth: the floor of its kernel before and after it (docs/worth.md)."""

from __future__ import annotations

from math import ceil

from perflint.base.floor import UNITS, Floor
from perflint.base.records import dataclass
from perflint.lint.options import DEFAULT_MIN_WASTE

LOADS = "lsu"  #: the unit that takes requests, of which vectors leave fewer


@dataclass(frozen=True)
class Together:
    """The floor with the changes of several findings of a kernel, this one among them."""

    changes: int
    after: Floor
    without: Floor  #: with those of the others alone

    @property
    def counts(self) -> bool:
        """Whether the finding's own change has a part in it."""
        return self.after.value < self.without.value


@dataclass(frozen=True)
class Worth:
    """The floor of a kernel's simulated blocks as they are, and with a finding's change.

    Both are of the same blocks under the same arguments, on one multiprocessor.
    """

    before: Floor
    after: Floor
    #: What memory would take to move the excess, by what the kernel is `busy` for.
    excess: float = 0.0
    #: … and to move the sectors of all its requests, as if no cache had any of them; 0 where its
    #: launch has too few warps for memory to serve one while another computes
    moved: float = 0.0
    issue: float = 0.0  #: cycles in which the kernel's instructions issue, as PTX has them
    atomics: float = 0.0  #: cycles in which L2 does its atomics at best
    #: cycles in which memory brings, once, what the blocks touch, where that was asked
    memory: float = 0.0
    #: whether it is of a run that was cut short: loops in which it ended turn more often, so that
    #: what stands before or around them is less of the kernel than this says
    cut: bool = False
    smaller: str = ""  #: whose run it is, where that of the sizes that are shown was not made
    #: whether L1 keeps what its loads touch until a block's threads have used all of it
    kept: bool = False
    issue_saved: float = 0.0  #: cycles of `issue` that a change which was compiled does without
    together: Together | None = None  #: where the kernel has other such findings

    @property
    def moves(self) -> bool:
        """Whether the change lowers what no schedule can beat: alone, or with the others."""
        return self.lowers or (self.together is not None and self.together.counts)

    @property
    def lowers(self) -> bool:
        """Whether the change alone lowers what no schedule can beat."""
        return self.after.value < self.before.value

    @property
    def busy(self) -> float:
        """Cycles that the kernel takes beside its floor: to issue, or for its atomics."""
        return max(self.issue, self.atomics)

    @property
    def gain(self) -> float:
        """What the change takes of the kernel's cycles: of the floor, or of `busy` if that is more.

        With the others' changes, where it has a part in what they do together.
        """
        together = self.together
        shared = together.after if together is not None and together.counts else self.after
        saved = self.before.value - min(self.after.value, shared.value)
        return saved / max(1.0, self.before.value, self.busy, self.memory)

    @property
    def relief(self) -> float:
        """What the change takes of the load unit, by the kernel's cycles.

        Fewer requests are fewer instructions, too: they count though another unit sets the floor.
        What another unit has less to do does not, while one that takes longer binds.
        """
        together = self.together
        shared = together.after if together is not None else self.after
        left = min(self.after.cycles.get(LOADS, 0.0), shared.cycles.get(LOADS, 0.0))
        saved = self.before.cycles.get(LOADS, 0.0) - left
        return saved / max(1.0, self.before.value, self.busy)

    @property
    def hides(self) -> bool:
        """Whether memory moves all that is asked for, the excess too, while other units are busy.

        Then the kernel takes as long without the excess.
        """
        return 0 < self.moved <= max(self.after.value, self.busy)

    @property
    def spared(self) -> float:
        """The most that the change takes of one unit, by the kernel's cycles, memory's among them.

        Units overlap where a multiprocessor has enough warps at enough different places: what one
        that does not bind has less to do, warps wait less for.
        """
        after = self.after.cycles
        saved = max((n - after.get(unit, 0.0) for unit, n in self.before.cycles.items()), default=0)
        return max(saved, self.issue_saved) / max(1.0, self.before.value, self.busy, self.memory)

    @property
    def relieves(self) -> bool:
        """Whether the change takes work from any unit that is counted."""
        after = self.after.cycles
        return any(after[unit] < cycles for unit, cycles in self.before.cycles.items())

    @property
    def text(self) -> str:
        """The floors in words, with the unit that sets each."""
        run = f"the run with {self.smaller}" if self.smaller else "the run"
        end = f"; {run} was cut short" if self.cut else ""
        return self._alone + self._with_others + end

    @property
    def _alone(self) -> str:
        unit, before, after = self.before.unit, self.before.value, self.after.value
        if not self.lowers:
            same = f"{UNITS[unit]}, {before:,} cycles before and after"
            told = f"the kernel's floor does not move ({same})"
            if self.kept:
                told += "; L1 keeps what the sectors hold until the block has used it"
            elif 0 < self.excess < 1:
                by = "issue takes" if self.issue >= self.atomics else "L2 takes for the atomics"
                told += f"; memory moves the excess in {self.excess:.1%} of the time that {by}"
            return told
        told = f"{UNITS[unit]} needs at least {before:,} cycles for the blocks simulated, "
        left = ceil(self.after.cycles[unit])
        told += f"{left:,} after the change"
        if left != after:
            told += f"; then {UNITS[self.after.unit]} sets the floor at {after:,}"
        if self.gain < DEFAULT_MIN_WASTE / 100:
            told += f"; {self._busy_with}"
        return told

    @property
    def _busy_with(self) -> str:
        if self.memory > self.busy:
            return f"memory takes {ceil(self.memory):,} for what the blocks touch"
        if self.atomics > self.issue:
            return f"L2 takes {ceil(self.atomics):,} for the kernel's atomics"
        return f"the kernel's instructions take {ceil(self.issue):,} to issue"

    @property
    def _with_others(self) -> str:
        """What it takes part in; "" where the others' changes do as much without it."""
        if self.together is None or not self.together.counts:
            return ""
        then, changes = self.together.after, self.together.changes
        unit = f" ({UNITS[then.unit]})" if then.unit else ""
        which = "both" if changes == 2 else f"all {changes}"
        return f"; with {which} such places of the kernel mended, {then.value:,}{unit}"
