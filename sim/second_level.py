"""An L2 behind the L1: which of the accesses that the L1 passes on find their block there.

The paper leaves more levels to the future. Here the L2 serves one multiprocessor alone: it sees the
misses of its L1, and its stores and atomics, in the order of the original trace.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from perflint.sim.cache import Cache
from perflint.sim.cache_trace import LOAD, CacheTrace
from perflint.sim.golden import addressed
from perflint.sim.replacement import resident
from perflint.sim.replay import HIT, Conditions, Original


def second_level(
    trace: CacheTrace, conditions: Conditions, run: Original, cache: Cache
) -> np.ndarray:
    """Whether each access of `run` goes on to `cache` and hits it, (n,) bool.

    What an L1 fetches is what the L2 is asked for; stores allocate there.
    """
    second = replace(cache, sector=conditions.cache.sector, write="allocate")
    at = addressed(trace, second, conditions.placement.bases(trace))
    stores = trace.kind[run.request] != LOAD
    asked = np.flatnonzero((run.mstat != HIT) | stores | ~trace.cached[run.request])
    line = at.line[run.access[asked]]
    found = resident(at.sets[line], line, at.lines, second.ways, second.policy)
    hit = np.zeros(len(run.access), bool)
    hit[asked] = found.hit
    return hit
