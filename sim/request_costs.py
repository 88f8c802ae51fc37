"""What requests cost, found once for each pattern of offsets: where a request lies matters not.

Moving all addresses of a request by a whole period changes nothing: the memo is of rows of offsets
counted from there, and serves all runs of this process.
"""

from __future__ import annotations

import numpy as np

from perflint.sim import banks, coalescing
from perflint.sim.requests import distinct, relative

#: Bytes by which all addresses of a request may move together without changing what it costs: a
#: sector; twice the 32 banks of 4 bytes, for Kepler's 8-byte ones.
PERIOD = {"global": coalescing.SECTOR, "shared": 256}
FEW = 64  #: requests that are looked up one by one; of more, like ones are found by a hash
_REMEMBERED = 1 << 15  #: rows, of 256 bytes and their cost
_ROW = np.dtype((np.void, 256))

_Row = tuple[int, int, int, int, int]
_known: dict[tuple[str, str, int], dict[bytes, _Row]] = {}


def costs(rule: str, space: str, size: int, mask: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """(lanes, measured, golden, aligned, ways) of n requests, (5, n) int64.

    Sectors in `global`, wavefronts by the bank `rule` in `shared`, as `AccessCount` defines them.
    `mask` (n, 32) bool, `offset` (n, 32) int64, `size` bytes per lane.
    """
    if len(mask) > FEW:
        some, which = distinct(mask, offset, PERIOD[space])
        return _computed(rule, space, size, mask[some], offset[some])[:, which]
    rows = relative(mask, offset, PERIOD[space])
    keys: list[bytes] = rows.view(_ROW).reshape(-1).tolist()  # type: ignore[assignment]
    known = _known.setdefault((rule, space, size), {})
    found = [known.get(key) for key in keys]
    if None not in found:
        return np.array(found, np.int64).T
    if sum(map(len, _known.values())) > _REMEMBERED:
        _known.clear()
        known = _known.setdefault((rule, space, size), {})
    fresh = list({key: at for at, key in enumerate(keys) if found[at] is None}.values())
    columns = _computed(rule, space, size, mask[fresh], offset[fresh])
    for at, column in zip(fresh, columns.T.tolist(), strict=True):
        known[keys[at]] = tuple(column)
    return np.array(
        [known[key] if row is None else row for key, row in zip(keys, found, strict=True)], np.int64
    ).T


def _computed(rule: str, space: str, size: int, mask: np.ndarray, offset: np.ndarray) -> np.ndarray:
    active = np.count_nonzero(mask, axis=1)
    if space == "shared":
        waves = banks.wavefronts(mask, offset, size, rule)
        return np.stack([active, waves.measured, waves.golden, waves.measured, waves.ways])
    measured = coalescing.sectors(mask, offset, size)
    golden = -(-active * size // coalescing.SECTOR)
    aligned = measured.copy()
    over = np.flatnonzero(measured > golden)
    if len(over):
        aligned[over] = coalescing.aligned_sectors(mask[over], offset[over], size)
    return np.stack([active, measured, golden, aligned, np.ones_like(measured)])
