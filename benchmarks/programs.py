"""Self-verifying CUDA programs of public collections, run whole on the simulator.

    python benchmarks/programs.py COLLECTIONS [--only NAME] [--seconds N] [--check] [--output FILE]

COLLECTIONS is the folder that holds the collections that `programs.toml` names. Each program is
compiled by nvcc as `perflint build` has it, run under `perflint run`, and what it says of its own
results is read. Time is processor time of the program and its simulator. The verdicts:

    verified      its own check says that the results are right
    wrong         its own check says that they are not
    unsupported   it asked for something that is not simulated, by name
    too slow      it did not end within --seconds
    not built     nvcc could not compile it here
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Program:
    """One program: where it is, how it is built and run, and how it says that it is right."""

    name: str
    folder: Path
    sources: tuple[str, ...]
    flags: tuple[str, ...]
    arguments: tuple[str, ...]
    right: str  #: a regular expression that its output then matches
    wrong: str  #: and one that it matches where its results are wrong
    options: tuple[str, ...] = ()  #: of `perflint run`
    edits: tuple[tuple[str, str], ...] = ()  #: text of its sources, and what stands there instead

    @property
    def file(self) -> str:
        """Its name as a file's, for what is kept of it: names have folders in them."""
        return self.name.replace("/", "-")


@dataclass(frozen=True)
class Row:
    """What came of one program."""

    name: str
    verdict: str
    seconds: float = 0.0
    instructions: int = 0  #: of threads
    why: str = ""


def programs(collections: Path) -> Iterator[Program]:
    """The programs of `programs.toml`."""
    with (HERE / "programs.toml").open("rb") as file:
        data = tomllib.load(file)
    for collection in data["collection"]:
        root = collections / collection["folder"]
        include = tuple(f"-I{root / path}" for path in collection.get("include", ()))
        for name, more in collection["programs"].items():
            file = root / f"{name}.cu"  # a program of one file, or a folder's
            folder = file.parent if file.is_file() else root / more.get("folder", name)
            sources = tuple(more.get("sources", ())) or ((file.name,) if file.is_file() else ())
            yield Program(
                name=name,
                folder=folder,
                sources=(
                    *(sources or _sources(folder)),
                    *(str(path) for s in collection.get("sources", ()) for path in _found(root, s)),
                ),
                flags=(*include, *collection.get("flags", ()), *more.get("flags", ())),
                arguments=tuple(more.get("arguments", ())),
                right=more.get("right", collection["right"]),
                wrong=more.get("wrong", collection["wrong"]),
                options=tuple(more.get("options", ())),
                edits=tuple((old, new) for old, new in more.get("edits", {}).items()),
            )


def _sources(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(p.name for p in folder.glob("*.c*") if p.suffix in (".cu", ".cpp")))


def _found(root: Path, pattern: str) -> list[Path]:
    """Files of a collection's own that each of its programs is built with."""
    return sorted(root.glob(pattern))


