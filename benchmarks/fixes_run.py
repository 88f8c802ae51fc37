"""Fixes drawn at random on programs that check their own results: applied, built and run whole.

    python benchmarks/fixes_run.py COLLECTIONS [--number 10] [--seed 1] [--only NAME] [-j 2]

COLLECTIONS is the folder that holds what `programs.toml` lists. `perflint check` looks at each
program; of all findings with a fix, unsafe ones too, NUMBER are drawn. Each is applied by itself,
nvcc builds the program without and with it, and both run under `perflint run`, which keeps the
first launch of each kernel and shape and later ones; these are profiled. A fix is right if the
program says as before that its results are, and better if a figure of the finding's kernel falls:
warp instructions, f64 instructions, sectors, lines, wavefronts or lanes that nothing orders.
CU502's and CU405's are not drawn: no profile counts the passes of constant memory, nor occupancy,
and it runs as many blocks of a launch, however large they are. Of a kernel that its program
does not launch nothing can be told: another one is drawn. The exit status is 1 if one is not both.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from programs import Program, build, judged, programs

from perflint.base.edits import apply_edits
from perflint.base.evidence import Edit
from perflint.base.span import Span
from perflint.lint.recorded_launches import Records
from perflint.run.profiles import profiled as figures_of
from perflint.run.records import read

ARCHITECTURE = "sm_80"
SECONDS = 120  #: processor time of one run
LARGEST = 2 << 20  #: bytes; what is larger is data
#: Figures of a profile, and as the table calls them.
FIGURES = {
    "warp instructions": "warp instr.",
    "thread instructions, f64": "f64",
    "sectors": "sectors",
    "lines": "lines",
    "wavefronts": "wavefronts",
    "lanes that load what their warp stored unordered": "unordered lanes",
}
UNCOUNTED = ("CU405", "CU502")


@dataclass(frozen=True)
class Drawn:
    """A finding with a fix, in a program."""

    program: Program
    code: str
    kernel: str
    place: str
    safe: bool
    edits: tuple[Edit, ...]


def found(program: Program) -> list[Drawn]:
    """The findings of a program that carry a fix."""
    command = [sys.executable, "-m", "perflint", "check", str(program.folder), "--isolated",
               "--preview", "-q", "-j1", "--output-format=json"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    out: list[Drawn] = []
    for finding in json.loads(done.stdout or "[]"):
        fix: dict[str, Any] | None = finding["fix"]
        if not fix or finding["level"] == "note" or finding["code"] in UNCOUNTED:
            continue
        edits = tuple(
            Edit(
                Span(
                    Path(e["filename"]).resolve(),
                    e["location"]["row"], e["location"]["column"],
                    e["end_location"]["row"], e["end_location"]["column"],
                ),
                e["content"],
            )
            for e in fix["edits"]
        )  # fmt: skip
        if not _is_built(program, edits):
            continue
        place = f"{Path(finding['filename']).name}:{finding['location']['row']}"
        out.append(Drawn(program, finding["code"], finding["kernel"], place,
                         fix["applicability"] == "safe", edits))  # fmt: skip
    return out


def _is_built(program: Program, edits: tuple[Edit, ...]) -> bool:
    """Whether edits are of what a program is built of: its folder may hold other programs."""
    sources = {(program.folder / name).resolve() for name in program.sources}
    paths = {edit.span.path for edit in edits}
    return all(path in sources for path in paths if path.suffix == ".cu")


def with_fix(drawn: Drawn, folder: Path) -> Program:
    """The program with the files that a fix changes as it leaves them."""
    program = drawn.program
    shutil.copytree(program.folder, folder, ignore=_large)
    for path in {edit.span.path for edit in drawn.edits}:
        own = [edit for edit in drawn.edits if edit.span.path == path]
        at = folder / path.relative_to(program.folder.resolve())
        at.write_text(apply_edits(path.read_text(), own))
    # what stands beside them, and is not copied, is included from there
    return replace(program, sources=tuple(str(folder / name) for name in program.sources),
                   flags=(f"-I{folder}", *program.flags))  # fmt: skip


def _large(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if Path(folder, name).stat().st_size > LARGEST]


def profiled(program: Program, binary: Path, kernel: str) -> tuple[str, Counter[str]]:
    """What a program says of its results, and the figures of one kernel over kept launches."""
    kept = binary.with_suffix(".launches")
    command = [sys.executable, "-m", "perflint", "run", "--isolated", "--no-findings",
               f"--record={kept}", "--", str(binary), *program.arguments]  # fmt: skip
    done = subprocess.run(
        command, cwd=program.folder, capture_output=True, text=True, errors="replace", check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5)),
    )  # fmt: skip
    text = f"{done.stdout}{done.stderr}\nexit status {done.returncode}"
    return judged(program, text, late=False)[0], _sums(kept, binary, kernel)


def _sums(kept: Path, binary: Path, kernel: str) -> Counter[str]:
    """The figures of a kernel's kept launches, added up; empty where it has none."""
    sums: Counter[str] = Counter()
    records = read(kept) if kept.exists() else Records({}, ())
    for launch in records.launches:
        if launch.image is None or _plain(kernel) not in launch.kernel:
            continue
        profile = figures_of(launch, records.modules[launch.module], binary, ARCHITECTURE)
        if _plain(profile.kernel) != _plain(kernel):
            continue
        for name, value in (row for found in profile.metrics.values() for row in found.items()):
            if name in FIGURES and isinstance(value, int):
                sums[FIGURES[name]] += value
    return sums


