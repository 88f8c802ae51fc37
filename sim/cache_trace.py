"""What the warps of a launch ask of global memory, as a replay needs it: no address is fixed yet.

Offsets count from the start of each allocation, so that one emulation serves every placement; each
warp's requests stand in its own order, so that it serves every scheduler.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.scattered import scattered
from perflint.sim.unique_values import unique_values

SECTOR = 32
LOAD, STORE, ATOMIC = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Accesses:
    """The tuples ⟨block, mask⟩ of all requests: one for each piece of memory that one touches.

    Pieces have `granule` bytes, what the cache fetches on a miss. Those of a request are together,
    in the order of their addresses.
    """

    granule: int
    first: np.ndarray  #: (requests + 1,) int64, where the accesses of each request begin
    request: np.ndarray  #: (n,) int32
    region: np.ndarray  #: (n,) int32
    piece: np.ndarray  #: (n,) int64, counted from the start of the region
    lanes: np.ndarray  #: (n,) uint32, the lanes of the warp that want it, lane 0 lowest


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Warps that arrived at a barrier of their block."""

    warp: np.ndarray  #: (b,) int32
    position: np.ndarray  #: (b,) int64, instructions that the warp issued before
    phase: np.ndarray  #: (b,) int32, barriers of the block before this one


_NOBODY = Arrivals(np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int32))


@dataclass(frozen=True, eq=False)
class CacheTrace:
    """The requests of all simulated warps, warp after warp.

    A warp is numbered by its block times the warps of a block, plus its number there.
    """

    blocks: int
    warps_per_block: int
    shared_bytes: int  #: of a block
    pc: np.ndarray  #: (r,) int32
    warp: np.ndarray  #: (r,) int32, ascending
    position: np.ndarray  #: (r,) int64, instructions that the warp issued before
    kind: np.ndarray  #: (r,) uint8: LOAD, STORE or ATOMIC
    cached: np.ndarray  #: (r,) bool: whether it goes through L1
    use: np.ndarray  #: (r,) int32, instructions until the warp needs what it loads; 0: never
    phase: np.ndarray  #: (r,) int32, barriers of its block that it lies behind
    #: (r,) int64, equal for requests in which each lane asks for the same bytes again
    addresses: np.ndarray
    sectors: Accesses  #: of 32 bytes
    barriers: Arrivals = _NOBODY
    #: bytes of each region by number: what was allocated, at least what was touched
    sizes: Mapping[int, int] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        return len(self.pc)

    @property
    def warps(self) -> int:
        return self.blocks * self.warps_per_block

    @cached_property
    def lines(self) -> Accesses:
        """Accesses of 128-byte lines."""
        return coarser(self.sectors, 128)

    def accesses(self, granule: int) -> Accesses:
        """Accesses in pieces of `granule` bytes, a power of two from 32."""
        if granule == SECTOR:
            return self.sectors
        return self.lines if granule == 128 else coarser(self.sectors, granule)

    def head(self, sectors: int) -> CacheTrace:
        """What every warp does at first, up to one number of instructions: about `sectors`."""
        counts = np.diff(self.sectors.first)
        if int(counts.sum()) <= sectors:
            return self
        at = np.argsort(self.position, kind="stable")
        last = int(np.searchsorted(np.cumsum(counts[at]), sectors, side="right"))
        keep = self.position < self.position[at[last]]
        s, b = self.sectors, self.barriers
        here, early = keep[s.request], b.position < self.position[at[last]]
        request = (np.cumsum(keep) - 1)[s.request[here]]
        return replace(
            self,
            **{name: getattr(self, name)[keep] for name in _TYPES},
            sectors=Accesses(
                s.granule,
                np.concatenate(([0], np.cumsum(counts[keep]))),
                request.astype(np.int32),
                s.region[here],
                s.piece[here],
                s.lanes[here],
            ),
            barriers=Arrivals(b.warp[early], b.position[early], b.phase[early]),
        )

    def only(self, keep: np.ndarray) -> CacheTrace:
        """The trace without the sectors that are not in `keep`, (sectors,) bool.

        Requests stay, with fewer accesses or none: the warps issue the same instructions.
        """
        s = self.sectors
        counts = np.bincount(s.request[keep], minlength=self.requests)
        first = np.concatenate(([0], np.cumsum(counts)))
        left = Accesses(
            s.granule, first, s.request[keep], s.region[keep], s.piece[keep], s.lanes[keep]
        )
        return replace(self, sectors=left)


def coarser(fine: Accesses, granule: int) -> Accesses:
    """Accesses of larger pieces: those of one request to the same piece become one."""
    if not len(fine.request):
        return Accesses(granule, fine.first, fine.request, fine.region, fine.piece, fine.lanes)
    piece = fine.piece // (granule // fine.granule)
    new = np.ones(len(piece), bool)
    new[1:] = (np.diff(piece) != 0) | (np.diff(fine.region) != 0) | (np.diff(fine.request) != 0)
    begins = np.flatnonzero(new)
    before = np.concatenate(([0], np.cumsum(new)))
    return Accesses(
        granule,
        before[fine.first],
        fine.request[begins],
        fine.region[begins],
        piece[begins],
        np.bitwise_or.reduceat(fine.lanes, begins),
    )


