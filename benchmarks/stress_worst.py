"""How near `perflint stress` comes to worst inputs that are known, and in how many tries.

For each kernel of tests/stress/kernels whose optimum is known: what the search found of it, the
tries to 90% of it, and what as many random inputs and as many runs of symbolic testing (states of
Algorithm 1 in any order, of the first warps) come to at best. `--seeds N` makes several searches,
of which the middle is shown.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from perflint.cli.settings import Source
from perflint.cli.table_options import LINE
from perflint.lint.options import CheckOptions
from perflint.profile.arguments import parse
from perflint.stress.generator_text import parse as generator
from perflint.stress.guided import Options, explore
from perflint.stress.interference import first_input, subject_of
from perflint.stress.kernels import chosen, kernels_of
from perflint.stress.launches import target_of
from perflint.stress.merging import worst_merge
from perflint.stress.run import Request, search_of
from perflint.stress.search import Search
from perflint.stress.target import Target
from perflint.stress.trial import Limits, Outcome, of_arrays, tried

KERNELS = Path(__file__).parents[1] / "tests" / "stress" / "kernels" / "worst.cu"
BFS = Path(__file__).parents[1] / "examples" / "bfs.cu"
TRIES = 400


@dataclass(frozen=True)
class Known:
    """A kernel and the worst that any input can do to it."""

    name: str
    file: Path
    kernel: str
    launch: str  #: "" as the host code has it
    objective: str
    optimum: float | Callable[[Target], float]
    why: str
    assume: tuple[str, ...] = ()


#: One row has all entries, or one of each warp has: the loop turns for one lane at a time.
_ROWS = ("rows(4096, at(0, 1, 0))", "rows(4096, every(32, 1, 0))")


def _rows(target: Target, array: str, others: Mapping[str, str]) -> float:
    """The worse of both."""
    inputs = [{n: generator(t) for n, t in {**others, array: rows}.items()} for rows in _ROWS]
    return max(_mean(tried(target, each, Limits())) for each in inputs)


def _star(target: Target) -> float:
    others = {"neighbour": "i mod 1024", "frontier": "1", "cost": "-1"}
    return _rows(target, "first_edge", others)


def _one_row(target: Target) -> float:
    return _rows(target, "first", {})


def _probing(target: Target) -> float:
    """128 keys of one slot: the last one walks past 127 others, a warp as far as its last lane."""
    keys, slot = [], {}
    for key in range(1 << 21):
        at = (key + 1) * 2654435761 % (1 << 32) >> 22
        slot.setdefault(at, []).append(key)
        if len(slot[at]) == 128:
            keys = slot[at]
            break
    arrays = {**target.arrays({}), "keys": np.array(keys, np.uint32)}
    return _mean(of_arrays(target, arrays, Limits()))


def _mean(outcome: Outcome) -> float:
    assert not outcome.wrong, outcome.wrong
    return next(f.mean for key, f in outcome.figures.items() if key[0] == "instructions")


def _merging(target: Target) -> float:
    a, b = (each.astype(np.int32) for each in worst_merge(15, 480))
    outcome = of_arrays(target, {**target.arrays({}), "a": a, "b": b}, Limits())
    assert not outcome.wrong, outcome.wrong
    return _most(outcome.figures, "conflicts")


CASES = (
    Known("histogram into one bin", KERNELS, "histogram",
          "<<<16,256>>>(data=random:u32[4096], bins=zeros:u32[256], n=4096)",
          "atomics", 32.0, "32 lanes at one address"),
    Known("hash, one slot", KERNELS, "count_keys",
          "<<<16,256>>>(keys=random:u32[4096], table=zeros:u32[1024], n=4096)",
          "atomics", 32.0, "32 lanes at one address"),
    Known("hash, probing", KERNELS, "insert",
          "<<<1,128>>>(keys=random:u32[128], table=zeros:u32[1024], n=128)",
          "instructions", _probing, "128 different keys of one slot"),
    Known("bank conflicts", KERNELS, "gather_shared",
          "<<<4,256>>>(index=random:s32[1024], out=zeros:f32[1024], n=1024)",
          "conflicts", 32.0, "32 words of one bank"),
    Known("scattered loads", KERNELS, "gather_global",
          "<<<16,256>>>(index=random:s32[4096], in=ones:f32[512], out=zeros:f32[4096], n=4096)",
          "sectors", 32.0, "32 sectors"),
    Known("behind a condition", KERNELS, "guarded",
          "<<<2,256>>>(tag=random:s32[512], index=random:s32[512], in=ones:f32[4096], "
          "out=zeros:f32[512], n=512)", "sectors", 32.0, "32 sectors"),
    Known("behind two values", KERNELS, "locked",
          "<<<2,256>>>(a=random:s32[512], b=random:s32[512], in=ones:f32[4096], "
          "out=zeros:f32[512], n=512)", "sectors", 32.0, "32 sectors"),
    Known("one row of all entries", KERNELS, "multiply_rows",
          "<<<2,256>>>(first=random:s32[513], value=ones:f32[4096], sum=zeros:f32[512], rows=512)",
          "instructions", _one_row, "one row has all entries"),
    Known("merge of sorted lists", KERNELS, "merge_lists",
          "<<<1,64>>>(a=random:s32[480], b=random:s32[480], out=zeros:s32[960])",
          "conflicts", _merging, "Berney and Sitchinava's permutation",
          ("a[i] <= a[i + 1]", "b[i] <= b[i + 1]")),
    Known("star graph in BFS", BFS, "visit", "", "instructions", _star, "one node has all edges"),
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """What came of one search."""

    found: float
    optimum: float
    tries: int  #: of the search
    first: int | None  #: the try that came to 90% of the optimum
    random: float  #: the best of as many random inputs
    symbolic: float  #: and of symbolic testing
    strategy: str
    seconds: float


def row(case: Known, seed: int) -> Row:
    """Search, and try as many random inputs."""
    subjects, _ = kernels_of(case.file, CheckOptions(rules=frozenset(), arch=("sm_80",)))
    launch = parse(case.launch) if case.launch else None
    target = target_of(chosen(subjects, case.kernel), launch)
    optimum = case.optimum(target) if callable(case.optimum) else case.optimum
    asked = Request(
        case.file, None, None, (case.objective,), 1e6, seed, TRIES, case.assume, None, "text", None,
        Source(LINE, {}),
    )  # fmt: skip
    reached: list[int] = []
    begin = time.perf_counter()
    search = search_of(target, asked, 1, time.monotonic() + 1e6, watched(case, optimum, reached))
    seconds = time.perf_counter() - begin
    key = max(
        (k for k in search.best if k[0] == case.objective),
        key=lambda k: search.best[k].figure.mean,
    )
    best = search.best[key]
    first = reached[0] if reached else None
    return Row(
        best.figure.mean, optimum, search.tries, first, _random(search, case.objective),
        _symbolic(search, case.objective), best.strategy, seconds,
    )  # fmt: skip


def watched(case: Known, optimum: float, reached: list[int]) -> Callable[[int, Outcome], None]:
    """Notes the first try that comes to 90% of the optimum."""

    def watch(number: int, outcome: Outcome) -> None:
        if not reached and _most(outcome.figures, case.objective) >= 0.9 * optimum:
            reached.append(number)

    return watch


def _most(figures: Mapping, objective: str) -> float:
    return max((f.mean for k, f in figures.items() if k[0] == objective), default=0.0)


def _random(search: Search, objective: str) -> float:
    """The worst of as many random inputs as the search has tried."""
    inputs = (search.mended(search.randomly(n)) for n in range(search.tries))
    outcomes = (tried(search.target, each, Limits()) for each in inputs)
    return max(_most(o.figures, objective) for o in outcomes)


def _symbolic(search: Search, objective: str) -> float:
    """The worst of as many inputs that negated path conditions lead to, all arrays free."""
    target = search.target
    arrays = target.arrays(first_input(search))
    subject = subject_of(target, arrays, {d.slot.name: d for d in search.domains})
    options = Options(
        seed=search.seed, states=search.tries, strategy="symbolic", most_warps=8,
        run_instructions=20_000,
    )  # fmt: skip
    inputs = ({**arrays, **state.values.arrays} for state in explore(subject, options).states)
    outcomes = (of_arrays(target, each, Limits()) for each in inputs)
    return max(_most(o.figures, objective) for o in outcomes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="their kernels; all if none is named")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    seeds = options.seeds
    print("| known worst case | found | optimum | ratio | to 90% | tries | random | symbolic |")
    print("|---|---|---|---|---|---|---|---|")
    for case in (c for c in CASES if not options.cases or c.kernel in options.cases):
        rows = sorted((row(case, seed) for seed in range(seeds)), key=lambda r: r.found / r.optimum)
        middle = rows[len(rows) // 2]
        firsts = [r.first for r in rows if r.first is not None]
        first = f"{median(firsts):.0f}" if len(firsts) > len(rows) // 2 else "never"
        print(
            f"| {case.name}: {case.why} | {middle.found:,.1f} ({middle.strategy}) | "
            f"{middle.optimum:,.1f} | {100 * middle.found / middle.optimum:.0f}% | {first} | "
            f"{middle.tries} | {middle.random:,.1f} "
            f"({100 * middle.random / middle.optimum:.0f}%) | {middle.symbolic:,.1f} "
            f"({100 * middle.symbolic / middle.optimum:.0f}%) |",
            flush=True,
        )


if __name__ == "__main__":
    main()
