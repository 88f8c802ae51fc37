"""How much of a checkout the front end compiles: `python benchmarks/frontend.py DIR…`.

Prints files with kernels, kernels defined, compiled exactly as written, compiled with help and
with which, lost by cause, valid files that were blamed (CU001), launches whose block size was read,
the compiler's calls and time a file, and a worker's peak memory. Kernels under an `#if` that is off
are counted apart, as are those whose headers are not there.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from perflint import frontend
from perflint.cli.discovery import discover
from perflint.frontend.model import Compilation
from perflint.frontend.nvrtc.library import Job, Outcome
from perflint.frontend.source.language.model import SourceFacts

#: Lost kernels listed of each cause unless all are asked for.
SHOWN = 5


class CountingPool(frontend.Pool):
    """A pool that counts the calls of the compiler."""

    calls = 0

    def _compile(self, job: Job) -> Outcome:
        self.calls += 1
        return super()._compile(job)


@dataclass(frozen=True)
class Measured:
    """One file."""

    path: Path
    compilation: Compilation
    seconds: float
    calls: int  #: of the compiler

    @property
    def facts(self) -> SourceFacts | None:
        """The facts of the file itself."""
        real = self.path.resolve()
        return next((f for p, f in self.compilation.facts.items() if p.resolve() == real), None)


def measure(root: Path, files: Sequence[Path], pool: CountingPool) -> Iterator[Measured]:
    """Compile each file once, warm."""
    for path in files:
        start, calls = time.perf_counter(), pool.calls
        compilation = frontend.compile_file(path, root=root, pool=pool)
        yield Measured(path, compilation, time.perf_counter() - start, pool.calls - calls)


#: What may have to be assumed, by the words of the remark that says so.
HELPS = {
    "guessed macros": "is defined nowhere",
    "blanked device helpers": "was left out: ",
    "host functions as device code": "taken for device code",
    "macros of the build": "is taken to be",
}
TEMPLATES = "default template arguments"

#: Why kernels are lost, by the words of the reason; the first that is found counts.
CAUSES = {
    "off": "which is off here",
    "headers not there": "headers not found",
    "needs what was lost": "^it needs `",
    "compiler crashed": "the compiler crashed",
    "too slow": "within .* s$|CPU time|rounds|was stopped",
    "no memory": "lack of memory",
    "template arguments": "no launch gives its template|as it is launched",
    "no code": "made no code",
    "refused": "is not read|was not compiled",
    "blamed": "an error of the user's",
}
OTHER = "does not compile"
ABSENT = "headers not there"


def helps(compilation: Compilation, kernel: str) -> set[str]:
    """What had to be assumed for a kernel, or for its whole file."""
    origins = [o for o in compilation.entries.values() if o.kernel == kernel]
    remarks = [r for r in compilation.remarks if "header" not in r]
    found = {name for name, words in HELPS.items() if any(words in r for r in remarks)}
    return found | ({TEMPLATES} if origins and all(o.assumed for o in origins) else set())


@dataclass(frozen=True)
class Fate:
    """What became of one kernel definition."""

    path: str
    name: str
    compiled: bool
    helps: tuple[str, ...] = ()
    reason: str = ""  #: why it was lost
    launch: bool = False  #: a block size was read from the source

    @property
    def cause(self) -> str:
        """Which of `CAUSES` it was lost by; "" if it was not."""
        if self.compiled:
            return ""
        return next((c for c, words in CAUSES.items() if re.search(words, self.reason)), OTHER)


def fates(measured: Measured) -> Iterator[Fate]:
    """The kernels that a file defines."""
    compilation = measured.compilation
    present = {o.kernel for o in compilation.entries.values()}
    reasons = {k.name: k.reason for k in compilation.lost}
    sites = [s for f in compilation.facts.values() for s in f.launches]
    read = {s.kernel for s in sites if s.block.value}
    blamed = any(e.genuine for e in compilation.errors)
    otherwise = "an error of the user's in it" if blamed else _failure(compilation)
    for name in sorted({k.name for k in measured.facts.kernels} if measured.facts else ()):
        assumed = tuple(sorted(helps(compilation, name))) if name in present else ()
        reason = "" if name in present else reasons.get(name, otherwise)
        yield Fate(str(measured.path), name, name in present, assumed, reason, name in read)


def _failure(compilation: Compilation) -> str:
    return next((e.message for e in compilation.errors), "nothing says why")


@dataclass(frozen=True)
class Row:
    """What is kept of one file."""

    path: str
    seconds: float
    calls: int
    kernels: tuple[Fate, ...]
    blamed: tuple[str, ...]  #: errors that are called the user's


def row_of(measured: Measured) -> Row:
    """A file's row."""
    errors = [e for e in measured.compilation.errors if e.genuine]
    told = tuple(f"{e.path}:{e.line}:{e.column}: {e.message}" for e in errors)
    return Row(str(measured.path), measured.seconds, measured.calls, tuple(fates(measured)), told)


