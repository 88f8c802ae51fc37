"""GRAB's faults: what the difference between the original and the golden trace says of each miss.

`mh` and `m*h` (Table 1) are misses that a thread with a cache of its own would not have had, before
and after the cache was full. `mm` are the others; those to blocks that nobody fetched before are
cold, and counted apart: no cache would help.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.replay import HIT, MISS, MISS_STAR, Original

FaultType = Literal["mh", "m*h", "mm"]
KINDS: tuple[FaultType, ...] = get_args(FaultType)


@dataclass(frozen=True, eq=False)
class Faults:
    """Which of a replay's accesses are faults of each kind, (n,) bool each."""

    mh: np.ndarray
    m_star_h: np.ndarray
    mm: np.ndarray  #: cold ones not among them
    cold: np.ndarray
    #: of `mm`, those whose thread brought the block in before: its private cache has lost it
    intra: np.ndarray

    @property
    def late(self) -> np.ndarray:
        """Of `mm`, those that others brought in and lost before the thread first came."""
        return np.asarray(self.mm & ~self.intra)

    @property
    def interference(self) -> np.ndarray:
        """`mh` and `m*h`: misses due to other threads."""
        return np.asarray(self.mh | self.m_star_h)

    def of(self, kind: FaultType) -> np.ndarray:
        return {"mh": self.mh, "m*h": self.m_star_h, "mm": self.mm}[kind]


def sort_faults(run: Original) -> Faults:
    """Table 1 of the paper, for the accesses that count."""
    missed = run.counted & (run.mstat != HIT)
    mm = missed & ~run.golden_hit
    cold = mm & run.new
    return Faults(
        mh=missed & run.golden_hit & (run.mstat == MISS),
        m_star_h=missed & run.golden_hit & (run.mstat == MISS_STAR),
        mm=mm & ~cold,
        cold=cold,
        intra=mm & ~cold & run.fetched,
    )


@dataclass(frozen=True)
class Effect:
    """What a root cause made a program location miss."""

    faults: int
    sets: Mapping[int, int]  #: the same by the cache's sets: a chain of evictions is of one set


@dataclass(frozen=True)
class Cause:
    """A root cause: a program location that set off evictions, and what they made miss."""

    pc: int
    region: int  #: the number of the allocation that it accesses
    priority: int  #: faults that it caused
    effects: Mapping[tuple[int, int], Effect]  #: by (pc, region) of what missed


@dataclass(frozen=True)
class FaultReport:
    """One fault type of the bug report (Fig. 8): its count, and its causes by priority."""

    kind: FaultType
    count: int
    causes: tuple[Cause, ...]

    @property
    def affected(self) -> int:
        """Program locations that report faults."""
        return len({pc for cause in self.causes for pc, _ in cause.effects})


def report(run: Original, faults: Faults, region: np.ndarray) -> tuple[FaultReport, ...]:
    """The bug report: of each fault type all root causes, those that cost most first.

    `region` (n,) is the allocation that each access of the run is to.
    """
    return tuple(_reported(run, kind, faults.of(kind), region) for kind in KINDS)


def _reported(run: Original, kind: FaultType, mask: np.ndarray, region: np.ndarray) -> FaultReport:
    some = np.flatnonzero(mask)
    root = run.root[some]
    columns = (run.pc[root], region[root], run.pc[some], region[some], run.of_set[some])
    found, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    effects: dict[tuple[int, int], dict[tuple[int, int], dict[int, int]]] = {}
    for (pc, where, other, there, of_set), count in zip(
        found.tolist(), counts.tolist(), strict=True
    ):
        effects.setdefault((pc, where), {}).setdefault((other, there), {})[of_set] = count
    causes = [_cause(*at, each) for at, each in effects.items()]
    return FaultReport(
        kind, len(some), tuple(sorted(causes, key=lambda c: (-c.priority, c.pc, c.region)))
    )


def _cause(pc: int, region: int, found: Mapping[tuple[int, int], Mapping[int, int]]) -> Cause:
    effects = {at: Effect(sum(sets.values()), sets) for at, sets in found.items()}
    ranked = dict(sorted(effects.items(), key=lambda e: -e[1].faults))
    return Cause(pc, region, sum(each.faults for each in ranked.values()), ranked)
