"""Findings of a folder by rule and verdict, with the reasons why others stay undecided.

    python benchmarks/findings.py gpu-rodinia/cuda [--repeat] [--list]

With `--repeat` everything is checked twice, the second time beside a process that keeps the machine
busy, and the two reports must be the same bytes: no clock decides a verdict.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from perflint.cli.discovery import discover
from perflint.lint.findings import Result
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import rules
from perflint.report import load
from perflint.report.context import Context
from perflint.work.parallel import usable_cpus
from perflint.work.pipeline import check


def run(folder: Path, jobs: int) -> Result:
    """All findings of a folder, notes too."""
    options = CheckOptions(rules=frozenset(rules()), root=folder, jobs=jobs)
    return check(discover([folder]).files, options)


def as_json(result: Result, folder: Path) -> str:
    return load("json")(result, Context(root=folder, rules=rules(), hidden=0))


def spin() -> None:
    while True:
        pass


@contextmanager
def load_on_machine() -> Iterator[None]:
    """Every core busy with something else."""
    busy = [multiprocessing.Process(target=spin, daemon=True) for _ in range(usable_cpus())]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.kill()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", action="store_true", help="twice, the second time under load")
    parser.add_argument("--list", action="store_true", help="print each finding")
    parser.add_argument("-j", dest="jobs", type=int, default=usable_cpus())
    arguments = parser.parse_args()
    result = run(arguments.folder, arguments.jobs)
    counts = Counter((f.code, f.verdict) for f in result.findings)
    print(
        f"{result.kernels} kernels of {result.files} files; {len(result.unanalysed)} not analysed"
    )
    for (code, verdict), count in sorted(counts.items()):
        print(f"{code}  {verdict:10} {count:5}")
    reasons = Counter((f.code, f.reason) for f in result.findings if f.reason)
    print("\nundecided, because")
    for (code, reason), count in reasons.most_common(25):
        print(f"{count:5}  {code}  {reason}")
    if arguments.list:
        print()
        for f in result.findings:
            if not f.code.startswith("CU0"):
                where = f"{f.place.path}:{f.place.line}:{f.place.column}"
                print(
                    f"{where}: {f.code} {f.verdict}: {f.message}"
                    + (f" [{f.reason}]" if f.reason else "")
                )
                for other in f.related:
                    print(f"    also {other.place.path}:{other.place.line}: {other.message}")
    if arguments.repeat:
        with load_on_machine():
            again = run(arguments.folder, 1)
        same = as_json(result, arguments.folder) == as_json(again, arguments.folder)
        print(
            "\ntwo runs, the second under load and with one job:",
            "identical" if same else "DIFFERENT",
        )
        return 0 if same else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
