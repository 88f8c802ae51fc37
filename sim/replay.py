"""The original trace: the accesses of one multiprocessor in the order of a scheduler.

GRAB's Algorithm 1 (Horga et al., "Systematic Detection of Memory Related Performance Bottlenecks in
GPGPU Programs"): each access is a sextuple ⟨tid, pc, block, mstat, evict, root⟩.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np

from perflint.base.records import dataclass
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

    `evictor` and `root` are indices into them, -1 for empty: of hits, and of cold misses, whose
    block nobody fetched before. What `mstat` and the golden trace say
    of accesses that are not `counted` (they go past L1, or are stores where these do not count) is
    not GRAB's business.
    """

    access: np.ndarray  #: (n,) int64, which of the trace's accesses each is
    request: np.ndarray  #: (n,) int32
    pc: np.ndarray  #: (n,) int32
    warp: np.ndarray  #: (n,) int32: the tid
    block: np.ndarray  #: (n,) int64, block number
    line: np.ndarray  #: (n,) int32, dense number of its line
    of_set: np.ndarray  #: (n,) int32, the set that the line belongs to
    mstat: np.ndarray  #: (n,) uint8: HIT, MISS or MISS_STAR
    golden_hit: np.ndarray  #: (n,) bool
    fetched: np.ndarray  #: (n,) bool: some active lane brought the block in before
    new: np.ndarray  #: (n,) bool: no hit, and nobody fetched the block before
    counted: np.ndarray  #: (n,) bool
    doing: np.ndarray  #: (n,) uint8: ALLOCATE, TOUCH, INVALIDATE or BYPASS
    found: Residency  #: what became of the lines

    @property
    def evict(self) -> np.ndarray:
        """(n,) int32, dense number of the line that was evicted; -1."""
        return self.found.victim

    @cached_property
    def evictor(self) -> np.ndarray:
        """(n,) int64: of what is no hit, the access that evicted its line last."""
        evictors = _evictors(self.found, self.line, self.doing, self.mstat == HIT)
        return np.where(self.new, -1, evictors)

    @cached_property
    def root(self) -> np.ndarray:
        """(n,) int64, the head of its chain of evictions."""
        return _roots(self.evictor)


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
    return Original(
        access=access,
        request=request,
        pc=trace.pc[request],
        warp=trace.warp[request],
        block=at.block[access],
        line=line,
        of_set=at.sets[line],
        mstat=np.where(hit, HIT, np.where(full, MISS_STAR, MISS)).astype(np.uint8),
        golden_hit=private.hit[access],
        fetched=(private.known[access] != 0),
        new=~hit & ~_fetched_before(conditions.cache, at, access),
        counted=_counted(trace, conditions, doing, request),
        doing=doing,
        found=found,
    )


@dataclass(frozen=True, eq=False)
class Bound:
    """What the golden trace alone tells of a trace's accesses, whatever the order is."""

    pc: np.ndarray  #: (n,) int32
    counted: np.ndarray  #: (n,) bool
    golden_hit: np.ndarray  #: (n,) bool: only these can be interference
    lost: np.ndarray  #: (n,) bool: the thread brought the block in and its own cache has lost it


def bound(trace: CacheTrace, conditions: Conditions) -> Bound:
    """Which misses no scheduler can make: a replay costs many times as much."""
    at, private = _private(trace, conditions.cache, conditions.placement)
    request = at.accesses.request
    return Bound(
        pc=trace.pc[request],
        counted=_counted(trace, conditions, at.action, request),
        golden_hit=private.hit,
        lost=~private.hit & (private.known != 0),
    )


def _counted(
    trace: CacheTrace, conditions: Conditions, doing: np.ndarray, request: np.ndarray
) -> np.ndarray:
    """Whether each access counts, by what it does and its request, (n,) bool."""
    loads = trace.kind[request] == LOAD
    return np.asarray((doing != BYPASS) & (loads | conditions.stores))


