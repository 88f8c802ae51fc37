"""What a lint run costs beside the compiler: per file and stage, as multiples of the compile time.

    python benchmarks/lint.py DIR… [--slow 10] [--most 20]

Own time is processor time, one file after the other in this process, everything imported and the
compiler warm; the compile's is the worker's processor time (on Linux, to 10 ms; elsewhere the time
that it takes). Printed are median, 90th percentile and largest of own time over compile time, with
and without variants and cache replays, the stages' shares, the slowest files,
the memory, the start-up, and a first and a second run of the command over the same files, with a
cache of their own.
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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perflint.base import bounds
from perflint.cli.discovery import discover
from perflint.frontend.nvrtc.pool import Pool, shared_pool
from perflint.lint import check_kernel, opened, told_arrays, trials
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import rules
from perflint.lint.variants import Laboratory
from perflint.rules.protocol import VariantResult
from perflint.work import filecheck, parallel, pipeline

SMALL = Path(__file__).parents[1] / "examples" / "transpose.cu"

#: What rules do beyond one run of a kernel, under a budget of their own: other launches, edited and
#: compiled again; one multiprocessor's caches replayed.
APART = ("variants", "multiprocessor", "CU3xx")


def _scope(program: Any, plan: Any, scope: str, *_: Any) -> str:
    return scope


def _replays(rule: Any, *_: Any) -> str:
    return "CU3xx" if rule.RULE.scope == "multiprocessor" else "judging"


#: Functions whose time is a stage's: of one called in another the time counts once, as its own. Of
#: those that serve several stages, what tells by their arguments.
STAGES: tuple[tuple[str | Callable[..., str], Any, str], ...] = (
    ("source facts", pipeline, "read_facts"),
    ("front end", filecheck, "compile_unit"),
    ("front end", pipeline, "compile_unit"),
    ("parse", opened, "parse"),
    ("analysis", told_arrays, "analyse"),
    (_scope, check_kernel, "run_plan"),
    ("variants", Laboratory, "run"),
    ("variants", VariantResult, "beside"),
    ("variants", trials, "_outputs"),
    (_replays, check_kernel, "_judge"),
)


@dataclass
class Clock:
    """Processor seconds by stage, and what the compiler took."""

    stages: Counter[str] = field(default_factory=Counter)
    compiling: float = 0.0

    def timed(
        self, name: str | Callable[..., str], function: Callable[..., Any]
    ) -> Callable[..., Any]:
        """The function with its time counted, less that of other stages inside of it."""

        def run(*arguments: Any, **options: Any) -> Any:
            start, before = time.process_time(), self.stages.total()
            try:
                return function(*arguments, **options)
            finally:
                inner = self.stages.total() - before
                stage = name if isinstance(name, str) else name(*arguments)
                self.stages[stage] += time.process_time() - start - inner

        return run


@contextmanager
def measuring(clock: Clock) -> Iterator[None]:
    """Count the time of each stage, and of the compile worker."""
    kept = [(module, name, getattr(module, name)) for _, module, name in STAGES]
    compile_job = Pool._compile

    def compiled(pool: Pool, job: Any) -> Any:
        start, before = time.perf_counter(), worker_seconds(pool)
        try:
            return compile_job(pool, job)
        finally:
            after = worker_seconds(pool)
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


def worker_seconds(pool: Pool) -> float | None:
    """Processor seconds of a pool's workers so far (proc(5), stat); None where that is unknown."""
    total = 0
    try:
        for pid in pool.workers():
            stat = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
            fields = stat.rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
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

    @property
    def plain(self) -> float:
        """The same without what counts apart."""
        apart = sum(self.clock.stages[name] for name in APART)
        return (self.own - apart) / max(self.clock.compiling, 1e-3)


def measure(files: Sequence[Path], options: CheckOptions) -> list[Measured]:
    """Each file by itself, here and now."""
    parallel.FORKS = False
    pipeline.check(files[:1], options)
    found = []
    for path in files:
        clock = Clock()
        shared_pool()._outcomes.clear()  # what another file includes is compiled again
        with measuring(clock):
            start = time.process_time()
            pipeline.check([path], options)
            found.append(Measured(path, time.process_time() - start, clock))
    return found


