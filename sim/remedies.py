"""What would become of a launch's misses if its source were changed: a replay of a changed trace.

Each remedy is data: a trace or conditions that differ as the change would make them differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.cache_trace import LOAD, STORE, CacheTrace
from perflint.sim.interference import Measured, SiteMisses, measure
from perflint.sim.placement import Placement
from perflint.sim.replay import Conditions
from perflint.sim.unique_values import unique_values


@dataclass(frozen=True)
class Remedy:
    """A change, and the misses that are left with it."""

    kind: str  #: `fewer blocks`, `shared memory`, `register`, `moved` or `padded`
    region: int | None  #: the array that it is of
    amount: int  #: blocks at a time, bytes moved, or bytes added to each row
    left: SiteMisses
    pitch: int = 0  #: of `padded`: bytes of a row before


def in_register(trace: CacheTrace, region: int) -> CacheTrace:
    """Each warp's first load and last store of an address in `region` stay, the others go.

    Only what a warp asks for again with the same lanes at the same addresses counts as the same.
    """
    keep = np.ones(len(trace.sectors.request), bool)
    mine = _requests_to(trace, region)
    for kind, last in ((LOAD, False), (STORE, True)):
        these = np.flatnonzero(mine & (trace.kind == kind))
        if last:
            these = these[::-1]
        key = np.stack((trace.warp[these].astype(np.int64), trace.addresses[these]), axis=1)
        _, first = np.unique(key, axis=0, return_index=True)
        gone = np.ones(trace.requests, bool)
        gone[these[first]] = False
        gone &= mine & (trace.kind == kind)
        keep &= ~gone[trace.sectors.request]
    # a value that the warp stored and loads again is in the register too
    return trace.only(keep & ~_stored_before(trace, mine)[trace.sectors.request])


def _stored_before(trace: CacheTrace, mine: np.ndarray) -> np.ndarray:
    """Loads of what their own warp stored before, (r,) bool."""
    first: dict[tuple[int, int], None] = {}
    out = np.zeros(trace.requests, bool)
    these = np.flatnonzero(mine)
    rows = zip(
        these.tolist(),
        trace.kind[these].tolist(),
        trace.warp[these].tolist(),
        trace.addresses[these].tolist(),
        strict=True,
    )
    for request, kind, warp, address in rows:
        if kind == STORE:
            first[warp, address] = None
        elif kind == LOAD and (warp, address) in first:
            out[request] = True
    return out


def in_shared_memory(trace: CacheTrace, region: int) -> CacheTrace:
    """Each block loads what it needs of `region` once: a tile in shared memory serves the rest."""
    s = trace.sectors
    block = trace.warp[s.request] // trace.warps_per_block
    loads = np.flatnonzero((s.region == region) & (trace.kind[s.request] == LOAD))
    key = np.stack((block[loads].astype(np.int64), s.piece[loads]), axis=1)
    _, first = np.unique(key, axis=0, return_index=True)
    keep = np.ones(len(s.request), bool)
    keep[loads] = False
    keep[loads[first]] = True
    return trace.only(keep)


_TILE = 48 << 10  #: bytes of shared memory that a block of any GPU since Fermi may have


def _is_shared(trace: CacheTrace, region: int) -> bool:
    """Whether shared memory could serve a block's loads of a region: its warps load most of the
    sectors in common, so that tiles of them pay, or it holds all that the block needs.
    """
    s = trace.sectors
    loads = np.flatnonzero((s.region == region) & (trace.kind[s.request] == LOAD))
    warp = trace.warp[s.request[loads]].astype(np.int64)
    by_warp = len(np.unique(np.stack((warp, s.piece[loads]), axis=1), axis=0))
    block = warp // trace.warps_per_block
    by_block = len(np.unique(np.stack((block, s.piece[loads]), axis=1), axis=0))
    blocks = len(unique_values(block))
    return by_warp >= 2 * by_block or by_block * s.granule <= _TILE * blocks


def _requests_to(trace: CacheTrace, region: int) -> np.ndarray:
    """Requests that touch a region, (r,) bool."""
    s = trace.sectors
    return np.bincount(s.request[s.region == region], minlength=trace.requests) > 0


REMEDIES = ("fewer blocks", "shared memory", "register", "moved", "padded")


def remedies(
    trace: CacheTrace, measured: Measured, wanted: Collection[str] = REMEDIES
) -> Iterator[Remedy]:
    """The changes that Table 2 of the paper suggests for the misses found, each one replayed."""
    conditions, total, faults = measured.conditions, measured.total, measured.faults
    where = trace.accesses(conditions.cache.sector).region[measured.run.access]
    if total.capacity and conditions.resident > 1 and "fewer blocks" in wanted:
        yield _fewer_blocks(trace, conditions, total.capacity)
    worst = _most(where[faults.interference])
    tiles = total.capacity and worst is not None and "shared memory" in wanted
    if tiles and worst is not None and _is_shared(trace, worst):
        left = measure(in_shared_memory(trace, worst), conditions).total
        yield Remedy("shared memory", worst, 0, left)
    if "register" in wanted:
        again = _most(where[faults.mm | faults.interference], repeated(trace))
        if again is not None:
            yield Remedy("register", again, 0, measure(in_register(trace, again), conditions).total)
    if total.conflict:
        pushed = _most(where[measured.run.root[np.flatnonzero(measured.conflict)]])
        if pushed is not None and "moved" in wanted:
            yield _moved(trace, conditions, pushed)
        if pushed is not None and "padded" in wanted:
            yield from _padded(trace, conditions, pushed)
    own = _most(where[measured.own_sets])
    if own is not None and "padded" in wanted:
        yield from _padded(trace, conditions, own, _busiest_warp(trace, own))


def repeated(trace: CacheTrace) -> frozenset[int]:
    """The regions of which some warp asks for the same addresses with the same lanes again."""
    s = trace.sectors
    key = np.stack(
        (trace.warp.astype(np.int64), trace.addresses, trace.kind.astype(np.int64)), axis=1
    )
    _, which, counts = np.unique(key, axis=0, return_inverse=True, return_counts=True)
    again = counts[which.reshape(-1)] > 1
    return frozenset(unique_values(s.region[again[s.request]]).tolist())


def _most(regions: np.ndarray, among: frozenset[int] | None = None) -> int | None:
    """The region that occurs most, or None."""
    found, counts = np.unique(regions, return_counts=True)
    ranked = sorted(zip(counts.tolist(), found.tolist(), strict=True), key=lambda r: (-r[0], r[1]))
    return next((region for _, region in ranked if among is None or region in among), None)


def _fewer_blocks(trace: CacheTrace, conditions: Conditions, before: int) -> Remedy:
    """Half as many blocks at a time, and again, until a tenth of the misses is left."""
    blocks, left = conditions.resident, SiteMisses()
    while blocks > 1:
        blocks //= 2
        left = measure(trace, replace(conditions, resident=blocks)).total
        if 10 * left.capacity <= before:
            break
    return Remedy("fewer blocks", None, blocks, left)


def _moved(trace: CacheTrace, conditions: Conditions, region: int) -> Remedy:
    """The array moved by a quarter, a half or three quarters of the span of all sets."""
    cache = conditions.cache
    found = []
    for quarter in (1, 2, 3):
        step = -(-cache.sets * cache.line * quarter // 4 // 256) * 256
        place = Placement(conditions.placement.layout, ((region, step),))
        total = measure(trace, replace(conditions, placement=place)).total
        found.append(Remedy("moved", region, step, total))
    return min(found, key=lambda r: (r.left.conflict + r.left.capacity, r.amount))


def _busiest_warp(trace: CacheTrace, region: int) -> int:
    """The warp that asks for most of a region."""
    s = trace.sectors
    return int(np.bincount(trace.warp[s.request[s.region == region]]).argmax())


def _padded(
    trace: CacheTrace, conditions: Conditions, region: int, warp: int | None = None
) -> Iterator[Remedy]:
    """An array of which only lines at a fixed distance are used, with a line added to each row.

    The distance is that of the lines that one warp uses, where one is given.
    """
    s, line = trace.sectors, conditions.cache.line
    mine = s.region == region
    asked = mine if warp is None else mine & (trace.warp[s.request] == warp)
    lines = unique_values(s.piece[asked] * s.granule // line)
    pitch = int(np.gcd.reduce(np.diff(lines))) if len(lines) > 1 else 1
    if pitch < 2:
        return
    rows = s.piece * s.granule // (pitch * line)
    moved = np.where(mine, s.piece + rows * (line // s.granule), s.piece)
    sizes = {**trace.sizes, region: trace.sizes[region] + (int(rows[mine].max()) + 1) * line}
    changed = replace(trace, sectors=replace(s, piece=moved), sizes=sizes)
    left = measure(changed, conditions).total
    yield Remedy("padded", region, line, left, pitch * line)
