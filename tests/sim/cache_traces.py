"""Traces for replays, made by hand: (warp, lanes, block or address, store)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perflint.sim.cache_trace import CacheTrace, assemble


def trace_of(
    accesses: Sequence[tuple[int, int, int, bool]],
    granule: int = 128,
    *,
    warps_per_block: int = 1,
    phases: Sequence[int] | None = None,
    uses: Sequence[int] | None = None,
    positions: Sequence[int] | None = None,
) -> CacheTrace:
    """One request for each access, of one piece of `granule` bytes of region 1."""
    n = len(accesses)
    warp = np.array([a[0] for a in accesses], np.int64)
    rows = {
        "pc": np.arange(n, dtype=np.int32),
        "warp": warp,
        "position": np.array(positions if positions is not None else range(n), np.int64),
        "kind": np.array([a[3] for a in accesses], np.uint8),
        "cached": np.ones(n, bool),
        "use": np.array(uses if uses is not None else [0] * n, np.int32),
        "phase": np.array(phases if phases is not None else [0] * n, np.int32),
        "addresses": np.array([a[2] * 33 + a[1] for a in accesses], np.int64),
        "order": np.arange(n, dtype=np.int64),
    }
    sector = np.array([a[2] for a in accesses], np.int64) * (granule // 32)
    found = (
        np.arange(n),
        (np.int64(1) << 48) + sector,
        np.array([a[1] for a in accesses], np.uint32),
    )
    blocks = -(-(int(warp.max()) + 1) // warps_per_block) if n else 1
    return assemble([rows], [found], blocks=blocks, warps_per_block=warps_per_block, names={1: "a"})
