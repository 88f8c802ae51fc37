"""What a launch's misses are due to, and whether that holds under every scheduler and placement.

GRAB's `mh` ends when the cache is first full, so that by itself it says little of a whole launch.
Interference misses (`mh` and `m*h`) are told apart here by what would help: those that a fully
associative LRU cache of equal size would not have are conflicts of the mapping, the others are a
matter of capacity. So are a thread's own misses: those that its private cache would not have, were
it fully associative, are due to lines of its own that share a set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Literal

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.cache import Cache, Policy
from perflint.sim.cache_trace import CacheTrace
from perflint.sim.faults import Faults, sort_faults
from perflint.sim.placement import LAYOUTS, Placement
from perflint.sim.replay import (
    HIT,
    Conditions,
    Original,
    bound,
    golden_fully_associative,
    replay,
    replay_fully_associative,
)
from perflint.sim.schedulers import SCHEDULERS
from perflint.sim.unique_values import unique_values

Kind = Literal["conflict", "capacity", "intra"]
ROBUST_POLICIES: tuple[Policy, ...] = ("lru", "fifo")


@dataclass(frozen=True)
class SiteMisses:
    """Counted accesses of one instruction, and its misses by what they are due to."""

    accesses: int = 0
    hits: int = 0
    cold: int = 0
    conflict: int = 0  #: interference that a fully associative cache would not have
    capacity: int = 0  #: interference that it would have too
    intra: int = 0  #: the thread's own private cache has lost the block
    own_sets: int = 0  #: of `intra`: a fully associative private cache would have kept it
    late: int = 0  #: others brought the block in and lost it before the thread first came

    def of(self, kind: Kind) -> int:
        return {"conflict": self.conflict, "capacity": self.capacity, "intra": self.intra}[kind]


@dataclass(frozen=True, eq=False)
class Measured:
    """One replay: all of it, its faults, and how interference is parted."""

    conditions: Conditions
    run: Original
    faults: Faults
    conflict: np.ndarray  #: (n,) bool, of `faults.interference`
    own_sets: np.ndarray  #: (n,) bool, of `faults.intra`
    sites: Mapping[int, SiteMisses]  #: by pc

    @property
    def total(self) -> SiteMisses:
        """Of all instructions together."""
        each = self.sites.values()
        return SiteMisses(
            *(sum(getattr(s, name) for s in each) for name in SiteMisses.__dataclass_fields__)
        )


def measure(trace: CacheTrace, conditions: Conditions) -> Measured:
    """Replay a trace and sort its misses."""
    run = replay(trace, conditions)
    faults = sort_faults(run)
    interference = faults.interference
    conflict = np.zeros(len(interference), bool)
    if interference.any() and conditions.cache.sets > 1:
        conflict = interference & replay_fully_associative(trace, conditions, run)
    own_sets = np.zeros(len(interference), bool)
    if faults.intra.any() and conditions.cache.sets > 1:
        own_sets = faults.intra & golden_fully_associative(trace, conditions, run)
    columns = (
        run.counted,
        run.counted & (run.mstat == HIT),
        faults.cold,
        conflict,
        interference & ~conflict,
        faults.intra,
        own_sets,
        faults.late,
    )
    most = int(run.pc.max(initial=-1)) + 1
    counts = np.stack([np.bincount(run.pc[c], minlength=most) for c in columns], axis=1)
    sites = {pc: SiteMisses(*counts[pc].tolist()) for pc in np.flatnonzero(counts[:, 0]).tolist()}
    return Measured(conditions, run, faults, conflict, own_sets, sites)


def everywhere(conditions: Conditions) -> Iterator[Conditions]:
    """The same cache and launch under each policy, placement and scheduler.

    The first are the conditions' own. Schedulers come last: they share their golden traces.
    """
    own = (conditions.scheduler, conditions.cache.policy, conditions.placement.layout)
    every = product(ROBUST_POLICIES, LAYOUTS, SCHEDULERS)
    ranked = [(scheduler, policy, layout) for policy, layout, scheduler in every]
    for scheduler, policy, layout in sorted(ranked, key=lambda each: each != own):
        yield replace(
            conditions,
            cache=replace(conditions.cache, policy=policy),
            scheduler=scheduler,
            placement=Placement(layout),
        )


class Matrix:
    """A launch under all conditions, each replayed when it is asked for, and once."""

    def __init__(self, trace: CacheTrace, conditions: Conditions) -> None:
        self.trace = trace
        self.conditions = tuple(everywhere(conditions))
        self._sites: dict[object, Mapping[int, SiteMisses]] = {}

    @cached_property
    def first(self) -> Measured:
        """All of what the replay under the first conditions finds."""
        return measure(self.trace, self.conditions[0])

    def sites(self, at: int) -> Mapping[int, SiteMisses]:
        """The misses by instruction of the replay under `conditions[at]`."""
        if not at:
            return self.first.sites
        key = self._alike(self.conditions[at])
        if key not in self._sites:
            self._sites[key] = measure(self.trace, self.conditions[at]).sites
        return self._sites[key]

    def _alike(self, conditions: Conditions) -> object:
        """Placements in which every array begins in the same sets as in another are the same."""
        cache, bases = conditions.cache, conditions.placement.bases(self.trace)
        if cache.index == "modulo":
            bases = bases % (cache.sets * cache.line)
        return conditions.scheduler, cache.policy, bases.tobytes()

    def can_lose(self, pcs: Sequence[int], kind: Kind, share: float) -> bool:
        """Whether misses of `kind` at some instructions may be `share` of their accesses.

        Under the first conditions, by what each thread's private cache holds; without a replay.
        """
        accesses, interference, intra = self._most
        own = [pc for pc in pcs if pc < len(accesses)]
        most = int((intra if kind == "intra" else interference)[own].sum())
        return 0 < most >= share * int(accesses[own].sum())

    @cached_property
    def _most(self) -> np.ndarray:
        """(3, pcs) counted accesses, and how many misses may be interference and the thread's."""
        of = bound(self.trace, self.conditions[0])
        most = int(of.pc.max(initial=-1)) + 1
        columns = (of.counted, of.counted & of.golden_hit, of.counted & of.lost)
        return np.stack([np.bincount(of.pc[each], minlength=most) for each in columns])

    @cached_property
    def evicts(self) -> bool:
        """Whether some set gets more lines than it has ways, in every placement."""
        return all(
            _crowds(self.trace, self.conditions[0].cache, Placement(layout)) for layout in LAYOUTS
        )

    def robust(self, pcs: Sequence[int], kind: Kind, share: float) -> Robust | None:
        """The misses of `kind` at some instructions together, if they are at least `share` of
        their accesses under all conditions, else None.
        """
        found = []
        for at in range(len(self.conditions)):
            misses, accesses = misses_at(self.sites(at), pcs, kind)
            if not misses or misses < share * accesses:
                return None
            found.append((misses, accesses, self.conditions[at]))
        least = min(found, key=lambda f: f[0])
        return Robust(least[0], max(f[0] for f in found), len(found), least[2])


def misses_at(sites: Mapping[int, SiteMisses], pcs: Sequence[int], kind: Kind) -> tuple[int, int]:
    """Misses of a kind at some instructions, and their counted accesses."""
    found = [sites[pc] for pc in pcs if pc in sites]
    return sum(s.of(kind) for s in found), sum(s.accesses for s in found)


def _crowds(trace: CacheTrace, cache: Cache, placement: Placement) -> bool:
    fine = trace.sectors
    address = placement.bases(trace)[fine.region] + fine.piece * fine.granule
    lines = unique_values(address // cache.line)
    return bool(len(lines) and np.bincount(cache.set_of(lines)).max() > cache.ways)


@dataclass(frozen=True)
class Robust:
    """Misses that are there under all conditions."""

    least: int  #: where there are fewest
    most: int
    conditions: int  #: that were tried
    weakest: Conditions  #: where there are fewest