def _plain(kernel: str) -> str:
    """A kernel's name without its template arguments."""
    return kernel.partition("<")[0].rpartition("::")[2].strip()


def tried(drawn: Drawn, work: Path) -> tuple[str, bool | None]:
    """A row of the table, and whether the fix is right and better; None: the kernel is not run."""
    fixed = with_fix(drawn, work / "fixed")
    said: list[str] = []
    figures: list[Counter[str]] = []
    for name, program in (("before", drawn.program), ("after", fixed)):
        if why := build(program, work / name):
            return f"not built {name}: {why}", False
        verdict, counts = profiled(program, work / name, drawn.kernel)
        if not counts:
            return f"{verdict}: the kernel is not launched", None
        said.append(verdict)
        figures.append(counts)
    before, after = figures
    falls = [f"{k} {before[k]:,} → {after[k]:,}" for k in before if after[k] < before[k]]
    rises = [f"{k} {before[k]:,} → {after[k]:,}" for k in after if after[k] > before[k]]
    good = said[0] == said[1] == "verified" and bool(falls)
    grown = f" (more: {', '.join(rises)})" if rises else ""
    return f"{said[0]}, {said[1]}: {', '.join(falls) or 'nothing falls'}{grown}", good


def in_its_folder(drawn: Drawn) -> tuple[str, bool | None]:
    """As `tried`, with what was drawn."""
    with tempfile.TemporaryDirectory(prefix="perflint-fixed-") as work:
        row, good = tried(drawn, Path(work))
    safe = "safe" if drawn.safe else "unsafe"
    return f"{f'{drawn.program.name} {drawn.place}':44} {drawn.code} {safe:7} {row}", good


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("collections", type=Path)
    parser.add_argument("--number", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="programs whose name matches this regular expression")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    every = [p for p in programs(options.collections.resolve())
             if re.search(options.only or "", p.name)]  # fmt: skip
    with ThreadPoolExecutor(options.jobs) as pool:
        all_found = [drawn for each in pool.map(found, every) for drawn in each]
    chance = random.Random(options.seed)
    order = chance.sample(all_found, len(all_found))
    print(f"{len(all_found)} findings with a fix in {len(every)} programs", flush=True)
    judged_so: list[bool] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        while order and (wanted := options.number - len(judged_so)) > 0:
            chosen, order = order[:wanted], order[wanted:]
            for row, good in pool.map(in_its_folder, chosen):
                print(row, flush=True)
                judged_so += [] if good is None else [good]
    print(f"{sum(judged_so)} of {len(judged_so)} right and better")
    return int(not all(judged_so))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
