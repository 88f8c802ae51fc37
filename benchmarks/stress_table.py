"""GUPT's Figures 6 and 7 on kernels of the kinds of its Table 1.

    python benchmarks/stress_table.py [--states 12] [--seeds 2] [KERNEL…]
    python benchmarks/stress_table.py --refactored [--states 12] [KERNEL…]

For pure random, symbolic random and guided testing: runs (as many for all, but for one where
neither ways nor addresses hang on the input, so that guided testing has but one order to try), of
these executions with interference (O > 0), sites of a warp that showed some (Figure 6's issues),
when half of all that was ever found was there, the geometric mean of O/E over executions with O > 0
(Figure 7), the largest O, and the coverage of references. The platform is that of the paper's Table
2: a cache of 4 KB in two ways with lines of 64 bytes, four banks of 8 KB, 100 cycles to the DRAM.
Cycles are the model's; shares and counts are what is meant. A last line for each kernel says
whether guided testing wins there, and where it does not, why.

With `--refactored`, its Table 3: the input that guided testing finds worst, on the kernel as it is,
all arrays at the start of a page, and with what the paper changes: where an array lies (the best of
some places, the arrays one behind the other), or lines that are locked in the cache. Told are the
execution, its interference, and how much of that remains.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import perflint
from perflint.sim.placement import Placement
from perflint.stress.guided import (
    ArrayInput,
    Exploration,
    Interference,
    Options,
    ScalarInput,
    Subject,
    explore,
)

STRATEGIES = ("random", "symbolic", "guided")
_FILE = Path(__file__).with_name("stress_kernels.cu")


def launches(seed: int) -> dict[str, tuple[Sequence[Any], tuple[int, int], tuple[int, int]]]:
    """Arguments, grid and block of each kernel: the paper's sizes, or less where that takes long.

    Where arrays fit into the cache, neither inputs nor orders of warps change anything.
    """
    rng = np.random.default_rng(seed)

    def floats(n: int) -> np.ndarray:
        return rng.random(n).astype(np.float32)

    def ints(n: int, high: int = 1000) -> np.ndarray:
        return rng.integers(0, high, n).astype(np.int32)

    degree = rng.integers(0, 8, 512)
    start = np.stack([np.cumsum(degree) - degree, degree], axis=1).astype(np.int32)
    flags = rng.integers(0, 2, (2, 512)).astype(np.uint8)
    edges = ints(int(degree.sum()), 512)
    halves = np.sort(ints(256).reshape(2, -1))
    words = ints(2048, 1 << 20).astype(np.uint32)
    return {
        "bitonic_sort": ((ints(256), 256), (1, 1), (256, 1)),
        "bitonic_pairs": ((ints(512), ints(512), 512), (1, 1), (512, 1)),
        "merge_sort": ((halves.reshape(-1), ints(256), 256), (1, 1), (256, 1)),
        "histogram": ((words, np.zeros(64 * 64, np.uint32), 2048), (1, 1), (64, 1)),
        "bfs": ((start.reshape(-1), edges, flags[0], flags[1], ints(512), 512), (4, 1), (128, 1)),
        "scan_naive": ((floats(1024), floats(1024), floats(1024), 1024), (1, 1), (1024, 1)),
        "scan_w": ((floats(512), floats(512), 512), (1, 1), (256, 1)),
        "scan_b": ((floats(1024), floats(1100), 1024), (1, 1), (512, 1)),
        "transpose_naive": ((floats(4096), floats(4096), 64), (2, 1), (32, 16)),
        "matmult": ((floats(256), floats(256), floats(256), 16), (1, 1), (16, 16)),
        "fast_walsh": ((floats(2048), 2048), (1, 1), (1024, 1)),
    }  # fmt: skip


def subject(name: str, seed: int) -> Subject:
    """A kernel and its launch. The sizes stay, for they are the launch's."""
    kernel = perflint.load(_FILE)[name]
    values, grid, block = launches(seed)[name]
    given = tuple(
        ArrayInput(p.name, v) if isinstance(v, np.ndarray) else ScalarInput(p.name, v, free=False)
        for p, v in zip(kernel.parameters, values, strict=True)
    )
    module, entry = kernel.compiled("sm_80")
    return Subject(module, entry, (*grid, 1), (*block, 1), given)


@dataclass(frozen=True)
class Row:
    """One strategy on one kernel."""

    runs: int
    executions: int
    issues: int
    half: int  #: runs after which half of the issues were there
    share: float  #: geometric mean of O/E
    worst: int
    coverage: float
    paths: int
    overheads: frozenset[int]  #: of all executions


def row(found: Exploration) -> Row:
    """What an exploration comes to."""
    hurting = [s.interference for s in found.states if s.interference.overhead > 0]
    seen: set[tuple[int, int]] = set()
    growth = []
    for state in found.states:
        seen |= set(state.interference.sites)
        growth.append(len(seen))
    half = next((n + 1 for n, g in enumerate(growth) if 2 * g >= len(seen)), 0)
    mean = math.exp(sum(math.log(i.share) for i in hurting) / len(hurting)) if hurting else 0.0
    worst = max((i.overhead for i in hurting), default=0)
    paths = len({s.omega for s in found.states})
    overheads = frozenset(s.interference.overhead for s in found.states)
    runs = len(found.states)
    return Row(
        runs, len(hurting), len(seen), half, mean, worst, found.references.share, paths, overheads
    )