# --- from the lanes of requests ------------------------------------------------------------------

_LANE = np.uint32(1) << np.arange(32, dtype=np.uint32)
_FAR = np.int64(1) << 62  #: sorts behind every sector
_REGION = 48  #: bits of a sector's number within its region


def touched(
    mask: np.ndarray, region: np.ndarray, offset: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sectors that n requests touch, request after request and ascending in each.

    `mask` (n, 32) bool, `region` (n, 32), `offset` (n, 32) bytes, `size` bytes per lane. Returns
    request (m,), region << 48 | sector (m,) int64, and lanes (m,) uint32.
    """
    base = region.astype(np.int64) << _REGION
    low = (offset >> 5) + base
    high = (offset + (size - 1) >> 5) + base
    if np.array_equal(low, high):
        key, on = np.where(mask, low, _FAR), mask
    else:  # accesses that are not aligned to their size may lie in two sectors
        key = np.concatenate([np.where(mask, low, _FAR), np.where(mask, high, _FAR)], axis=1)
        on = np.concatenate([mask, mask & (low != high)], axis=1)
        key[:, 32:][low == high] = _FAR
    bits = np.where(on, np.tile(_LANE, on.shape[1] // 32), np.uint32(0))
    if (key[:, 1:] < key[:, :-1]).any():
        at = np.argsort(key, axis=1, kind="stable")
        key, bits = np.take_along_axis(key, at, 1), np.take_along_axis(bits, at, 1)
    new = np.ones(key.shape, bool)
    new[:, 1:] = key[:, 1:] != key[:, :-1]
    begins = np.flatnonzero(new)
    lanes = np.bitwise_or.reduceat(bits.reshape(-1), begins) if len(begins) else bits[:0, 0]
    flat = key.reshape(-1)[begins]
    real = flat != _FAR
    return begins[real] // key.shape[1], flat[real], lanes[real]


_ODD = scattered(32)


def address_sums(mask: np.ndarray, region: np.ndarray, offset: np.ndarray, size: int) -> np.ndarray:
    """A hash of each request's lanes, their addresses and size, (n,) int64."""
    lane = (region.astype(np.int64) << _REGION) + offset
    own = _ODD[:1] * _ODD[1:2] * np.uint64(size)  # an array: scalars that wrap are warned of
    sums = np.where(mask, lane, -1).view(np.uint64) @ _ODD + own
    return np.asarray(sums.view(np.int64))


def address_weights(mask: np.ndarray) -> np.ndarray:
    """By how much each request's sum grows where all its lanes' addresses grow by one, uint64."""
    return np.asarray(mask.astype(np.uint64) @ _ODD)


def assemble(
    rows: Sequence[Mapping[str, np.ndarray]],
    sectors: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
    *,
    blocks: int,
    warps_per_block: int,
    shared_bytes: int = 0,
    barriers: Arrivals = _NOBODY,
    sizes: Mapping[int, int | None] | None = None,
    names: Mapping[int, str] | None = None,
) -> CacheTrace:
    """Put recorded requests into the order of their warps.

    `rows` are columns of requests by name (those of CacheTrace, and `order`), `sectors` what
    `touched` found of each of them.
    """
    columns = {
        name: np.concatenate([each[name] for each in rows])
        if rows
        else np.zeros(0, _TYPES.get(name, np.int64))
        for name in ("order", *_TYPES)
    }
    at = np.lexsort((columns["order"], columns["warp"]))
    placed = np.empty(len(at), np.int64)
    placed[at] = np.arange(len(at))
    counts = np.cumsum([0, *(len(each["warp"]) for each in rows)])
    request = [first + found[0] for first, found in zip(counts, sectors, strict=False)]
    owner = placed[np.concatenate(request)] if request else np.zeros(0, np.int64)
    by_request = np.argsort(owner, kind="stable")
    key = np.concatenate([s[1] for s in sectors])[by_request] if sectors else owner
    lanes = np.concatenate([s[2] for s in sectors])[by_request] if sectors else owner
    owner = owner[by_request]
    region, sector = (key >> _REGION).astype(np.int32), key & ((1 << _REGION) - 1)
    number = np.bincount(owner, minlength=len(at))
    accesses = Accesses(
        SECTOR,
        np.concatenate(([0], np.cumsum(number))),
        owner.astype(np.int32),
        region,
        sector,
        lanes.astype(np.uint32),
    )
    known = dict(sizes or {})
    reach = {
        each: int(sector[region == each].max() + 1) * SECTOR
        for each in unique_values(region).tolist()
    }
    return CacheTrace(
        blocks,
        warps_per_block,
        shared_bytes,
        **{name: columns[name][at].astype(kind) for name, kind in _TYPES.items()},
        sectors=accesses,
        barriers=barriers,
        sizes={
            number: max(known.get(number) or 0, reach.get(number, 0))
            for number in sorted({*known, *reach})
        },
        names=dict(names or {}),
    )


_TYPES = {
    "pc": np.int32,
    "warp": np.int32,
    "position": np.int64,
    "kind": np.uint8,
    "cached": np.bool_,
    "use": np.int32,
    "phase": np.int32,
    "addresses": np.int64,
}
