"""The original trace: the accesses of one multiprocessor in the order of a scheduler.

GRAB's Algorithm 1 (Horga et al., "Systematic Detection of Memory Related Performance Bottlenecks in
GPGPU Programs"): each access is a sextuple ⟨tid, pc, block, mstat, evict, root⟩.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from perflint.sim.cache import Cache
from perflint.sim.cache_trace import LOAD, CacheTrace
from perflint.sim.golden import Addressed, Golden, addressed, golden, sector_present
from perflint.sim.placement import Placement
from perflint.sim.replacement import ALLOCATE, BYPASS, INVALIDATE, Residency, resident
from perflint.sim.schedulers import Scheduler, Timing, Work, interleave, work

HIT, MISS, MISS_STAR = 0, 1, 2
_PACKED = Placement()
_TIMING = Timing()
_ROUNDS = 2  #: schedules: the first takes what is new for misses, the second what missed in it


@dataclass(frozen=True)
class Conditions:
    """What a result is of: cache, scheduler and placement, and how many blocks the SM holds."""

    cache: Cache
    scheduler: Scheduler = "gto"
    placement: Placement = _PACKED
    resident: int = 1  #: blocks at a time
    stores: bool = False  #: whether faults of stores count
    timing: Timing = _TIMING

    def __str__(self) -> str:
        return f"{self.cache}; {self.scheduler} scheduler; {self.placement} placement"


@dataclass(frozen=True, eq=False)
class Original:
    """The sextuples of n accesses, in the order in which they happened.

    `evictor` and `root` are indices into them, -1 for empty. What `mstat` and the golden trace say
    of accesses that are not `counted` (they go past L1, or are stores where these do not count) is
    not GRAB's business.
    """

    access: np.ndarray  #: (n,) int64, which of the trace's accesses each is
    request: np.ndarray  #: (n,) int32
    pc: np.ndarray  #: (n,) int32
    warp: np.ndarray  #: (n,) int32: the tid
    block: np.ndarray  #: (n,) int64, block number
    line: np.ndarray  #: (n,) int32, dense number of its line
    mstat: np.ndarray  #: (n,) uint8: HIT, MISS or MISS_STAR
    evict: np.ndarray  #: (n,) int32, dense number of the line that was evicted; -1
    evictor: np.ndarray  #: (n,) int64: of what is no hit, the access that evicted its line last
    root: np.ndarray  #: (n,) int64
    golden_hit: np.ndarray  #: (n,) bool
    fetched: np.ndarray  #: (n,) bool: some active lane brought the block in before
    counted: np.ndarray  #: (n,) bool
    new: np.ndarray  #: (n,) bool: nobody asked for the block before


def replay(trace: CacheTrace, conditions: Conditions) -> Original:
    """The original and the golden trace of all blocks, one SM having run them."""
    at, private = _private(trace, conditions.cache, conditions.placement)
    plan = _work(trace)
    missed = np.ones(trace.requests, bool)
    missed[_seen_before(trace, at)] = False
    order = np.zeros(0, np.int64)
    for turn in range(_ROUNDS):
        order = interleave(
            plan, conditions.scheduler, conditions.resident, missed, conditions.timing
        )
        if turn < _ROUNDS - 1:
            access = in_order(at.accesses.first, order)
            hit, _ = _look_up(conditions.cache, at, access)
            missed = np.zeros(trace.requests, bool)
            missed[at.accesses.request[access[~hit]]] = True
    return original(trace, conditions, at, private, order)


def original(
    trace: CacheTrace, conditions: Conditions, at: Addressed, private: Golden, order: np.ndarray
) -> Original:
    """The sextuples of a given order of the requests."""
    access = in_order(at.accesses.first, order)
    request = at.accesses.request[access]
    hit, found = _look_up(conditions.cache, at, access)
    line, doing = at.line[access], at.action[access]
    full = _full(found, doing, conditions.cache.lines)
    evictor = _evictors(found, line, doing, hit)
    cold = np.ones(len(access), bool)
    blocks = at.block[access]
    cold[_later(blocks)] = False
    return Original(
        access=access,
        request=request,
        pc=trace.pc[request],
        warp=trace.warp[request],
        block=blocks,
        line=line,
        mstat=np.where(hit, HIT, np.where(full, MISS_STAR, MISS)).astype(np.uint8),
        evict=found.victim,
        evictor=evictor,
        root=_roots(evictor),
        golden_hit=private.hit[access],
        fetched=(private.known[access] != 0),
        counted=(doing != BYPASS) & ((trace.kind[request] == LOAD) | conditions.stores),
        new=cold,
    )


def replay_fully_associative(
    trace: CacheTrace, conditions: Conditions, run: Original
) -> np.ndarray:
    """Whether each access of `run` hits a fully associative LRU cache of equal size, (n,) bool."""
    whole = replace(conditions.cache.fully_associative(), write=conditions.cache.write)
    at = addressed(trace, whole, conditions.placement.bases(trace))
    return _look_up(whole, at, run.access)[0]


# --- one SM's cache ------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _work(trace: CacheTrace) -> Work:
    return work(trace)


@lru_cache(maxsize=8)
def _golden_of(trace: CacheTrace, cache: Cache, bases: bytes) -> tuple[Addressed, Golden]:
    at = addressed(trace, cache, np.frombuffer(bases, np.int64))
    return at, golden(trace, cache, at)


def _private(trace: CacheTrace, cache: Cache, placement: Placement) -> tuple[Addressed, Golden]:
    """The golden trace; it is the same for all schedulers."""
    return _golden_of(trace, cache, placement.bases(trace).tobytes())


def in_order(first: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Indices of the accesses of requests that are issued in `order`, (n,) int64."""
    counts = (first[1:] - first[:-1])[order]
    ends = np.cumsum(counts)
    if not len(ends) or not ends[-1]:
        return np.zeros(0, np.int64)
    return np.arange(int(ends[-1])) + np.repeat(first[order] - (ends - counts), counts)