def report(name: str, measured: Sequence[Measured], slow: int) -> None:
    """Print what was measured of one folder."""
    compiled = [m for m in measured if m.clock.compiling]
    if not compiled:
        print(f"{name}: nothing was compiled")
        return
    own, compiling = sum(m.own for m in compiled), sum(m.clock.compiling for m in compiled)
    print(f"{name}: {len(compiled)} files, own {own:.1f} s, NVRTC {compiling:.1f} s")
    for what, ratios in (
        ("all", sorted(m.ratio for m in compiled)),
        (f"without {', '.join(APART)}", sorted(m.plain for m in compiled)),
    ):
        print(
            f"  own / NVRTC, {what}: median {statistics.median(ratios):.2f}, "
            f"p90 {ratios[int(0.9 * (len(ratios) - 1))]:.2f}, largest {ratios[-1]:.2f}"
        )
    stages: Counter[str] = sum((m.clock.stages for m in compiled), Counter())
    stages["rest"] = own - stages.total()
    print("  " + ", ".join(f"{k} {v / own:.0%}" for k, v in stages.most_common()))
    for m in sorted(compiled, key=lambda m: -m.own)[:slow]:
        top = ", ".join(f"{k} {v:.2f}" for k, v in m.clock.stages.most_common(3))
        print(f"  {m.own:6.2f} s  {m.ratio:6.1f}  {m.path.name}: {top}")


def command(
    *arguments: str, here: Path | None = None, **environment: str
) -> tuple[float, float, bytes]:
    """Seconds on the clock and of processors that a command takes, and what it prints."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.run(
        [sys.executable, "-m", "perflint", *arguments],
        cwd=here,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **environment},  # as it is installed
    )
    elapsed, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return elapsed, spent, process.stdout


def start_up() -> None:
    """Short commands, Python's own start included, and one small file; the best of five."""
    for arguments in (("--version",), ("rule", "CU101"), ("--no-cache", SMALL.name)):
        elapsed, spent, _ = min(command(*arguments, here=SMALL.parent) for _ in range(5))
        print(f"perflint {' '.join(arguments)}: {elapsed:.2f} s, of a processor {spent:.2f} s")


def second_run(files: Sequence[Path], here: Path) -> None:
    """The command over files, and again: what is kept is found, and no byte differs."""
    with tempfile.TemporaryDirectory() as folder:
        names = ["--isolated", "--output-format", "json", *map(str, files)]
        first = command(*names, here=here, PERFLINT_CACHE_DIR=folder)
        second = min(command(*names, here=here, PERFLINT_CACHE_DIR=folder) for _ in range(3))
    same = "the same bytes" if first[2] == second[2] else "OTHER BYTES"
    print(
        f"  first run {first[0]:.2f} s (processors {first[1]:.2f}), second {second[0]:.2f} s "
        f"({second[1]:.2f}): {first[0] / second[0]:.0f} times faster, {same}"
    )


def main() -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, help="folders with CUDA or PTX files")
    parser.add_argument("--slow", type=int, default=5, help="slowest files listed  [5]")
    parser.add_argument("--most", type=int, help="files taken of each folder, evenly spread  [all]")
    parser.add_argument(
        "--only", choices=("start-up", "files", "second"), help="one part of it  [all]"
    )
    given = parser.parse_args()
    if given.only in (None, "start-up"):
        start_up()
    for folder in given.folders:
        folder = folder.resolve()  # the working directory: headers are looked for below it
        files = discover([folder]).files
        if given.most:
            files = files[:: max(1, -(-len(files) // given.most))]
        if not files:
            print(f"{folder}: no files to check")
            continue
        if given.only in (None, "files"):
            bound = bounds.around([folder])
            # edits that may mend are tried where somebody sees them, which a plain run does not
            options = CheckOptions(rules=frozenset(rules()), root=folder, bound=bound, fixes=False)
            report(folder.name, measure(files, options), given.slow)
        if given.only in (None, "second"):
            second_run(files, folder)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory: {own:.0f} MiB here, {shared_pool().peak_bytes / 2**20:.0f} MiB the compiler")
    return 0


if __name__ == "__main__":
    sys.exit(main())
