"""GRAB's Algorithm 1 with dictionaries and lists, one access after the other.

Written from the paper, to hold the replay against; nothing of it is shared with the replay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from perflint.sim.cache import Cache


@dataclass
class NaiveSet:
    """One cache set: what each way holds, and what its policy remembers."""

    ways: int
    policy: str
    held: list[int | None] = field(default_factory=list)
    order: list[int] = field(default_factory=list)  #: lines, the next to go first
    bits: dict[tuple[int, int], str] = field(default_factory=dict)  #: PLRU: the older half

    def __post_init__(self) -> None:
        self.held = [None] * self.ways

    def use(self, line: int) -> None:
        if self.policy == "lru":
            self.order.remove(line)
            self.order.append(line)
        low, high, way = 0, self.ways, self.held.index(line)
        while high - low > 1:
            middle = (low + high + 1) // 2
            self.bits[low, high] = "right" if way < middle else "left"
            low, high = (low, middle) if way < middle else (middle, high)

    def choose(self) -> int:
        """The way of the next victim."""
        if self.policy != "plru":
            return self.held.index(self.order[0])
        low, high = 0, self.ways
        while high - low > 1:
            middle = (low + high + 1) // 2
            left = self.bits.get((low, high), "left") == "left"
            low, high = (low, middle) if left else (middle, high)
        return low

    def remove(self, line: int) -> None:
        self.held[self.held.index(line)] = None
        self.order.remove(line)


class NaiveCache:
    """A cache as a dictionary of sets; `store` is what its write policy makes of stores."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.sets: dict[int, NaiveSet] = {}
        self.sectors: dict[int, set[int]] = {}

    def full(self) -> bool:
        held = sum(line is not None for each in self.sets.values() for line in each.held)
        return held == self.cache.ways * self.cache.sets

    def access(self, block: int, store: bool) -> tuple[bool, int | None, bool]:
        """(whether it was a hit, the line that was evicted, whether it invalidated its line)."""
        per_line = self.cache.line // self.cache.sector
        line, sector = block // per_line, block % per_line
        number = line % self.cache.sets
        here = self.sets.setdefault(number, NaiveSet(self.cache.ways, self.cache.policy))
        present = line in here.held
        hit = present and sector in self.sectors[line]
        kind = self.cache.write if store else "allocate"
        if kind == "evict":
            if present:
                here.remove(line)
            return hit, None, present
        if present:
            here.use(line)
            if kind == "allocate":
                self.sectors[line].add(sector)
            return hit, None, False
        if kind == "update":
            return False, None, False
        victim = None
        if None in here.held:
            way = here.held.index(None)
        else:
            way = here.choose()
            victim = here.held[way]
            assert victim is not None
            here.remove(victim)
        here.held[way] = line
        here.order.append(line)
        here.use(line)
        self.sectors[line] = {sector}
        return False, victim, False


def sextuples(accesses: list[tuple[int, int, int, bool]], cache: Cache) -> list[dict[str, Any]]:
    """`accesses` are (warp, lanes, block, store) in order. The sextuples, by Algorithm 1."""
    shared = NaiveCache(cache)
    private: dict[tuple[int, int], NaiveCache] = {}
    evicted_by: dict[int, int] = {}
    fetched: set[int] = set()
    rows: list[dict[str, Any]] = []
    per_line = cache.line // cache.sector
    for i, (warp, lanes, block, store) in enumerate(accesses):
        full = shared.full()
        hit, victim, gone = shared.access(block, store)
        golden = False
        for lane in range(32):
            if lanes >> lane & 1:
                mine = private.setdefault((warp, lane), NaiveCache(cache))
                golden |= mine.access(block, store)[0]
        evictor = evicted_by.get(block // per_line) if not hit and block in fetched else None
        if not store or cache.write == "allocate":
            fetched.add(block)
        root = None if evictor is None else rows[evictor]["root"]
        rows.append(
            {
                "mstat": 0 if hit else 2 if full else 1,
                "evict": victim,
                "root": evictor if root is None else root,
                "golden": golden,
            }
        )
        if victim is not None:
            evicted_by[victim] = i
        if gone:
            evicted_by[block // per_line] = i
    return rows
