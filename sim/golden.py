"""The golden trace: every thread has its own copy of the cache, so that none disturbs another.

It does not depend on how warps are interleaved. Where no thread of a warp ever touches more lines
of a set than the set has ways, nothing is evicted whatever the policy, and a block is present as
soon as the thread has asked for it: one pass over the accesses, 32 lanes to a word. Only the sets
that overflow are gone through, one private set of each thread beside the other.
"""

from __future__ import annotations

import numpy as np

from perflint.base.records import dataclass
from perflint.sim.cache import Cache
from perflint.sim.cache_trace import LOAD, Accesses, CacheTrace
from perflint.sim.replacement import ALLOCATE, BYPASS, INVALIDATE, TOUCH, by_group, resident
from perflint.sim.scattered import scattered

_NONE, _ONE = np.uint32(0), np.uint32(1)
_EACH = np.arange(32, dtype=np.uint32)
_SHARED = 4  #: lanes of an access on average from which it pays to look for lanes that fare alike
_DENSE = 8  #: times as many lines as accesses are numbered as they come, not counted first


@dataclass(frozen=True, eq=False)
class Golden:
    """What the private caches say of each access."""

    lanes: np.ndarray  #: (n,) uint32: the lanes whose own cache holds the block
    known: np.ndarray  #: (n,) uint32: the lanes that brought the block in before

    @property
    def hit(self) -> np.ndarray:
        """(n,) bool: GRAB's golden hit, at least one active lane's private cache holds it."""
        return np.asarray(self.lanes != 0)


@dataclass(frozen=True, eq=False)
class Addressed:
    """Accesses with their addresses, as numbers of blocks, lines and sets."""

    accesses: Accesses
    block: np.ndarray  #: (n,) int64, block number; equal ones are the same memory
    line: np.ndarray  #: (n,) int32, which of all lines, counted densely
    lines: int
    sets: np.ndarray  #: (lines,) int32, the set of each line
    names: np.ndarray  #: (lines,) int64, the line number of each
    action: np.ndarray  #: (n,) uint8: ALLOCATE, TOUCH, INVALIDATE or BYPASS