def why(rows: Mapping[str, Sequence[Row]]) -> str:
    """Whether guided testing wins on a kernel, by its rows of each strategy, and why not."""
    share = {s: round(sum(r.share for r in each) / len(each), 3) for s, each in rows.items()}
    worst = {s: max(r.worst for r in each) for s, each in rows.items()}
    others = [s for s in STRATEGIES if s != "guided"]
    if share["guided"] > max(share[s] for s in others):
        return "guided wins"
    if len(frozenset[int]().union(*(r.overheads for each in rows.values() for r in each))) == 1:
        return "no input and no order of warps changes the interference"
    if max(r.paths for r in rows["symbolic"]) == 1 and max(r.runs for r in rows["guided"]) == 1:
        return "no way hangs on the input, so that there is one state; only orders differ"
    if share["guided"] == max(share.values()) and worst["guided"] >= max(worst.values()):
        return "a draw"
    best = max(others, key=lambda s: share[s])
    return f"{best} testing wins" + (
        ", though guided has the worst execution" if worst["guided"] >= max(worst.values()) else ""
    )


#: What the paper's Table 3 changes of a kernel: the array that is moved, in steps of bytes, and
#: what is locked. It moves arrays to other cache sets, and of BFS to other memory banks.
CACHE, BANK = 64, 8192
REFACTORED: dict[str, tuple[str, int, dict[str, int]]] = {
    "fast_walsh": ("", 0, {"data": 4096}),
    "transpose_naive": ("out", CACHE, {}),
    "scan_w": ("a", CACHE, {}),
    "matmult": ("b", CACHE, {"b": 1024}),
    "bfs": ("cost", BANK, {}),
}
PLACES = 8  #: of an array that are tried: all of a cache's sets in steps, or all banks twice


def larger(name: str) -> Subject:
    """A kernel with data that the cache does not hold, or just does; arrays begin in one set."""
    rng = np.random.default_rng(0)
    kernel = perflint.load(_FILE)[name]
    module, entry = kernel.compiled("sm_80")
    paged = Placement("paged")
    if name == "fast_walsh":
        data = rng.random(2048).astype(np.float32)
        given = (ArrayInput("data", data), ScalarInput("n", 2048, free=False))
        return Subject(module, entry, (1, 1, 1), (1024, 1, 1), given, placement=paged)
    if name == "transpose_naive":
        one, other = (rng.random(1024).astype(np.float32) for _ in range(2))
        arrays = ArrayInput("in", one), ArrayInput("out", other)
        size = ScalarInput("n", 32, free=False)
        return Subject(module, entry, (1, 1, 1), (32, 16, 1), (*arrays, size), placement=paged)
    return replace(subject(name, 0), placement=paged)


def refactored(name: str, states: int) -> None:
    """Print a kernel's row of Table 3."""
    original = larger(name)
    worst = explore(original, Options(states=states)).ranked[0]
    given = tuple(
        replace(a, data=worst.values.arrays[a.name]) if isinstance(a, ArrayInput) else a
        for a in original.arguments
    )
    original = replace(original, arguments=given)
    array, step, locked = REFACTORED[name]
    before = _measured(original)
    changes = {}
    if array:
        region = 1 + [a.name for a in given if isinstance(a, ArrayInput)].index(array)
        places = [Placement(moved=((region, step * k),)) for k in range(PLACES)]
        changes["layout"] = [replace(original, placement=each) for each in places]
    if locked:
        kept = [replace(each, locked=locked) for each in changes.get("layout", [original])]
        changes["layout, locked" if array else "locked"] = kept
    print(f"{name:16} {'original':15} {before.execution:8} {before.overhead:8}")
    for what, subjects in changes.items():
        after = min(map(_measured, subjects), key=lambda i: i.execution)
        left = after.overhead / before.overhead if before.overhead else 0.0
        print(
            f"{'':16} {what:15} {after.execution:8} {after.overhead:8} {left:9.1%} "
            f"{after.execution / before.execution - 1:+8.1%}",
            flush=True,
        )


def _measured(of: Subject) -> Interference:
    """A kernel's interference with the launch's own input, under the schedule made for it."""
    return explore(of, Options(states=1)).states[0].interference


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--states", type=int, default=12)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--refactored", action="store_true", help="Table 3")
    options = parser.parse_args()
    if options.refactored:
        print(f"{'kernel':16} {'':15} {'E':>8} {'O':>8} {'O left':>9} {'E':>8}")
        for name in options.kernels or REFACTORED:
            refactored(name, options.states)
        return
    head = ("runs", "O > 0", "issues", "half", "O/E", "worst O", "coverage")
    columns = "{:>4} {:>6} {:>6} {:>5} {:>6} {:>8} {:>8}".format(*head)
    print(f"{'kernel':16} {'strategy':9} {columns}")
    for name in options.kernels or launches(0):
        found: dict[str, list[Row]] = {}
        for strategy in STRATEGIES:
            rows = []
            for seed in range(options.seeds):
                limits = Options(
                    seed=seed, states=options.states, strategy=strategy, tries=2, prefixes=8
                )
                rows.append(row(explore(subject(name, seed), limits)))
            n, found[strategy] = len(rows), rows
            print(
                f"{name:16} {strategy:9} {sum(r.runs for r in rows) / n:4.0f} "
                f"{sum(r.executions for r in rows) / n:6.1f} "
                f"{sum(r.issues for r in rows) / n:6.1f} {sum(r.half for r in rows) / n:5.1f} "
                f"{sum(r.share for r in rows) / n:6.3f} {max(r.worst for r in rows):8d} "
                f"{sum(r.coverage for r in rows) / n:8.1%}",
                flush=True,
            )
        print(f"{name:16} {why(found)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
