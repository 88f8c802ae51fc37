"""Fixes drawn at random on programs that check their own results: applied, built and run whole.

    python benchmarks/fixes_run.py COLLECTIONS [--number 10] [--seed 1] [--only NAME] [-j 2]

COLLECTIONS is the folder that holds what `programs.toml` lists. `perflint check` looks at each
program; of all findings with a fix, unsafe ones too, NUMBER are drawn. Each is applied by itself,
nvcc builds the program without and with it, and both run under `perflint run --profile`. A fix is
right if the program says as before that its results are, and better if a figure of the finding's
kernels falls: warp instructions, f64 instructions, sectors, lines, wavefronts or lanes that nothing
orders. CU502's are not drawn: no profile counts the passes of constant memory. The exit status is 1
if one is not both.
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
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from programs import Program, build, judged, programs

from perflint.base.edits import apply_edits
from perflint.base.evidence import Edit
from perflint.base.span import Span

SECONDS = 120  #: processor time of one run
LARGEST = 2 << 20  #: bytes; what is larger is data
#: Figures of a profile, as its rows begin, and as the table calls them.
FIGURES = {
    "warp instructions": "warp instr.",
    "thread instructions, f64": "f64",
    "sectors": "sectors",
    "lines": "lines",
    "wavefronts": "wavefronts",
    "lanes that load what their warp stored unordered": "unordered lanes",
}
UNCOUNTED = ("CU502",)
_KERNEL = re.compile(r"^(\S.*?)<<<\(.*launch \d+ of \d+ on sm_\d+")
_ROW = re.compile(r"^(?:\w+)? {2,}([a-z][\w, -]*?) {2,}([\d,]+)$")


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
    """What a program says of its results, and the figures of one kernel over its launches."""
    command = [sys.executable, "-m", "perflint", "run", "--isolated", "--no-findings", "--profile",
               "--", str(binary), *program.arguments]  # fmt: skip
    done = subprocess.run(
        command, cwd=program.folder, capture_output=True, text=True, errors="replace", check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5)),
    )  # fmt: skip
    text = f"{done.stdout}{done.stderr}\nexit status {done.returncode}"
    sums: Counter[str] = Counter()
    inside = False
    for line in done.stdout.splitlines():
        if head := _KERNEL.match(line):
            inside = _plain(head[1]) == _plain(kernel)
        elif inside and (row := _ROW.match(line)) and row[1] in FIGURES:
            sums[FIGURES[row[1]]] += int(row[2].replace(",", ""))
    return judged(program, text, late=False)[0], sums


def _plain(kernel: str) -> str:
    """A kernel's name without its template arguments."""
    return kernel.partition("<")[0].rpartition("::")[2].strip()


def tried(drawn: Drawn, work: Path) -> tuple[str, bool]:
    """A row of the table, and whether the fix is right and better."""
    fixed = with_fix(drawn, work / "fixed")
    said: list[str] = []
    figures: list[Counter[str]] = []
    for name, program in (("before", drawn.program), ("after", fixed)):
        if why := build(program, work / name):
            return f"not built {name}: {why}", False
        verdict, counts = profiled(program, work / name, drawn.kernel)
        said.append(verdict)
        figures.append(counts)
    before, after = figures
    falls = [f"{k} {before[k]:,} → {after[k]:,}" for k in before if after[k] < before[k]]
    rises = [f"{k} {before[k]:,} → {after[k]:,}" for k in after if after[k] > before[k]]
    good = said[0] == said[1] == "verified" and bool(falls)
    grown = f" (more: {', '.join(rises)})" if rises else ""
    return f"{said[0]}, {said[1]}: {', '.join(falls) or 'nothing falls'}{grown}", good


def in_its_folder(drawn: Drawn) -> tuple[str, bool]:
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
    chosen = chance.sample(all_found, min(options.number, len(all_found)))
    print(f"{len(all_found)} findings with a fix in {len(every)} programs; {len(chosen)} drawn")
    failed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = [pool.submit(in_its_folder, drawn) for drawn in chosen]
        for done in as_completed(rows):
            row, good = done.result()
            failed += not good
            print(row, flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} right and better")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
