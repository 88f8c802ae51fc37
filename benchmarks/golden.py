"""Replay speed: golden lane accesses and original line accesses a second, and the memory it takes.

    python benchmarks/golden.py [--seconds 2]

Traces are of a full multiprocessor, 2,048 threads. `matmul`, `lbm` and `susan` are recorded ones
(benchmarks/grab); in `scattered` every lane reads a random word of 64 KB, so that no two lanes and
no two accesses are alike and most of the small caches' private sets overflow: the worst case.

Golden: private caches of all threads, once per geometry. Counted are active lanes times the lines
that each asks for. Original: one order of the requests through the shared cache, with victims,
evictors and root causes. Each figure is the median over the time given for it, in seconds of the
one processor that is used.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import perflint
from perflint.profile.table import aligned
from perflint.sim.cache import Cache
from perflint.sim.cache_trace import CacheTrace, address_sums, assemble, touched
from perflint.sim.golden import addressed, golden
from perflint.sim.placement import Placement
from perflint.sim.replay import Conditions, original, replay
from perflint.sim.schedulers import Timing, interleave, work
from perflint.sim.tracers.cache_recorder import CacheRecorder

FOLDER = Path(__file__).parent / "grab"
CACHES = (
    Cache(4, 32),
    Cache(4, 32, policy="fifo"),
    Cache(4, 256),
    Cache(256, 4, sector=32),
    Cache(1024, 1),
)
WARPS, PER_WARP = 64, 512


def recorded(
    file: str, kernel: str, grid: int | tuple[int, ...], block: Any, *args: Any
) -> CacheTrace:
    recorder = CacheRecorder()
    found = perflint.load(FOLDER / f"{file}.cu")[kernel]
    found.launch(grid, block, list(args), tracers=[recorder], check=False, seconds=600)
    return recorder.trace


def scattered() -> CacheTrace:
    n, rng = WARPS * PER_WARP, np.random.default_rng(0)
    mask, region = np.ones((n, 32), bool), np.ones((n, 32), np.int32)
    offset = rng.integers(0, 1 << 14, (n, 32)) * 4
    step = np.tile(np.arange(PER_WARP), WARPS)
    rows = {
        "pc": step % 16,
        "warp": np.repeat(np.arange(WARPS), PER_WARP),
        "position": step * 8,
        "kind": np.zeros(n, np.uint8),
        "cached": np.ones(n, bool),
        "use": np.full(n, 4),
        "phase": np.zeros(n, np.int64),
        "addresses": address_sums(mask, region, offset, 4),
        "order": np.arange(n),
    }
    return assemble([rows], [touched(mask, region, offset, 4)], blocks=8, warps_per_block=8)


def traces() -> dict[str, CacheTrace]:
    def floats(*shape: int) -> np.ndarray:
        return np.random.default_rng(1).random(shape, dtype=np.float32)

    n = 512
    image = np.random.default_rng(1).integers(0, 256, (64, 512)).astype(np.uint8)
    lattice = [floats(9, 128 * 128) for _ in range(2)] + [floats(128 * 128) for _ in range(3)]
    return {
        "matmul": recorded("matmul", "matmul_basic_modified", (32, 1), (8, 8), floats(n, n),
                           floats(n, n), floats(n, n), n),
        "lbm": recorded("lbm", "lbm_basic", 4, 512, *lattice, 1.2),
        "susan": recorded("susan", "susan_basic", 128, 128, image.copy(), image, 64, 27.0),
        "scattered": scattered(),
    }  # fmt: skip


def rate(count: int, seconds: float, action: Callable[[], object]) -> float:
    """Median of `count` over the CPU time of an action, which is repeated for `seconds`."""
    action()
    times: list[float] = []
    while sum(times) < seconds or len(times) < 3:
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return count / statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    seconds = parser.parse_args().seconds
    rows = [("trace", "cache", "lane accesses", "golden M/s", "accesses", "original M/s", "")]
    found = traces()
    for name, trace in found.items():
        plan = work(trace)
        order = interleave(plan, "lrr", 8, np.zeros(trace.requests, bool), Timing())
        for cache in CACHES:
            at = addressed(trace, cache, Placement().bases(trace))
            accesses = trace.accesses(cache.sector)
            private = golden(trace, cache, at)
            lanes = int(np.bitwise_count(accesses.lanes).sum())
            conditions = Conditions(cache, resident=8)
            fast = rate(lanes, seconds, lambda: golden(trace, cache, at))  # noqa: B023
            slow = rate(
                len(accesses.request),
                seconds,
                lambda: original(trace, conditions, at, private, order),  # noqa: B023
            )
            cells = f"{lanes:,}", f"{fast / 1e6:.1f}", f"{len(accesses.request):,}"
            rows.append((name, str(cache), *cells, f"{slow / 1e6:.1f}", ""))
    print("\n".join(aligned(rows, left=2)))
    trace = found["matmul"]
    whole = rate(trace.requests, seconds, lambda: replay(trace, Conditions(CACHES[0], resident=8)))
    print(f"\nscheduled and replayed: {whole / 1e6:.2f} M requests a second (matmul, gto)")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"peak memory of all of this: {peak:,} MB")


if __name__ == "__main__":
    main()
