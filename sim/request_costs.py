"""What requests cost, found once for those that differ only in where they lie."""

from __future__ import annotations

import numpy as np

from perflint.sim import banks, coalescing
from perflint.sim.requests import distinct

#: Bytes by which all addresses of a request may move together without changing what it costs: a
#: sector; twice the 32 banks of 4 bytes, for Kepler's 8-byte ones.
PERIOD = {"global": coalescing.SECTOR, "shared": 256}


def costs(
    rule: str, space: str, size: int, mask: np.ndarray, offset: np.ndarray, stores: bool = False
) -> np.ndarray:
    """(lanes, measured, golden, aligned, ways) of n requests, (5, n) int64.

    Sectors in `global`, wavefronts by the bank `rule` in `shared`, as `AccessCount` defines them.
    `mask` (n, 32) bool, `offset` (n, 32) int64, `size` bytes per lane.
    """
    if space == "shared" and size <= banks.WORD:
        return _computed(rule, space, size, mask, offset, stores)  # cheaper than to tell apart
    some, which = distinct(mask, offset, PERIOD[space])
    return _computed(rule, space, size, mask[some], offset[some], stores)[:, which]


def _computed(
    rule: str, space: str, size: int, mask: np.ndarray, offset: np.ndarray, stores: bool
) -> np.ndarray:
    active = np.count_nonzero(mask, axis=1)
    if space == "shared":
        waves = banks.wavefronts(mask, offset, size, rule, stores)
        return np.stack([active, waves.measured, waves.golden, waves.measured, waves.ways])
    measured = coalescing.sectors(mask, offset, size)
    golden = -(-active * size // coalescing.SECTOR)
    aligned = measured.copy()
    over = np.flatnonzero(measured > golden)
    if len(over):
        aligned[over] = coalescing.aligned_sectors(mask[over], offset[over], size)
    return np.stack([active, measured, golden, aligned, np.ones_like(measured)])
