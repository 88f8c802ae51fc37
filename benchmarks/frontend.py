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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perflint import frontend
from perflint.frontend.model import Compilation, SourceFacts


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


def helps(compilation: Compilation, kernel: str) -> set[str]:
    """What had to be assumed for a kernel, or for its whole file."""
    origins = [o for o in compilation.entries.values() if o.kernel == kernel]
    found = set()
    if origins and all(o.assumed for o in origins):
        found.add("default template arguments")
    for remark in compilation.remarks:
        if "is defined nowhere" in remark:
            found.add("guessed macro")
        elif "was left out: " in remark and "header" not in remark:
            found.add("blanked device helper")
        elif "taken for device code" in remark:
            found.add("helper taken for device code")
    return found


def report(measured: Sequence[Measured], peak: int, show: bool) -> None:
    """Print the table."""
    kernels = exact = helped = blocks = 0
    by_help: Counter[str] = Counter()
    off, lost, genuine = [], [], []
    with_kernels = []
    for m in measured:
        defined = {k.name for k in m.facts.kernels} if m.facts else set()
        if not defined:
            continue
        with_kernels.append(m)
        present = {o.kernel for o in m.compilation.entries.values()}
        reasons = {k.name: k.reason for k in m.compilation.lost}
        genuine += [e for e in m.compilation.errors if e.genuine]
        read = {s.kernel for f in m.compilation.facts.values() for s in f.launches if s.block.value}
        for name in sorted(defined):
            reason = reasons.get(name, "its own error")
            if name not in present and "which is off here" in reason:
                off.append((m.path, name, reason))
                continue
            kernels += 1
            blocks += name in read
            if name not in present:
                lost.append((m.path, name, reason))
            elif found := helps(m.compilation, name):
                helped += 1
                by_help.update(found)
            else:
                exact += 1

    def share(n: int) -> str:
        return f"{n:5d}  {100 * n / max(1, kernels):5.1f} %"

    times = sorted(m.seconds for m in with_kernels) or [0.0]
    print(f"files with kernels       {len(with_kernels):5d}  of {len(measured)}")
    print(f"kernels defined          {kernels:5d}  (and {len(off)} under an #if that is off)")
    print(f"compiled                 {share(exact + helped)}")
    print(f"  exactly as written     {share(exact)}")
    print(f"  with help              {share(helped)}")
    for name, count in by_help.most_common():
        print(f"    {name:<28} {count:4d}")
    print(f"lost                     {share(len(lost))}")
    print(f"errors of the user's     {len(genuine):5d}")
    print(f"block size read          {share(blocks)}")
    print(
        f"time a file: median {statistics.median(times) * 1e3:.0f} ms, "
        f"p90 {times[int(0.9 * (len(times) - 1))] * 1e3:.0f} ms, max {times[-1]:.2f} s"
    )
    print(f"peak memory of a worker: {peak / 2**20:.0f} MiB")
    if show:
        for path, name, reason in (*lost, *off):
            print(f"  {path}: {name}: {reason}")
        for error in genuine:
            print(f"  {error.path}:{error.line}:{error.column}: {error.message}")
        for m in sorted(with_kernels, key=lambda m: -m.seconds)[:8]:
            print(f"  {m.seconds:6.2f} s  {m.path}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lost", action="store_true", help="list what was lost, and why")
    arguments = parser.parse_args()
    files = sorted(p for p in arguments.folder.rglob("*.cu") if p.is_file())
    with frontend.Pool() as pool:
        measured = measure(arguments.folder, files, pool)
        report(measured, pool.peak_bytes, arguments.lost)


if __name__ == "__main__":
    main()
