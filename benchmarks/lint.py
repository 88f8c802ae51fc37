"""What a lint run costs beside the compiler: per file and stage, as multiples of the compile time.

    python benchmarks/lint.py DIR… [--slow 10] [--slices]

Own time is processor time of this process, one file after the other; the compile's is the warm
worker's processor time (on Linux, to 10 ms; elsewhere the time that it takes). Printed are the
stages' shares, median and 90th percentile of own time over compile time, the slowest files, the
peak memory, the start-up, and a second run over the same files from the cache.
With `--slices` the traces of every kernel are compared with and without the slice instead.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from perflint import check_kernel, filecheck, trials
from perflint.discovery import discover
from perflint.frontend.nvrtc.pool import Pool, shared_pool
from perflint.options import CheckOptions
from perflint.pipeline import check
from perflint.rulebook import rules

#: Functions whose time is a stage's: those that call one another count once, in the outer one.
STAGES: tuple[tuple[str, Any, str], ...] = (
    ("front end", filecheck, "compile_unit"),
    ("parse", filecheck, "parse"),
    ("analysis", check_kernel, "analyse"),
    ("simulation", trials, "simulate"),
    ("judging", check_kernel, "_judge"),
)


@dataclass
class Clock:
    """Processor seconds by stage, and what the compiler took."""

    stages: Counter[str] = field(default_factory=Counter)
    compiling: float = 0.0
    _inside: list[str] = field(default_factory=list)

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its time counted, less that of other stages inside of it."""

        def run(*arguments: Any, **options: Any) -> Any:
            start = time.process_time()
            before = self.stages.total()
            try:
                return function(*arguments, **options)
            finally:
                inner = self.stages.total() - before
                self.stages[name] += time.process_time() - start - inner

        return run


@contextmanager
def measuring(clock: Clock) -> Iterator[None]:
    """Count the time of each stage, and of the compile worker."""
    kept = [(module, name, getattr(module, name)) for _, module, name in STAGES]
    compile_job = Pool._compile

    def compiled(pool: Pool, job: Any) -> Any:
        start, before = time.perf_counter(), _worker_seconds(pool)
        try:
            return compile_job(pool, job)
        finally:
            after = _worker_seconds(pool)
            known = before is not None and after is not None and after > before
            clock.compiling += after - before if known else time.perf_counter() - start

    for stage, module, name in STAGES:
        setattr(module, name, clock.timed(stage, getattr(module, name)))
    Pool._compile = compiled  # type: ignore[method-assign]
    try:
        yield
    finally:
        Pool._compile = compile_job  # type: ignore[method-assign]
        for module, name, function in kept:
            setattr(module, name, function)


def _worker_seconds(pool: Pool) -> float | None:
    """Processor seconds of a pool's workers so far (proc(5), stat); None where that is unknown."""
    total = 0
    try:
        for pid in pool.workers():
            stat = (
                Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
            )
            total += int(stat[11]) + int(stat[12])
        return total / os.sysconf("SC_CLK_TCK") if total else None
    except (OSError, ValueError, IndexError):
        return None


@dataclass(frozen=True)
class Measured:
    """One file."""

    path: Path
    own: float
    clock: Clock

    @property
    def ratio(self) -> float:
        """Own time over compile time."""
        return self.own / max(self.clock.compiling, 1e-3)


def measure(files: Sequence[Path], options: CheckOptions) -> list[Measured]:
    """Each file by itself, the compiler and everything that is imported warm."""
    check(files[:1], options)
    found = []
    for path in files:
        clock = Clock()
        shared_pool()._outcomes.clear()  # each file is compiled, also what another includes
        with measuring(clock):
            start = time.process_time()
            check([path], options)
            found.append(Measured(path, time.process_time() - start, clock))
    return found


def report(name: str, measured: Sequence[Measured], slow: int) -> None:
    compiled = [m for m in measured if m.clock.compiling]
    if not compiled:
        print(f"{name}: nothing was compiled")
        return
    ratios = sorted(m.ratio for m in compiled)
    own, compiling = sum(m.own for m in compiled), sum(m.clock.compiling for m in compiled)
    print(f"{name}: {len(compiled)} files, own {own:.1f} s, NVRTC {compiling:.1f} s")
    print(
        f"  own / NVRTC: median {statistics.median(ratios):.2f}, "
        f"p90 {ratios[int(0.9 * (len(ratios) - 1))]:.2f}, largest {ratios[-1]:.2f}"
    )
    stages = sum((m.clock.stages for m in compiled), Counter())
    stages["rest"] = own - stages.total()
    print("  " + ", ".join(f"{k} {v / own:.0%}" for k, v in stages.most_common()))
    for m in sorted(compiled, key=lambda m: -m.own)[:slow]:
        top = ", ".join(f"{k} {v:.2f}" for k, v in m.clock.stages.most_common(3))
        print(f"  {m.own:6.2f} s  {m.ratio:6.1f}  {m.path.name}: {top}")


def start_up() -> None:
    """Processor seconds of short commands, Python's own included."""
    for arguments in (["--version"], ["rule", "CU101"]):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "perflint", *arguments], capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"perflint {' '.join(arguments)}: {spent:.2f} s")


def second_run(files: Sequence[Path], options: CheckOptions) -> None:
    """A run that keeps its results, and one that finds them."""
    with tempfile.TemporaryDirectory() as store:
        spent = []
        for _ in range(2):
            start = time.process_time()
            check(files, replace(options, cache=Path(store)))
            spent.append(time.process_time() - start)
        print(f"  second run: {spent[1]:.2f} s, {spent[0] / spent[1]:.0f} times faster")


def compare_slices(folder: Path) -> int:
    """Kernels whose traces differ with the slice; printed."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.sim.traces import experiments, unlike

    runs = wrong = 0
    for path in sorted(folder.rglob("*.cu")):
        for name, facts, condition in experiments(path, folder):
            runs += 1
            if said := unlike(facts, condition):
                wrong += 1
                print(f"{name}: {said}")
    print(f"{folder.name}: {runs} runs, {wrong} of which differ when cut")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--slow", type=int, default=5, help="slowest files listed")
    parser.add_argument("--slices", action="store_true", help="compare traces instead")
    given = parser.parse_args()
    if given.slices:
        return min(1, sum(map(compare_slices, given.folders)))
    start_up()
    for folder in given.folders:
        files = discover([folder]).files
        options = CheckOptions(rules=frozenset(rules()), root=folder)
        report(folder.name, measure(files, options), given.slow)
        second_run(files, options)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process: {peak:.0f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
