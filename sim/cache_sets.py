"""What each set of a cache was asked for and lost.

A line is evicted for a line of its own set, and so is each one of the chain behind it. Faults are
therefore of one set each, and which lines want the same one is what a conflict is made of.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.faults import KINDS, Faults, FaultType
from perflint.sim.replay import HIT, Original
from perflint.sim.unique_values import unique_values


@dataclass(frozen=True)
class SetUse:
    """The counted accesses of one set, and how many lines share its ways."""

    accesses: int
    hits: int
    cold: int
    faults: Mapping[FaultType, int]
    lines: Mapping[int, int]  #: different lines of memory that go there, by the number of the array


def uses(run: Original, faults: Faults, region: np.ndarray, sets: int) -> tuple[SetUse, ...]:
    """What each of a cache's sets was asked for, by its number.

    `region` (n,) is the allocation that each access of the run is to.
    """

    def each(mask: np.ndarray) -> list[int]:
        found: list[int] = np.bincount(run.of_set[mask], minlength=sets).tolist()
        return found

    accesses, hits = each(run.counted), each(run.counted & (run.mstat == HIT))
    cold = each(faults.cold)
    of_kind = {kind: each(faults.of(kind)) for kind in KINDS}
    lines = _lines(run, region, sets)
    return tuple(
        SetUse(
            accesses[number],
            hits[number],
            cold[number],
            {kind: counts[number] for kind, counts in of_kind.items()},
            {which: counts[number] for which, counts in lines.items() if counts[number]},
        )
        for number in range(sets)
    )


def _lines(run: Original, region: np.ndarray, sets: int) -> dict[int, list[int]]:
    """The different lines of each region that belong to each set."""
    columns = (region[run.counted], run.of_set[run.counted], run.line[run.counted])
    some = np.unique(np.stack(columns, axis=1), axis=0)
    return {
        which: np.bincount(some[some[:, 0] == which, 1], minlength=sets).tolist()
        for which in unique_values(some[:, 0]).tolist()
    }