def _look_up(
    cache: Cache, at: Addressed, access: np.ndarray
) -> tuple[np.ndarray, Residency]:
    """Whether each access finds its block, and what its line did. What goes past L1 is no access.

    Accesses past the cache count as misses that bring nothing in and take nothing out.
    """
    through = at.action[access] != BYPASS
    some = access if through.all() else access[through]
    line, doing = at.line[some], at.action[some]
    found = resident(at.sets[line], line, at.lines, cache.ways, cache.policy, doing)
    hit = found.hit
    if cache.sector < cache.line:
        hit = sector_present(line, at.block[some] % (cache.line // cache.sector), doing, hit)
    if some is access:
        return hit, found
    hits, victims = np.zeros(len(access), bool), np.full(len(access), -1, np.int32)
    lines = np.zeros(len(access), bool)
    hits[through], victims[through], lines[through] = hit, found.victim, found.hit
    return hits, Residency(lines, victims)


def _full(found: Residency, action: np.ndarray, lines: int) -> np.ndarray:
    """Whether every line of the cache was occupied before each access, (n,) bool."""
    fills = ~found.hit & (action == ALLOCATE)
    gains = fills & (found.victim < 0)
    losses = found.hit & (action == INVALIDATE)
    occupied = np.cumsum(gains.astype(np.int64) - losses)
    return np.asarray(np.concatenate(([0], occupied[:-1])) >= lines)


def _evictors(
    found: Residency, line: np.ndarray, action: np.ndarray, hit: np.ndarray
) -> np.ndarray:
    """Of each access that is no hit, the last access before it that took its line out; -1.

    A store that makes its own line invalid is such an access too.
    """
    n = len(line)
    out = np.full(n, -1, np.int64)
    by = np.flatnonzero(found.victim >= 0)
    gone = np.flatnonzero(found.hit & (action == INVALIDATE))
    events = np.concatenate((by, gone))
    if not len(events):
        return out
    wide = max(1, n).bit_length()
    keys = np.concatenate((found.victim[by], line[gone])).astype(np.int64) << wide | events
    keys.sort()
    asks = np.flatnonzero(~hit)
    wanted = line[asks].astype(np.int64) << wide | asks
    place = np.searchsorted(keys, wanted) - 1
    last = keys[np.maximum(place, 0)]
    right = (place >= 0) & (last >> wide == line[asks])
    out[asks[right]] = last[right] & ((1 << wide) - 1)
    return out


def _roots(evictor: np.ndarray) -> np.ndarray:
    """The head of each access's chain of evictions, (n,) int64: -1 for an empty root.

    The evictor of what has one, or, where that one was itself evicted before, its root.
    """
    root = evictor.copy()
    while True:
        inner = root >= 0
        after = root.copy()
        further = root[np.where(inner, root, 0)]
        after[inner & (further >= 0)] = further[inner & (further >= 0)]
        if np.array_equal(after, root):
            return root
        root = after


def _later(block: np.ndarray) -> np.ndarray:
    """Indices of the accesses to blocks that were accessed before."""
    _, first = np.unique(block, return_index=True)
    mask = np.ones(len(block), bool)
    mask[first] = False
    return np.flatnonzero(mask)


def _seen_before(trace: CacheTrace, at: Addressed) -> np.ndarray:
    """Requests whose every block some request before asked for, in the order of the warps."""
    new = np.ones(len(at.block), bool)
    new[_later(at.block)] = False
    misses = np.bincount(at.accesses.request[new], minlength=trace.requests)
    return np.flatnonzero(misses == 0)
