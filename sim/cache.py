"""Caches ⟨ways, sets, line, sector⟩: what a data cache of a multiprocessor (SM) is like.

A *block* is what a miss fetches: a sector of the line, or the whole line where the cache is not
sectored. A *line* is what a tag names and what is evicted. Blocks and lines are numbered by their
byte address over their size; GRAB's set index `M mod S` is of these numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.architecture import Architecture

Policy = Literal["lru", "fifo", "plru"]
#: What a store does: `allocate` a line as a load does (GRAB's Algorithm 1 knows one kind of
#: access); `update` the line where it is present; `evict` the line where it is present.
Write = Literal["allocate", "update", "evict"]
#: `modulo`: line number mod sets; `fermi`: with the bits that Fermi's hash folds in.
Index = Literal["modulo", "fermi"]

POLICIES: tuple[Policy, ...] = get_args(Policy)


class CacheError(ValueError):
    """A cache that cannot be; the message says what it must be."""


@dataclass(frozen=True)
class Cache:
    """A set-associative cache. Sizes are bytes, powers of two; ways and sets any number from 1."""

    ways: int
    sets: int
    line: int = 128
    sector: int = 128  #: bytes that a miss fetches; the line's where it is not sectored
    policy: Policy = "lru"
    write: Write = "update"
    index: Index = "modulo"
    assumed: str = ""  #: what of this is not published, for messages

    def __post_init__(self) -> None:
        if self.ways < 1 or self.sets < 1:
            raise CacheError(f"a cache of {self.sets} sets and {self.ways} ways holds nothing")
        for what, size in (("line", self.line), ("sector", self.sector)):
            if size < 32 or size & (size - 1):
                raise CacheError(f"a {what} of {size} bytes must be a power of two from 32")
        if self.sector > self.line:
            raise CacheError(f"a sector of {self.sector} bytes does not fit a line of {self.line}")
        if self.write == "evict" and self.sector != self.line:
            raise CacheError("a sectored cache cannot evict lines that are stored to")
        if self.index == "fermi" and (self.sets, self.line) not in ((32, 128), (64, 128)):
            raise CacheError("Fermi's hash is of 32 or 64 sets of 128-byte lines")

    @property
    def size(self) -> int:
        """Bytes."""
        return self.ways * self.sets * self.line

    @property
    def lines(self) -> int:
        return self.ways * self.sets

    def set_of(self, line: np.ndarray) -> np.ndarray:
        """The set of each line number, (n,) int64."""
        if self.index == "modulo":
            return np.asarray(line % self.sets)
        return _fermi(line, self.sets)

    def fully_associative(self) -> Cache:
        """One LRU set of equal size: what it misses too is a matter of capacity."""
        return replace(self, ways=self.lines, sets=1, policy="lru", index="modulo")

    def __str__(self) -> str:
        sectors = f" in {self.sector} B sectors" if self.sector < self.line else ""
        shape = "fully associative" if self.sets == 1 else f"{self.sets} sets × {self.ways} ways"
        return f"{kilobytes(self.size)} {self.policy.upper()}, {shape} × {self.line} B{sectors}" + (
            "" if self.index == "modulo" else f", {self.index} hash"
        )


def kilobytes(size: int) -> str:
    """`16 KB`, `1.5 KB`."""
    return f"{size / 1024:g} KB"


def _fermi(line: np.ndarray, sets: int) -> np.ndarray:
    """Fermi's set index: Nugteren et al., HPCA 2014, as GPGPU-Sim has it (gpu-cache.cc)."""
    address = line << 7
    upper = (address & 0xE000) >> 13 | (address & 0x20000) >> 14 | (address & 0x80000) >> 15
    found = (line & 31) ^ upper
    if sets == 64:
        found = found | (address & 0x1000) >> 7
    return np.asarray(found)


#: Sets of an L1 whose associativity nobody published: Volta's (Jia et al., arXiv:1804.06826).
_SETS = 4
#: L2 of a small GPU, for `--l2`: Kepler GK20A's 128 KB (recalled), 16 ways as GPGPU-Sim has L2s.
L2 = Cache(ways=16, sets=64, line=128, sector=32, write="allocate")


def shaped(
    size: int,
    *,
    ways: int | None = None,
    line: int = 128,
    sector: int = 128,
    policy: Policy = "lru",
    write: Write = "update",
) -> Cache:
    """A cache of `size` bytes with up to `ways` ways (4 where not given). Raises CacheError."""
    lines = size // line
    if size < line or size % line:
        raise CacheError(f"a cache of {size} bytes is no whole number of {line}-byte lines")
    wanted = min(ways or 4, lines)
    if lines % wanted:
        raise CacheError(f"a cache of {lines} lines cannot have {wanted} ways")
    return Cache(wanted, lines // wanted, line, sector, policy, write)


def l1_of(arch: Architecture, shared: int = 0, policy: Policy = "lru") -> Cache | None:
    """The L1 of an architecture, or None where global memory has none.

    `shared` is the shared memory in bytes of all blocks that an SM holds. Of a unified store the
    driver gives it the smallest of the sizes that can be chosen, and L1 the rest. Where L1's sizes
    can be chosen and are not shared (Fermi), it is the smaller one, the driver's default.
    """
    l1 = arch.l1
    if l1 is None or (3, 0) <= arch.compute_capability < (6, 0):
        return None  # Kepler and Maxwell cache global memory in L1 only where -dlcm=ca asks for it
    sectored = l1.sector < l1.line
    unified = l1.unified_with_shared or (l1.sizes[-1] if l1.shared_carveouts else 0)
    if unified:
        carved = next((c for c in l1.shared_carveouts if c >= shared), l1.shared_carveouts[-1])
        size, why = unified - carved, "the L1 has what shared memory leaves"
    else:
        size, why = (l1.sizes[0], "") if l1.sizes else (16384, "16 KB")
    sets = l1.sets or _SETS
    ways = l1.ways or max(1, size // (sets * l1.line))
    if not l1.ways:
        why = f"{why}, its {sets} sets are assumed" if why else f"its {sets} sets are assumed"
    hashed = arch.compute_capability < (3, 0) and sets in (32, 64)
    return Cache(
        ways=ways,
        sets=sets,
        line=l1.line,
        sector=l1.sector,
        policy=policy,
        write="update" if sectored else "evict",  # Fermi evicts what is stored to (GPGPU-Sim)
        index="fermi" if hashed else "modulo",
        assumed=why,
    )