def build(program: Program, out: Path) -> str:
    """Compile a program; why not, "" if it worked."""
    if out.exists():
        return ""
    try:
        sources = edited(program, out.with_name(f"{out.name}.src"))
    except LookupError as e:
        return str(e)
    command = ["nvcc", "-w", "-O2", "-std=c++17", "-cudart", "shared", "-lineinfo",
               "-gencode", "arch=compute_80,code=compute_80", *program.flags, f"-I{program.folder}",
               *_of_wheels(), *sources, "-o", str(out)]  # fmt: skip
    done = subprocess.run(command, cwd=program.folder, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    error = next((line for line in lines if "error" in line), "nvcc failed")
    return "" if done.returncode == 0 else error[:100]


@cache
def _of_wheels() -> tuple[str, ...]:
    """Where nvcc finds what a toolkit without libraries lacks: headers of wheels, our libraries."""
    from perflint.run.library import built

    spec = find_spec("nvidia")
    places = [Path(p) for p in spec.submodule_search_locations or ()] if spec else []
    folders = [str(f) for place in places for f in sorted(place.glob("*/include"))]
    headers = (flag for f in folders for flag in ("-Xcompiler", f"-idirafter,{f}"))
    return *headers, f"-L{built()}", "-Xlinker", "-rpath-link", "-Xlinker", str(built())


def edited(program: Program, folder: Path) -> tuple[str, ...]:
    """Copies of a program's sources and headers with its sizes made smaller."""
    if not program.edits:
        return program.sources
    folder.mkdir(parents=True, exist_ok=True)
    headers = [p.name for p in program.folder.glob("*.*h") if p.suffix in (".h", ".cuh")]
    files = [*program.sources, *headers]
    texts = {folder / Path(n).name: (program.folder / n).read_text("latin-1") for n in files}
    for old, new in program.edits:
        if not any(old in text for text in texts.values()):
            raise LookupError(f"{old!r} is not in its sources")
        texts = {path: text.replace(old, new) for path, text in texts.items()}
    for path, text in texts.items():
        path.write_text(text, "latin-1")
    return tuple(str(folder / Path(n).name) for n in program.sources)


def run(program: Program, binary: Path, seconds: float, check: bool) -> Row:
    """Run a program and read what it says."""
    options = ["--no-findings", *(["--check", "--sample"] if check else [])]
    options += program.options
    command = [sys.executable, "-m", "perflint", "run", "--isolated", *options, "--", str(binary),
               *program.arguments]  # fmt: skip
    limit = int(seconds) + 1
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=program.folder, capture_output=True, text=True, errors="replace", check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)),
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    text = f"{done.stdout}{done.stderr}\nexit status {done.returncode}"
    counted = re.search(r"([\d,]+) thread instructions", done.stderr)
    instructions = int(counted[1].replace(",", "")) if counted else 0
    verdict, why = judged(program, text, used >= 0.9 * seconds)
    return Row(program.name, verdict, round(used, 1), instructions, why)


_MISSING = re.compile(
    r"perflint: (kernel .* was not run: .*|\w+: .*(?:simulated|needed|keeps|nobody|imported).*"
    r"|device code .*|not simulated: .*)"
)

#: What perflint says where the program did not end with 0.
_ENDED = re.compile(r"ended with status [1-9]\d*|was ended by signal \d+")


def judged(program: Program, text: str, late: bool) -> tuple[str, str]:
    """The verdict on a program's output, and the line that tells."""
    missing = _MISSING.search(text)
    if missing and not re.search(program.right, text):
        return "unsupported", missing[1][:120]
    wrong = re.search(program.wrong, text)
    if wrong:
        return "wrong", wrong[0][:120]
    if re.search(program.right, text):
        ended = _ENDED.search(text)
        if ended and "status" not in program.right:
            return ("too slow", "") if late else ("wrong", ended[0])
        return "verified", ""
    if late:
        return "too slow", ""
    return "wrong", f"says nothing of its results: {text.splitlines()[-1]}"


def table(rows: Sequence[Row]) -> str:
    """The rows, and how many of each verdict there are."""
    out = [
        f"{r.name:48} {r.verdict:12} {r.seconds:7.1f} s {r.instructions / 1e6:12,.1f} M  {r.why}"
        for r in rows
    ]
    counts = Counter(r.verdict for r in rows)
    work, time = sum(r.instructions for r in rows), sum(r.seconds for r in rows)
    out.append(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    out.append(f"{work / 1e9:.1f} G thread instructions in {time:.0f} s of processor time")
    return "\n".join(out)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("collections", type=Path)
    parser.add_argument("--only", help="programs whose name matches this regular expression")
    parser.add_argument("--seconds", type=float, default=120, help="processor time of one program")
    parser.add_argument("--check", action="store_true", help="look for errors of kernels too")
    parser.add_argument("--binaries", type=Path, help="a folder to keep the programs in")
    parser.add_argument("--output", type=Path, help="the rows as JSON lines, as they come")
    options = parser.parse_args()
    folder = options.binaries or Path(tempfile.mkdtemp(prefix="perflint-programs-"))
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for program in programs(options.collections.resolve()):
        if options.only and not re.search(options.only, program.name):
            continue
        binary = folder / program.file
        why = build(program, binary)
        if why:
            rows.append(Row(program.name, "not built", why=why))
        else:
            rows.append(run(program, binary, options.seconds, options.check))
        print(table(rows[-1:]).splitlines()[0], flush=True)
        if options.output:
            with options.output.open("a") as file:
                file.write(json.dumps(asdict(rows[-1])) + "\n")
    print(table(rows))
    return 0 if all(r.verdict != "wrong" for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