def report(rows: Sequence[Row], peak: int, show: bool) -> None:
    """Print the table."""
    found = [f for r in rows for f in r.kernels]
    off = [f for f in found if f.cause == "off"]
    absent = [f for f in found if f.cause == ABSENT]
    kernels = [f for f in found if f.cause not in {"off", ABSENT}]
    compiled = [f for f in kernels if f.compiled]
    with_kernels = [r for r in rows if r.kernels]
    by_help = Counter(h for f in compiled for h in f.helps)

    def row(title: str, count: int) -> None:
        print(f"{title:<36}{count:5d}  {100 * count / max(1, len(kernels)):5.1f} %")

    print(f"{'files with kernels':<36}{len(with_kernels):5d}  of {len(rows)}")
    print(
        f"{'kernels whose headers are there':<36}{len(kernels):5d}  (and {len(absent)} whose are "
        f"not, {len(off)} under an #if that is off)"
    )
    row("compiled", len(compiled))
    row("  exactly as written", sum(not f.helps for f in compiled))
    row("  with help", sum(bool(f.helps) for f in compiled))
    for name in (TEMPLATES, *HELPS):
        row(f"    {name}", by_help[name])
    row("lost", len(kernels) - len(compiled))
    row("launch read (block size)", sum(f.launch for f in kernels))
    print(f"{'files blamed (CU001)':<36}{sum(bool(r.blamed) for r in rows):5d}")
    times, calls = (
        sorted(getattr(r, n) for r in with_kernels) or [0] for n in ("seconds", "calls")
    )
    print(
        f"time a file: median {statistics.median(times) * 1e3:.0f} ms, "
        f"p90 {times[int(0.9 * (len(times) - 1))] * 1e3:.0f} ms, max {times[-1]:.2f} s"
    )
    print(
        f"compiler calls a file: median {statistics.median(calls):g}, "
        f"p90 {calls[int(0.9 * (len(calls) - 1))]}, most {calls[-1]}"
    )
    print(f"peak memory of a worker: {peak / 2**20:.0f} MiB")
    _losses(found, show)
    for error in (e for r in rows for e in r.blamed):
        print(f"error: {error}")
    if show:
        print("slowest:")
        for r in sorted(with_kernels, key=lambda r: -r.seconds)[:8]:
            print(f"  {r.seconds:6.2f} s, {r.calls} calls  {r.path}")


def _losses(found: Sequence[Fate], show: bool) -> None:
    for cause, count in Counter(f.cause for f in found if f.cause).most_common():
        print(f"lost, {cause}: {count}")
        group = [f for f in found if f.cause == cause]
        for fate in group if show else group[:SHOWN]:
            print(f"  {fate.path}: {fate.name}: {fate.reason}")
        if len(group) > SHOWN and not show:
            print(f"  and {len(group) - SHOWN} more (--all)")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--all", action="store_true", help="all that was lost; the slowest files")
    parser.add_argument("--sample", type=int, metavar="N", help="N files that mention a kernel")
    parser.add_argument("--seed", type=int, default=32)
    parser.add_argument("--seconds", type=float, help="begin no further file after so long")
    parser.add_argument("--json", type=Path, help="the rows, too")
    arguments = parser.parse_args()
    files = [p for p in discover(arguments.folders).files if p.suffix != ".ptx"]
    if arguments.sample is not None:
        files = [p for p in files if b"__global__" in p.read_bytes()]
        files = random.Random(arguments.seed).sample(files, min(arguments.sample, len(files)))
    root = arguments.folders[0] if len(arguments.folders) == 1 else Path.cwd()
    start, rows = time.perf_counter(), []
    with CountingPool() as pool:
        for measured in measure(root, sorted(files), pool):
            rows.append(row_of(measured))
            if arguments.seconds and time.perf_counter() - start > arguments.seconds:
                break
        if len(rows) < len(files):
            print(f"{len(files) - len(rows)} files were not reached")
        report(rows, pool.peak_bytes, arguments.all)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(r) for r in rows], indent=1))


if __name__ == "__main__":
    main()
