"""What a launch's misses are due to, and whether that holds under every scheduler and placement.

GRAB's `mh` ends when the cache is first full, so that by itself it says little of a whole launch.
Interference misses (`mh` and `m*h`) are told apart here by what would help: those that a fully
associative LRU cache of equal size would not have are conflicts of the mapping, the others are a
matter of capacity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np

from perflint.sim.cache import Policy
from perflint.sim.cache_trace import CacheTrace
from perflint.sim.faults import Faults, sort_faults
from perflint.sim.placement import LAYOUTS, Placement
from perflint.sim.replay import HIT, Conditions, Original, replay, replay_fully_associative
from perflint.sim.schedulers import SCHEDULERS

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

    def of(self, kind: Kind) -> int:
        return {"conflict": self.conflict, "capacity": self.capacity, "intra": self.intra}[kind]


@dataclass(frozen=True, eq=False)
class Measured:
    """One replay: all of it, its faults, and how interference is parted."""

    conditions: Conditions
    run: Original
    faults: Faults
    conflict: np.ndarray  #: (n,) bool, of `faults.interference`
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
    columns = (
        run.counted,
        run.counted & (run.mstat == HIT),
        faults.cold,
        conflict,
        interference & ~conflict,
        faults.intra,
    )
    most = int(run.pc.max(initial=-1)) + 1
    counts = np.stack([np.bincount(run.pc[c], minlength=most) for c in columns], axis=1)
    sites = {pc: SiteMisses(*counts[pc].tolist()) for pc in np.flatnonzero(counts[:, 0]).tolist()}
    return Measured(conditions, run, faults, conflict, sites)


def everywhere(conditions: Conditions) -> Iterator[Conditions]:
    """The same cache and launch under each scheduler, policy and placement."""
    for scheduler, policy, layout in product(SCHEDULERS, ROBUST_POLICIES, LAYOUTS):
        yield replace(
            conditions,
            cache=replace(conditions.cache, policy=policy),
            scheduler=scheduler,
            placement=Placement(layout),
        )


def matrix(trace: CacheTrace, conditions: Conditions) -> tuple[Measured, ...]:
    """A trace measured under every one of them."""
    return tuple(measure(trace, each) for each in everywhere(conditions))


@dataclass(frozen=True)
class Robust:
    """Misses of one kind at one place, over all conditions."""

    pcs: tuple[int, ...]
    kind: Kind
    least: int  #: misses where there are fewest
    most: int
    accesses: int  #: that were counted; the same in all
    weakest: Conditions  #: where there are fewest


def robust(
    measured: Sequence[Measured], pcs: Sequence[int], kind: Kind, share: float
) -> Robust | None:
    """The misses of `kind` at some instructions together, if they are at least `share` of their
    accesses under all conditions, else None.
    """
    found = []
    for each in measured:
        sites = [each.sites[pc] for pc in pcs if pc in each.sites]
        misses, accesses = sum(s.of(kind) for s in sites), sum(s.accesses for s in sites)
        if not misses or misses < share * accesses:
            return None
        found.append((misses, accesses, each.conditions))
    if not found:
        return None
    least = min(found, key=lambda f: f[0])
    return Robust(tuple(pcs), kind, least[0], max(f[0] for f in found), least[1], least[2])