def addressed(trace: CacheTrace, cache: Cache, bases: np.ndarray) -> Addressed:
    """Give a trace's accesses addresses: `bases` are those of its regions, by number."""
    accesses = trace.accesses(cache.sector)
    address = bases[accesses.region] + accesses.piece * cache.sector
    block = address // cache.sector
    names, line = np.unique(address // cache.line, return_inverse=True)
    return Addressed(
        accesses,
        block,
        line.astype(np.int32),
        len(names),
        cache.set_of(names).astype(np.int32),
        names,
        actions(trace, cache)[accesses.request],
    )


def actions(trace: CacheTrace, cache: Cache) -> np.ndarray:
    """What each request does to the cache, (r,) uint8."""
    store = {"allocate": ALLOCATE, "update": TOUCH, "evict": INVALIDATE}[cache.write]
    found = np.where(trace.kind == LOAD, ALLOCATE, store)
    return np.where(trace.cached, found, BYPASS).astype(np.uint8)


def golden(trace: CacheTrace, cache: Cache, at: Addressed) -> Golden:
    """Go through every thread's own accesses with a cache of its own."""
    accesses = at.accesses
    warp = trace.warp[accesses.request].astype(np.int64)
    order = _by_warp_and_block(warp, at)
    starts = _starts(warp[order], at.block[order])
    lanes, doing = accesses.lanes[order], at.action[order]
    sets = np.where(doing == ALLOCATE, lanes, _NONE)
    clears = np.where(doing == INVALIDATE, lanes, _NONE)
    held, known = np.empty_like(accesses.lanes), np.empty_like(accesses.lanes)
    fetched = _before(starts, None, sets)
    known[order] = fetched & lanes
    held[order] = (_before(starts, ~clears, sets) if clears.any() else fetched) & lanes
    crowded = _crowded(trace, cache, at, warp, known)
    if len(crowded):
        _go_through(held, crowded, cache, at, warp)
    return Golden(held, known)


def _by_warp_and_block(warp: np.ndarray, at: Addressed) -> np.ndarray:
    """Indices of the accesses, those of one warp to one block together and in order.

    The accesses of a warp are together already: a key of warp, block and place sorts quickly.
    """
    low = int(at.block.min(initial=0))
    span = int(at.block.max(initial=0)) - low + 1
    bits, places = span.bit_length(), len(warp).bit_length()
    if bits + places + int(warp.max(initial=0)).bit_length() < 64:
        key = (warp << bits | (at.block - low)) << places | np.arange(len(warp))
        key.sort()
        return np.asarray(key & ((1 << places) - 1))
    return np.lexsort((at.block, warp))


def _starts(*keys: np.ndarray) -> np.ndarray:
    """(n,) int64: where the run of equal keys begins that each row is of."""
    n = len(keys[0])
    new = np.zeros(n, bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.maximum.accumulate(np.where(new, np.arange(n), 0))


def _before(starts: np.ndarray, keep: np.ndarray | None, sets: np.ndarray) -> np.ndarray:
    """The bits that are set before each row of its run: row i makes x into (x & keep) | sets.

    Rows are composed with the one before, then with the one two before, four before, and so on.
    """
    n = len(starts)
    step, found = 1, sets.copy()
    kept = keep.copy() if keep is not None else None
    left = np.flatnonzero(np.arange(n) > starts)
    while len(left):
        other = left - step
        if kept is None:
            found[left] |= found[other]  # the right side is read before any is written
        else:
            found[left] |= found[other] & kept[left]
            kept[left] &= kept[other]
        step *= 2
        left = left[left - step >= starts[left]]
    out = np.zeros_like(found)
    inner = np.flatnonzero(np.arange(n) > starts)
    out[inner] = found[inner - 1]
    return out


def _crowded(
    trace: CacheTrace, cache: Cache, at: Addressed, warp: np.ndarray, known: np.ndarray
) -> np.ndarray:
    """Indices of the accesses to sets of which some thread of the warp wants more lines than ways.

    Each thread's first access to a line counts; a sectored line's other sectors count as lines too,
    which only makes the slower way be taken.
    """
    wants = at.accesses.lanes & ~known
    wants[at.action != ALLOCATE] = 0
    new = np.flatnonzero(wants)
    key = warp[new] * cache.sets + at.sets[at.line[new]]
    groups, which = np.unique(key, return_inverse=True)
    if not len(groups):
        return new
    some = (np.bincount(which) > cache.ways)[which]  # of all lanes together: a bound from above
    row, lane = _lanes(wants[new[some]])
    counts = np.bincount(which[some][row] * 32 + lane, minlength=32 * len(groups)).reshape(-1, 32)
    full = groups[(counts > cache.ways).any(axis=1)]
    if not len(full):
        return full
    every = warp * cache.sets + at.sets[at.line]
    place = np.minimum(np.searchsorted(full, every), len(full) - 1)
    return np.flatnonzero((full[place] == every) & (at.action != BYPASS))


def _go_through(
    held: np.ndarray, crowded: np.ndarray, cache: Cache, at: Addressed, warp: np.ndarray
) -> None:
    """Correct `held` where private sets overflow, lane by lane of those that differ."""
    _, which = np.unique(
        warp[crowded] * cache.sets + at.sets[at.line[crowded]], return_inverse=True
    )
    lanes = at.accesses.lanes[crowded]
    many = int(np.bitwise_count(lanes).sum()) >= _SHARED * len(lanes)
    stands = _alike(which, lanes) if many else _EACH[None, :].repeat(int(which.max()) + 1, 0)
    first = np.bitwise_or.reduce(np.where(stands == _EACH, _ONE << _EACH, _NONE), axis=1)
    row, lane = _lanes(lanes & first[which])
    access = crowded[row]
    private = which[row] * 32 + lane
    line, lines = _numbered(private, at.line[access], at.lines)
    doing = at.action[access]
    found = resident(private, line, lines, cache.ways, cache.policy, doing)
    present = found.hit
    if cache.sector < cache.line:
        sector = at.block[access] % (cache.line // cache.sector)
        present = sector_present(line, sector, doing, present)
    hits = np.zeros(32 * len(crowded), bool)
    hits[row * 32 + lane] = present
    words = np.packbits(hits, bitorder="little").view("<u4").astype(np.uint32)
    held[crowded] = (_spread(words, which, stands) if many else words) & lanes


def _numbered(private: np.ndarray, line: np.ndarray, lines: int) -> tuple[np.ndarray, int]:
    """Numbers for the lines of each private set, and how many at most."""
    key = private * lines + line
    most = (int(private.max()) + 1) * lines
    if most <= _DENSE * len(key):
        return key, most
    found, numbers = np.unique(key, return_inverse=True)
    return numbers, len(found)


def _lanes(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(index of the word, lane) of each bit that is set, word after word."""
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
    at = np.flatnonzero(bits.view(bool))
    return at >> 5, at & 31


def _alike(which: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    """Lanes that take part in the same accesses of their set fare alike: one stands for them.

    `which` is the set that each access is to. Returns the lane that stands for each, (sets, 32).
    """
    order = np.argsort(which, kind="stable")
    begins = np.flatnonzero(np.diff(which[order], prepend=-1))
    odd = scattered(len(which))
    ordered = lanes[order]
    sums = np.empty((len(begins), 32), np.uint64)
    for lane in _EACH:
        takes = ordered >> lane & _ONE
        sums[:, lane] = np.add.reduceat(np.where(takes, odd, np.uint64(0)), begins)
    same = sums[:, :, None] == sums[:, None, :]
    stands: np.ndarray = np.argmax(same, axis=2).astype(np.uint32)
    for lane in _EACH:  # a sum may be that of others by chance
        differs = (lanes >> lane ^ lanes >> stands[which, lane]) & _ONE
        stands[which[differs != 0], lane] = lane
    return stands


def _spread(hits: np.ndarray, which: np.ndarray, stands: np.ndarray) -> np.ndarray:
    """The hits of all lanes from those of the lanes that stand for them."""
    out = np.zeros_like(hits)
    for lane in _EACH:
        out |= (hits >> stands[which, lane] & _ONE) << lane
    return out


def sector_present(
    line: np.ndarray, sector: np.ndarray, action: np.ndarray, present: np.ndarray
) -> np.ndarray:
    """Whether the sector is there too: fetched since its line was last brought in, (n,) bool.

    `line` and `sector` number each access's, `present` says whether the line was there.
    """
    n = len(line)
    if not n:
        return np.zeros(0, bool)
    by_line = by_group(line)
    place = np.empty(n, np.int64)  # in the order of lines
    place[by_line] = np.arange(n)
    fills = (~present & (action == ALLOCATE))[by_line]
    since = np.maximum.accumulate(np.where(fills, np.arange(n), -1))
    own = line.astype(np.int64) * (int(sector.max(initial=0)) + 1) + sector
    by_sector = by_group(own)
    starts = _starts(own[by_sector])
    allocates = action[by_sector] == ALLOCATE
    last = np.maximum.accumulate(np.where(allocates, np.arange(n), -1))
    before = np.concatenate(([-1], last[:-1]))
    place = place[by_sector]
    out = np.zeros(n, bool)
    out[by_sector] = present[by_sector] & (before >= starts) & (place[before] >= since[place])
    return out
