"""How much of a checkout the front end compiles: `python benchmarks/frontend.py DIR`.

Prints files with kernels, kernels defined, compiled exactly as written, compiled with help and
with which, lost and why, launches whose block size was read, time a file, and a worker's peak
memory. Kernels under an `#if` that is off are counted apart.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perflint import frontend
from perflint.frontend.model import Compilation
from perflint.frontend.source.model import SourceFacts

#: Lost kernels listed unless all are asked for.
SHOWN = 20


@dataclass(frozen=True)
class Measured:
    """One file."""

    path: Path
    compilation: Compilation
    seconds: float

    @property
    def facts(self) -> SourceFacts | None:
        """The facts of the file itself."""
        real = self.path.resolve()
        return next((f for p, f in self.compilation.facts.items() if p.resolve() == real), None)


def measure(root: Path, files: Sequence[Path], pool: frontend.Pool) -> list[Measured]:
    """Compile each file once, warm."""
    measured = []
    for path in files:
        start = time.perf_counter()
        compilation = frontend.compile_file(path, root=root, pool=pool)
        measured.append(Measured(path, compilation, time.perf_counter() - start))
    return measured


#: What may have to be assumed, by the words of the remark that says so.
HELPS = {
    "guessed macros": "is defined nowhere",
    "blanked device helpers": "was left out: ",
    "host functions as device code": "taken for device code",
    "macros of the build": "is taken to be",
}
TEMPLATES = "default template arguments"


def helps(compilation: Compilation, kernel: str) -> set[str]:
    """What had to be assumed for a kernel, or for its whole file."""
    origins = [o for o in compilation.entries.values() if o.kernel == kernel]
    remarks = [r for r in compilation.remarks if "header" not in r]
    found = {name for name, words in HELPS.items() if any(words in r for r in remarks)}
    return found | ({TEMPLATES} if origins and all(o.assumed for o in origins) else set())


@dataclass(frozen=True)
class Fate:
    """What became of one kernel definition."""

    path: Path
    name: str
    compiled: bool
    helps: frozenset[str] = frozenset()
    reason: str = ""  #: why it was lost
    launch: bool = False  #: a block size was read from the source

    @property
    def off(self) -> bool:
        """Is it under an `#if` that is off, so that no compiler makes code of it?"""
        return not self.compiled and "which is off here" in self.reason


def fates(measured: Measured) -> Iterator[Fate]:
    """The kernels that a file defines."""
    compilation = measured.compilation
    present = {o.kernel for o in compilation.entries.values()}
    reasons = {k.name: k.reason for k in compilation.lost}
    sites = [s for f in compilation.facts.values() for s in f.launches]
    read = {s.kernel for s in sites if s.block.value}
    for name in sorted({k.name for k in measured.facts.kernels} if measured.facts else ()):
        assumed = frozenset(helps(compilation, name) if name in present else ())
        reason = reasons.get(name, "an error of the user's in it")
        yield Fate(measured.path, name, name in present, assumed, reason, name in read)


def report(measured: Sequence[Measured], peak: int, show: bool) -> None:
    """Print the table."""
    found = {m.path: list(fates(m)) for m in measured}
    kernels = [f for fs in found.values() for f in fs if not f.off]
    off = [f for fs in found.values() for f in fs if f.off]
    compiled = [f for f in kernels if f.compiled]
    lost = [f for f in kernels if not f.compiled]
    with_kernels = [m for m in measured if found[m.path]]
    by_help = Counter(h for f in compiled for h in f.helps)

    def row(title: str, count: int) -> None:
        print(f"{title:<36}{count:5d}  {100 * count / max(1, len(kernels)):5.1f} %")

    print(f"{'files with kernels':<36}{len(with_kernels):5d}  of {len(measured)}")
    print(f"{'kernels defined':<36}{len(kernels):5d}  (and {len(off)} under an #if that is off)")
    row("compiled", len(compiled))
    row("  exactly as written", sum(not f.helps for f in compiled))
    row("  with help", sum(bool(f.helps) for f in compiled))
    for name in (TEMPLATES, *HELPS):
        row(f"    {name}", by_help[name])
    row("lost", len(lost))
    row("launch read (block size)", sum(f.launch for f in kernels))
    times = sorted(m.seconds for m in with_kernels) or [0.0]
    print(
        f"time a file: median {statistics.median(times) * 1e3:.0f} ms, "
        f"p90 {times[int(0.9 * (len(times) - 1))] * 1e3:.0f} ms, max {times[-1]:.2f} s"
    )
    print(f"peak memory of a worker: {peak / 2**20:.0f} MiB")
    for title, group in (("lost", lost), ("under an #if that is off", off)):
        if group:
            print(f"{title}:")
        for fate in group if show else group[:SHOWN]:
            print(f"  {fate.path}: {fate.name}: {fate.reason}")
        if len(group) > SHOWN and not show:
            print(f"  and {len(group) - SHOWN} more (--all)")
    for m in with_kernels:
        for error in (e for e in m.compilation.errors if e.genuine):
            print(f"error: {error.path}:{error.line}:{error.column}: {error.message}")
    if show:
        print("slowest:")
        for m in sorted(with_kernels, key=lambda m: -m.seconds)[:8]:
            print(f"  {m.seconds:6.2f} s  {m.path}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true", help="all that was lost; the slowest files")
    arguments = parser.parse_args()
    files = sorted(p for p in arguments.folder.rglob("*.cu") if p.is_file())
    with frontend.Pool() as pool:
        measured = measure(arguments.folder, files, pool)
        report(measured, pool.peak_bytes, arguments.all)


if __name__ == "__main__":
    main()
