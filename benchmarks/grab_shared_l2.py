"""Whether an L2 that several SMs share changes what one SM's L1 loses, on GRAB's kernels.

    python benchmarks/grab_shared_l2.py [--cache-size 1K]

Three ways to time a miss: 400 cycles each; 800 for the first fetch of a line and 200 for what comes
back (an L2 of this SM's own); and 800 only for the first fetch of a line that one block alone reads
(other SMs have brought in what several blocks read). Each row: interference (mh and m*h) and own
misses (mm) of the three ways, of how many accesses; the exit status is 1 if the tenth of the
accesses that CU301 and CU302 speak of is exceeded in one way and not in another.
"""

from __future__ import annotations

import argparse

import numpy as np
from grab_table import PROGRAMS, conditions, run

from perflint.lint.options import read_size
from perflint.sim import replay as replays
from perflint.sim import schedulers
from perflint.sim.cache_trace import CacheTrace
from perflint.sim.faults import sort_faults
from perflint.sim.replay import HIT, Conditions, Original

ON_CHIP, L2, DRAM = 28, 200, 800  #: cycles until a load's value is there
TOLD = 0.10  #: share of the accesses


def ways(trace: CacheTrace, under: Conditions) -> tuple[Original, Original, Original]:
    """The replays with each way to time a miss."""
    plain = replays.replay(trace, under)
    blocks = trace.warp[plain.request] // schedulers.work(trace).warps_per_block
    lines = int(plain.line.max()) + 1
    lowest, highest = np.full(lines, np.iinfo(np.int64).max), np.full(lines, -1)
    np.minimum.at(lowest, plain.line, blocks)
    np.maximum.at(highest, plain.line, blocks)
    first = np.zeros(len(plain.line), bool)
    first[np.unique(plain.line, return_index=True)[1]] = True
    alone = (lowest == highest)[plain.line]
    return plain, _timed(trace, under, plain, first), _timed(trace, under, plain, first & alone)


def _timed(trace: CacheTrace, under: Conditions, plain: Original, far: np.ndarray) -> Original:
    """The replay where what misses takes as long as where it comes from."""
    missed = plain.mstat != HIT
    latency = np.full(trace.requests, ON_CHIP)
    latency[plain.request[missed]] = L2
    latency[plain.request[missed & far]] = DRAM
    warps = schedulers.Warps(schedulers.work(trace), under.resident, latency.tolist())
    if under.scheduler == "gto":
        schedulers._greedy(warps)
    else:
        active = under.timing.active if under.scheduler == "two-level" else 1 << 30
        schedulers._rotating(warps, active)
    at, private = replays._private(trace, under.cache, under.placement)
    return replays.original(trace, under, at, private, np.array(warps.order, np.int64))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache-size", default="1K")
    size = read_size(parser.parse_args().cache_size)
    changed = 0
    for program in (each for each in PROGRAMS if not each.title.startswith("Susan")):
        trace = run(program)[0]
        for scheduler in schedulers.SCHEDULERS:
            under = conditions(trace, int(np.prod(program.block)), size, scheduler)
            found = ways(trace, under)
            accesses = int(found[0].counted.sum())
            faults = [sort_faults(each) for each in found]
            lost = [int(each.mh.sum() + each.m_star_h.sum()) for each in faults]
            own = [int(each.mm.sum()) for each in faults]
            differs = any(len({n >= TOLD * accesses for n in row}) > 1 for row in (lost, own))
            changed += differs
            print(f"{program.title:24}{scheduler:11}{lost} {own} of {accesses:,}", "*" * differs)
    return int(changed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