def replay_fully_associative(
    trace: CacheTrace, conditions: Conditions, run: Original
) -> np.ndarray:
    """Whether each access of `run` hits a fully associative LRU cache of equal size, (n,) bool."""
    whole, at = _whole(trace, conditions)
    return _look_up(whole, at, run.access)[0]


def golden_fully_associative(
    trace: CacheTrace, conditions: Conditions, run: Original
) -> np.ndarray:
    """Whether each access of `run` hits a fully associative LRU cache of equal size that a thread
    has for itself, (n,) bool.
    """
    whole, at = _whole(trace, conditions)
    return np.asarray(golden(trace, whole, at).hit[run.access])


def _whole(trace: CacheTrace, conditions: Conditions) -> tuple[Cache, Addressed]:
    """The cache as one set, and the accesses in it."""
    at, _ = _private(trace, conditions.cache, conditions.placement)
    return conditions.cache.fully_associative(), replace(at, sets=np.zeros_like(at.sets))


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
    return np.asarray(np.arange(int(ends[-1])) + np.repeat(first[order] - (ends - counts), counts))


def _look_up(cache: Cache, at: Addressed, access: np.ndarray) -> tuple[np.ndarray, Residency]:
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


def _fetched_before(cache: Cache, at: Addressed, access: np.ndarray) -> np.ndarray:
    """Whether anybody fetched the block before, (n,) bool: what is not is cold."""
    per_line = cache.line // cache.sector
    block = at.line[access].astype(np.int64) * per_line + at.block[access] % per_line
    fetches = np.flatnonzero(at.action[access] == ALLOCATE)
    first = np.full(at.lines * per_line, len(access), np.int64)
    first[block[fetches[::-1]]] = fetches[::-1]  # of several, the last that is written stays
    return np.asarray(first[block] < np.arange(len(access)))


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
    asks = np.flatnonzero(~hit)
    if not len(by) + len(gone):
        return out
    # by line, then by time; an access asks before it takes a line out
    wide = n.bit_length()
    mask = (1 << wide) - 1
    keys = np.concatenate(
        (
            _key(line[asks], asks, 0, wide),
            _key(found.victim[by], by, 1, wide),
            _key(line[gone], gone, 1, wide),
        )
    )
    keys.sort()
    takes, of = keys & 1 == 1, keys >> (wide + 1)
    last = np.maximum.accumulate(np.where(takes, np.arange(len(keys)), -1))
    known = ~takes & (last >= 0)
    known &= of[np.maximum(last, 0)] == of
    out[keys[known] >> 1 & mask] = keys[last[known]] >> 1 & mask
    return out


def _key(line: np.ndarray, time: np.ndarray, takes: int, wide: int) -> np.ndarray:
    return np.asarray((line.astype(np.int64) << wide | time) << 1 | takes)


def _roots(evictor: np.ndarray) -> np.ndarray:
    """The head of each access's chain of evictions, (n,) int64: -1 for an empty root.

    The evictor, or the evictor's root where it has one. Evictors come first, so that theirs are
    known: chains are as long as the trace, and following them all at once takes longer than this.
    """
    root = [-1] * len(evictor)
    missed = np.flatnonzero(evictor >= 0)
    for i, by in zip(missed.tolist(), evictor[missed].tolist(), strict=True):
        above = root[by]
        root[i] = above if above >= 0 else by
    return np.array(root, np.int64)


def _seen_before(trace: CacheTrace, at: Addressed) -> np.ndarray:
    """Requests whose every line some request before asked for, in the order of the warps."""
    n = len(at.line)
    first = np.empty(at.lines, np.int64)
    first[at.line[::-1]] = np.arange(n)[::-1]  # of several, the last that is written stays
    new = first[at.line] == np.arange(n)
    misses = np.bincount(at.accesses.request[new], minlength=trace.requests)
    return np.flatnonzero(misses == 0)
