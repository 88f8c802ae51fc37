"""Coalescing: what a warp's request to global memory costs.

Every function takes n requests as (n, 32) arrays: `mask`, the lanes that take part, and `offset`,
byte addresses relative to a base aligned to 256 bytes, as `cudaMalloc` returns. `size` is bytes per
lane, a vector's elements together.

Sectors are Nsight Compute's (Profiling Guide, "Memory Tables": 32 bytes; the ideal is what every
participating lane's bytes would take when packed). The rules before compute capability 3.0 are
those of the CUDA C Programming Guide 4.2, F.3.2 and F.4.2.
"""

from __future__ import annotations

import numpy as np

from perflint.base.records import dataclass

SECTOR = 32
LINE = 128
_NONE = np.iinfo(np.int64).max  #: sorts behind every address


@dataclass(frozen=True, eq=False)
class Transactions:
    """Memory transactions of n requests: how many, and the bytes they move."""

    count: np.ndarray  #: (n,) int64
    bytes: np.ndarray  #: (n,) int64


def sectors(mask: np.ndarray, offset: np.ndarray, size: int) -> np.ndarray:
    """Distinct 32-byte sectors of each request, (n,) int64."""
    return distinct_granules(mask, offset, size, SECTOR)


def lines(mask: np.ndarray, offset: np.ndarray, size: int) -> np.ndarray:
    """Distinct 128-byte lines (L1 tags) of each request, (n,) int64."""
    return distinct_granules(mask, offset, size, LINE)


def golden_sectors(mask: np.ndarray, size: int) -> np.ndarray:
    """Sectors that the same lanes' bytes fill when packed: ceil(active * size / 32), (n,) int64."""
    active = np.count_nonzero(mask, axis=1).astype(np.int64)
    return np.asarray(-(-active * size // SECTOR))


def aligned_sectors(mask: np.ndarray, offset: np.ndarray, size: int) -> np.ndarray:
    """Sectors, had each run of touching bytes of a request begun at a sector boundary, (n,) int64.

    A run is a stretch of bytes without a gap; it then fills ceil(length / 32) sectors. Where this
    equals the golden count, a request's excess is due to alignment alone.
    """
    start = np.sort(np.where(mask, offset, _NONE), axis=1)
    active = start != _NONE
    begins = active.copy()
    begins[:, 1:] &= start[:, 1:] > start[:, :-1] + size
    run = np.cumsum(begins, axis=1) - 1 + np.arange(len(start))[:, None] * 32
    first, last = start[begins], np.zeros(len(start) * 32, dtype=np.int64)
    last[run[active]] = start[active]  # ascending within a request, so that the last one stays
    length = last[run[begins]] + size - first
    filled = np.zeros(len(start) * 32, dtype=np.int64)
    filled[run[begins]] = -(-length // SECTOR)
    return np.asarray(filled.reshape(-1, 32).sum(axis=1))


def transactions(rule: str, mask: np.ndarray, offset: np.ndarray, size: int) -> Transactions:
    """Transactions under an architecture's rule: `cc10`, `cc12`, `lines128` or `sectors32`."""
    if rule == "sectors32":
        count = sectors(mask, offset, size)
        return Transactions(count, count * SECTOR)
    if rule == "lines128":
        # F.4.2: 8-byte words are requested per half-warp, 16-byte words per quarter-warp.
        phases = {8: 2, 16: 4}.get(size, 1)
        shape = (len(mask) * phases, 32 // phases)
        per_phase = lines(mask.reshape(shape), offset.reshape(shape), size)
        count = per_phase.reshape(-1, phases).sum(axis=1)
        return Transactions(count, count * LINE)
    if rule in ("cc10", "cc12"):
        halves = (len(mask) * 2, 16)
        by_half = _cc10 if rule == "cc10" else _cc12
        half = by_half(mask.reshape(halves), offset.reshape(halves), size)
        return Transactions(
            half.count.reshape(-1, 2).sum(axis=1), half.bytes.reshape(-1, 2).sum(axis=1)
        )
    raise ValueError(f"unknown coalescing rule {rule!r}")


def distinct_granules(mask: np.ndarray, offset: np.ndarray, size: int, granule: int) -> np.ndarray:
    """Distinct aligned `granule`-byte pieces that each row touches, (n,) int64.

    An access that straddles a boundary counts in both pieces.
    """
    shift = granule.bit_length() - 1
    first = offset >> shift
    last = (offset + (size - 1)) >> shift
    if np.array_equal(first, last):
        return _distinct(first, mask)
    most = (size + granule - 2) // granule
    pieces = [np.minimum(first + step, last) for step in range(most + 1)]
    return _distinct(np.concatenate(pieces, axis=1), np.tile(mask, (1, len(pieces))))


def _distinct(values: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Distinct values among each row's masked entries, (n,) int64."""
    if not mask.all():
        values = np.where(mask, values, _NONE)
    falls = (values[:, 1:] < values[:, :-1]).any(axis=1)
    if falls.any():  # most requests ascend with the lane: only the others are sorted
        values = values.copy()
        values[falls] = np.sort(values[falls], axis=1)
    steps = np.count_nonzero(values[:, 1:] != values[:, :-1], axis=1).astype(np.int64)
    some, sentinel = values[:, 0] != _NONE, values[:, -1] == _NONE
    return np.asarray(steps + some - (some & sentinel).astype(np.int64))


def _cc10(mask: np.ndarray, offset: np.ndarray, size: int) -> Transactions:
    """Compute capability 1.0 and 1.1 (F.3.2.1): in order and in one segment, or one by one."""
    active = mask.any(axis=1)
    packed = np.zeros(len(mask), dtype=bool)
    segment = {4: 64, 8: 128, 16: 256}.get(size)
    if segment is not None:
        base = offset - np.arange(16) * size
        lowest = np.where(mask, base, _NONE).min(axis=1)
        highest = np.where(mask, base, -_NONE).max(axis=1)
        packed = active & (lowest == highest) & (lowest % segment == 0)
    count = np.where(packed, 2 if size == 16 else 1, 16) * active
    moved = np.where(packed, segment or 0, 16 * SECTOR) * active
    return Transactions(count.astype(np.int64), moved.astype(np.int64))


def _cc12(mask: np.ndarray, offset: np.ndarray, size: int) -> Transactions:
    """Compute capability 1.2 and 1.3 (F.3.2.2): segments, shrunk while only one half is used."""
    whole = {1: 32, 2: 64}.get(size, 128)
    segment = offset // whole
    left = mask.copy()
    count = np.zeros(len(mask), dtype=np.int64)
    moved = np.zeros(len(mask), dtype=np.int64)
    while left.any():
        some = left.any(axis=1)
        wanted = segment[np.arange(len(mask)), left.argmax(axis=1)]
        now = left & (segment == wanted[:, None])
        low = np.where(now, offset, _NONE).min(axis=1)
        high = np.where(now, offset, -1).max(axis=1) + size
        start, length = wanted * whole, np.full(len(mask), whole)
        for _ in range((whole // 32).bit_length() - 1):
            half = length // 2
            lower, upper = high <= start + half, low >= start + half
            start = np.where(upper & ~lower & (length > 32), start + half, start)
            length = np.where((lower | upper) & (length > 32), half, length)
        count += some
        moved += np.where(some, length, 0)
        left &= ~now
    return Transactions(count, moved)
