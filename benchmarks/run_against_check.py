"""What `perflint run` says of programs, held against what `perflint check` says of their sources.

    python benchmarks/run_against_check.py COLLECTIONS [--only NAME] [--seconds N] [--all]

`check` invents sizes and data where the source does not give them; a run has the real ones. Each
program of `programs.toml` is run on the simulator with its launches kept, the rules judge these,
and every finding of `check` is looked for among what they say. Rules that compile an edited source
have none in a run: they are asked through `check --launches`, on the same launches. A finding is
found again by its code and line, one about a launch by its kernel: the template arguments and the
compiler differ. What may come of one:

    agreed        check confirmed it, and so does the run
    doubted       check confirmed it, the run only suspects it (it says why)
    refuted       check confirmed it, the run has looked at the kernel and says nothing of it
    decided yes   check could not decide, the run confirms it
    decided no    check could not decide, the run says nothing of it
    open          neither decides
    not launched  the program never launches the kernel
    new           only the run says it

Each one refuted is to be looked into: a false alarm of `check`, or only other sizes than assumed?
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.programs import Program, build, programs
from perflint.base.span import Span
from perflint.frontend.mangling import nested_name
from perflint.lint.findings import Finding
from perflint.lint.options import DEFAULT_ARCH, DEFAULT_BUDGET, CheckOptions
from perflint.lint.recorded_launches import Records
from perflint.lint.rulebook import rules
from perflint.lint.ruleset import load
from perflint.run.judge import judge
from perflint.run.records import read
from perflint.work.pipeline import check

#: Small ones, and many kinds of kernels: what the comparison is made on unless told otherwise.
CHOSEN = (
    "2mm", "adi", "bicg", "gemm", "gesummv", "convolution-3d", "matrixMul", "mergeSort",
    "transpose", "histogram", "scalarProd", "scan", "shfl_scan", "reduction",
    "threadFenceReduction", "dct8x8", "convolutionSeparable", "fastWalshTransform", "SobolQRNG",
    "dwtHaar1D",
)  # fmt: skip
#: Rules that compare with an edited source.
EDITING = frozenset(
    ("CU401", "CU503", "CU601", "CU701", "CU702", "CU703", "CU704", "CU705", "CU706")
)
OUTCOMES = (
    "agreed", "doubted", "refuted", "decided yes", "decided no", "open", "not launched", "new",
)  # fmt: skip


@dataclass(frozen=True)
class Compared:
    """One finding, and what the other way of looking says of it."""

    program: str
    outcome: str
    code: str
    place: str  #: `reduction_kernel.cu:88`
    kernel: str
    message: str
    why: str = ""  #: why the one that is in doubt is


def launches(program: Program, binary: Path, seconds: float) -> Records | None:
    """The launches of a program's run; None where it did not end in time."""
    with tempfile.TemporaryDirectory(prefix="perflint-compared-") as folder:
        record = Path(folder) / "launches.zip"
        command = [sys.executable, "-m", "perflint", "run", "--isolated", "--no-findings",
                   "--record", str(record), "--", str(binary), *program.arguments]  # fmt: skip
        try:
            subprocess.run(
                command, cwd=program.folder, capture_output=True, timeout=seconds, check=False,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
        return read(record) if record.exists() else None


def by_run(
    program: Program, records: Records, binary: Path, options: CheckOptions
) -> tuple[Finding, ...]:
    """What the rules say of the launches that happened."""
    alone = judge(records, binary, load(options.rules), DEFAULT_ARCH, options, {}).findings
    edited = replace(options, rules=options.rules & EDITING, recorded=records)
    return (*alone, *by_check(program, edited))


def by_check(program: Program, options: CheckOptions) -> tuple[Finding, ...]:
    """What `check` says of the sources."""
    paths = [program.folder / s for s in program.sources if s.endswith(".cu")]
    return check(paths, options).findings


def options_of(program: Program) -> CheckOptions:
    """The stable and the preview rules, with the macros and headers that the build has."""
    flags = program.flags
    include = tuple(program.folder / f[2:] for f in flags if f.startswith("-I"))
    define = tuple(f[2:] for f in flags if f.startswith("-D"))
    wanted = frozenset(code for code in rules() if not code.startswith("CU0"))
    return CheckOptions(wanted, define=define, include=include, root=program.folder,
                        budget=2 * DEFAULT_BUDGET)  # fmt: skip


def compared(
    name: str,
    checked: Sequence[Finding],
    ran: Sequence[Finding],
    launched: Collection[str],
) -> Iterator[Compared]:
    """Every finding of either, once. `launched` holds the names of the kernels that ran."""
    done, real = _worst(checked), _worst(ran)
    covered = {(f.code, *_at(r.place)): f for f in ran for r in f.related}
    for key, finding in sorted(done.items()):
        other = real.get(key) or covered.get(key)
        outcome = _outcome(finding, other, _plain(finding) in launched)
        why = (other.reason if other and other.verdict != "confirmed" else "") or finding.reason
        yield _row(name, outcome, finding, why)
    known = {*done, *((f.code, *_at(r.place)) for f in checked for r in f.related)}
    for key, finding in sorted(real.items()):
        if key not in known and finding.verdict == "confirmed":
            yield _row(name, "new", finding, "")


def _outcome(finding: Finding, other: Finding | None, launched: bool) -> str:
    if not launched:
        return "not launched"
    if finding.verdict == "confirmed":
        if other is None:
            return "refuted"
        return "agreed" if other.verdict == "confirmed" else "doubted"
    if other is None:
        return "decided no"
    return "decided yes" if other.verdict == "confirmed" else "open"


def _worst(findings: Sequence[Finding]) -> dict[tuple[str, str, int], Finding]:
    """One finding of each code and line, a confirmed one before others."""
    found: dict[tuple[str, str, int], Finding] = {}
    for f in sorted(findings, key=lambda f: f.verdict == "confirmed"):
        found[(f.code, *_about(f))] = f
    return found


def _at(place: Span) -> tuple[str, int]:
    """The file's name and line: programs with edits are compiled from copies."""
    return place.path.name, place.line


def _about(finding: Finding) -> tuple[str, int]:
    """Its line, or its kernel where it is about a launch, which a run knows no line of."""
    return (_plain(finding), 0) if finding.code.startswith("CU4") else _at(finding.place)


def _plain(finding: Finding) -> str:
    """The kernel's name without namespaces and template arguments."""
    return (finding.kernel or "").partition("<")[0].rpartition("::")[2]


def _row(name: str, outcome: str, finding: Finding, why: str) -> Compared:
    path, line = _at(finding.place)
    message = finding.message.split(". ")[0]
    return Compared(
        name, outcome, finding.code, f"{path}:{line}", finding.kernel or "", message, why
    )


def table(rows: Sequence[Compared], names: Sequence[str]) -> str:
    """How many of each outcome each program has."""
    out = [" " * 22 + "".join(f"{o:>13}" for o in OUTCOMES)]
    for name in (*names, "all"):
        counts = Counter(r.outcome for r in rows if name in ("all", r.program))
        out.append(f"{name:22}" + "".join(f"{counts[o]:13}" for o in OUTCOMES))
    return "\n".join(out)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collections", type=Path)
    parser.add_argument("--only", action="append", help="a program's name; may be given often")
    parser.add_argument("--seconds", type=float, default=240, help="time of one program's run")
    parser.add_argument("--binaries", type=Path, help="a folder to keep the programs in")
    parser.add_argument("--all", action="store_true", help="list all outcomes, not the odd ones")
    parser.add_argument("--output", type=Path, help="the rows as JSON lines, as they come")
    options = parser.parse_args()
    folder = options.binaries or Path(tempfile.mkdtemp(prefix="perflint-programs-"))
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[Compared] = []
    names: list[str] = []
    for program in programs(options.collections.resolve()):
        if program.name not in (options.only or CHOSEN):
            continue
        binary = folder / program.name
        why = build(program, binary)
        records = None if why else launches(program, binary, options.seconds)
        if records is None:
            print(f"{program.name}: {why or 'did not end in time'}", flush=True)
            continue
        names.append(program.name)
        wanted = options_of(program)
        launched = {nested_name(each.kernel)[-1] for each in records.launches}
        checked, ran = by_check(program, wanted), by_run(program, records, binary, wanted)
        found = list(compared(program.name, checked, ran, launched))
        rows += found
        for row in found:
            if options.all or row.outcome not in ("agreed", "open", "not launched"):
                why = f" ({row.why})" if row.why else ""
                print(f"{row.program}: {row.outcome}: {row.place}: {row.code} {row.kernel}: "
                      f"{row.message}{why}", flush=True)  # fmt: skip
        if options.output:
            with options.output.open("a") as file:
                file.writelines(json.dumps(asdict(row)) + "\n" for row in found)
    print(table(rows, names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
