"""Whether `--fix` leaves sources that compile, without what it fixed, and changes nothing else.

    python benchmarks/fixes.py DIR… [--work DIR] [-j 2] [--nvcc PROGRAM]

Each DIR's project is copied (its sources and what tells how they are built) and fixed there, first
by `--fix`, then by `--fix --unsafe-fixes`. One row each: files changed; fixes offered, made, left
because another changes the same place; how many of the files that are to change compile before and
after, by NVRTC and by `nvcc -ptx`; fixed findings that a second run finds again; what was changed
beside the edits that findings carry, or differs from what `--diff` says. The exit status is 1 if a
file compiled before and does not afterwards, a fixed finding is there again, or anything else was
changed.
"""

from __future__ import annotations

import argparse
import difflib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from perflint.base import bounds
from perflint.base.evidence import Edit
from perflint.cli import fixes
from perflint.cli.check_command import files_of
from perflint.cli.option_kinds import Origin
from perflint.cli.request import Request
from perflint.cli.settings import Source
from perflint.frontend.nvrtc.library import find_toolchain
from perflint.lint.findings import Finding, Result
from perflint.work import pipeline
from perflint.work.parallel import usable_cpus

LARGEST = 2 << 20  #: bytes; what is larger is data, and not copied
HEADERS = (".cuh", ".h", ".hpp", ".inl")
FOLDERS = ("common", "Common", "include", "inc", "common/inc", "src/common", "src/cuda/include")
COLUMNS = (
    "what", "findings", "offered", "made", "left", "files", "nvrtc", "after", "nvcc", "after",
    "again", "other",
)  # fmt: skip


@dataclass
class Row:
    """What came of one folder, fixed in one way."""

    what: str
    findings: int = 0
    offered: int = 0
    made: int = 0
    left: int = 0
    changed: set[Path] = field(default_factory=set)
    nvrtc: tuple[int, int] = (0, 0)
    nvcc: tuple[int, int] = (0, 0)
    wrong: list[str] = field(default_factory=list)  #: compiled before and does not now
    again: list[str] = field(default_factory=list)  #: found again
    other: list[str] = field(default_factory=list)  #: changed beside the edits

    @property
    def bad(self) -> bool:
        return bool(self.wrong or self.again or self.other)

    def __str__(self) -> str:
        counts = (
            self.findings, self.offered, self.made, self.left, len(self.changed), *self.nvrtc,
            *self.nvcc, len(self.again), len(self.other),
        )  # fmt: skip
        return f"{self.what:34}" + "".join(f"{count:9,}" for count in counts)


def copied(folder: Path, to: Path) -> Path:
    """A copy of a folder with its project around it, marked as a repository's."""
    real = folder.resolve()
    root = bounds.repository(real) or real

    def left_out(at: str, names: list[str]) -> Iterable[str]:
        for name in names:
            path = Path(at, name)
            large = path.is_file() and path.stat().st_size > LARGEST
            if name == ".git" or path.is_symlink() or large or not os.access(path, os.R_OK):
                yield name

    copy = to / root.name
    shutil.copytree(root, copy, ignore=lambda at, names: set(left_out(at, names)))
    (copy / ".git").mkdir()
    return copy / real.relative_to(root)


# --- what perflint says ---------------------------------------------------------------------------


def line(unsafe: bool, jobs: int) -> dict[str, object]:
    return {"preview": True, "jobs": jobs, "unsafe_fixes": unsafe}


def checked(folder: Path, unsafe: bool, jobs: int) -> tuple[Result, Request]:
    """What a run of the command over a folder finds, as it would be shown."""
    request = Request((folder,), (Source(Origin("the command line", folder, own=True),
                                         line(unsafe, jobs)),))  # fmt: skip
    options = replace(request.options(), cache=request.cache())
    result = pipeline.check(files_of(request).files, options)
    return request.visible(result)[0], request


def command(folder: Path, jobs: int, *options: str) -> bytes:
    """What `perflint` prints with some options."""
    words = ("check", ".", "--isolated", "--preview", "-q", f"-j{jobs}", *options)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "perflint", *words],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1, 2) or b"Traceback" in done.stderr:
        said = done.stderr.decode(errors="replace")
        raise SystemExit(f"perflint {' '.join(words)}: {done.returncode}: {said}")
    return done.stdout


# --- what is wrong --------------------------------------------------------------------------------


def edited(text: str, edits: Sequence[Edit]) -> str:
    """A text with edits, made in the plainest way: from its end to its beginning."""
    starts = [0]
    for row in text.split("\n"):
        starts.append(starts[-1] + len(row) + 1)
    for edit in sorted(edits, key=lambda e: (e.span.line, e.span.column), reverse=True):
        first = starts[edit.span.line - 1] + edit.span.column - 1
        last = starts[edit.span.end_line - 1] + edit.span.end_column - 1
        new = edit.replacement.replace("\n", "\r\n" if "\r\n" in text else "\n")
        text = text[:first] + new + text[last:]
    return text


def moved(before: str, after: str) -> Mapping[int, tuple[int, int]]:
    """For each line, the lines that stand in its place afterwards."""
    found: dict[int, tuple[int, int]] = {}
    matcher = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    for _, i, j, k, m in matcher.get_opcodes():
        for at in range(i, j):
            same = j - i == m - k
            found[at + 1] = (k + 1 + at - i,) * 2 if same else (k + 1, max(k + 1, m))
    return found


def found_again(
    made: Iterable[Finding], after: Result, texts: Mapping[Path, tuple[str, str]]
) -> Iterator[str]:
    """The fixed findings that are found in what stands in their place."""
    there: dict[tuple[str, Path], list[Finding]] = {}
    for finding in after.findings:
        if finding.verdict == "confirmed":
            there.setdefault((finding.code, finding.place.path), []).append(finding)
    places = {path: moved(*both) for path, both in texts.items()}
    for finding in made:
        path, at = finding.place.path, finding.place.line
        first, last = places.get(path, {}).get(at, (at, at))
        for other in there.get((finding.code, path), ()):
            same = (other.kernel, other.identity) == (finding.kernel, finding.identity)
            if same and first <= other.place.line <= last:
                yield f"{path}:{at}: {finding.code} {finding.message}"
                break


def snapshot(folder: Path) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def other_changes(
    before: Mapping[Path, bytes], after: Mapping[Path, bytes], expected: Mapping[Path, bytes]
) -> Iterator[str]:
    """Files that are not what the edits alone make of them."""
    for path in sorted({*before, *after}):
        if after.get(path) != expected.get(path, before.get(path)):
            yield f"{path}: is not what its edits make of it"


def patched(diff: bytes, folder: Path, before: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """What `patch` makes of the files before, with what --diff printed."""
    out: dict[Path, bytes] = {}
    with tempfile.TemporaryDirectory() as scratch:
        rows = diff.split(b"\n")
        names = [row[4:].decode().strip() for row in rows if row.startswith(b"+++ ")]
        for name in names:
            (Path(scratch) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(scratch) / name).write_bytes(before[folder / name])
        subprocess.run(["patch", "-p0", "--binary", "-s", "-d", scratch],
                       input=diff, check=False, capture_output=True)  # fmt: skip
        for name in names:
            out[folder / name] = (Path(scratch) / name).read_bytes()
    return out


# --- compilers ------------------------------------------------------------------------------------


def units(paths: Collection[Path], folder: Path) -> set[Path]:
    """The sources to compile for changed files: themselves, of headers what includes them."""
    found = {path for path in paths if path.suffix == ".cu"}
    for header in (path for path in paths if path.suffix in HEADERS):
        needle = f"/{header.name}".encode(), f'"{header.name}'.encode()
        near = header.parent.rglob("*.cu")
        found.update(p for p in near if any(n in p.read_bytes() for n in needle))
    return {path for path in found if path.is_relative_to(folder)}


def by_nvcc(paths: Iterable[Path], nvcc: str, root: Path) -> set[Path]:
    """The sources that nvcc compiles."""
    include = [f"-I{root / f}" for f in FOLDERS if (root / f).is_dir()]
    return {
        path
        for path in paths
        if subprocess.run(
            [nvcc, "-ptx", "-w", "-arch=sm_80", *include, "-o", os.devnull, str(path)],
            cwd=path.parent, capture_output=True, check=False,
        ).returncode == 0
    }  # fmt: skip


def by_nvrtc(paths: Iterable[Path], result: Result, folder: Path) -> set[Path]:
    """The sources that perflint's own front end compiled: all kernels, without an error."""
    lost = {folder / item.path for item in result.unanalysed if item.kernel is None}
    lost |= {folder / f.place.path for f in result.findings if f.code == "CU001"}
    return {path for path in paths if path not in lost}


# --- a folder -------------------------------------------------------------------------------------


def tried(folder: Path, name: str, unsafe: bool, jobs: int, nvcc: str | None) -> Row:
    """Fix a folder in place, and look at what became of it."""
    row = Row(f"{name} {'--unsafe-fixes' if unsafe else '--fix'}")
    os.chdir(folder)
    root = bounds.repository(folder) or folder
    before, _ = checked(Path(), unsafe, jobs)
    notes: list[str] = []
    chosen = fixes.readable(fixes.choose(before.findings, unsafe=unsafe), folder, notes.append)
    row.findings = len(before.findings)
    row.offered = len(chosen.findings) + len(chosen.overlapping) + len(chosen.unsafe)
    row.made, row.left = len(chosen.findings), len(chosen.overlapping)
    files = snapshot(root)
    expected = {
        folder / path: edited(files[folder / path].decode(), edits).encode()
        for path, edits in chosen.edits.items()
    }
    row.changed = {path for path, data in expected.items() if data != files[path]}
    sources = units(row.changed, root)
    compiled = by_nvcc(sources, nvcc, root) if nvcc else set()
    asked = ("--unsafe-fixes",) if unsafe else ()
    as_told = patched(command(folder, jobs, "--diff", *asked), folder, files)
    command(folder, jobs, "--fix", "--output-format=concise", *asked)
    now = snapshot(root)
    after, _ = checked(Path(), unsafe, jobs)
    row.other += other_changes(files, now, expected)
    row.other += [f"{path}: --diff says otherwise" for path in row.changed
                  if as_told.get(path) != now[path]]  # fmt: skip
    texts = {p.relative_to(folder): (files[p].decode(), now[p].decode()) for p in row.changed}
    row.again += found_again(chosen.findings, after, texts)
    good, fine = by_nvrtc(sources, before, folder), by_nvrtc(sources, after, folder)
    still = by_nvcc(sources, nvcc, root) if nvcc else set()
    row.nvrtc, row.nvcc = (len(good), len(fine)), (len(compiled), len(still))
    row.wrong += [f"{path}: NVRTC compiles it no more" for path in sorted(good - fine)]
    row.wrong += [f"{path}: nvcc compiles it no more" for path in sorted(compiled - still)]
    lost = {(u.path, u.kernel) for u in after.unanalysed} - {
        (u.path, u.kernel) for u in before.unanalysed
    }
    row.wrong += [f"{path}: {kernel}: is not analysed any more" for path, kernel in sorted(lost)]
    return row


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--work", type=Path, help="where to copy to, and to leave what was fixed")
    parser.add_argument("-j", "--jobs", type=int, default=usable_cpus())
    parser.add_argument("--nvcc", default=shutil.which("nvcc"))
    asked = parser.parse_args(arguments)
    find_toolchain()
    folders = [folder.resolve() for folder in asked.folders]
    with tempfile.TemporaryDirectory(prefix="perflint-fixes-") as scratch:
        work = (asked.work or Path(scratch)).resolve()
        os.environ.setdefault("XDG_CACHE_HOME", str(Path(scratch) / "cache"))
        print(f"{COLUMNS[0]:34}" + "".join(f"{name:>9}" for name in COLUMNS[1:]), flush=True)
        failed = False
        for number, folder in enumerate(folders):
            copy = copied(folder, work / str(number))
            for unsafe in (False, True):
                row = tried(copy, folder.name, unsafe, asked.jobs, asked.nvcc)
                print(row, flush=True)
                for text in (*row.wrong, *row.again, *row.other):
                    print(f"    {text}".replace(f"{work}{os.sep}{number}{os.sep}", ""), flush=True)
                failed |= row.bad
        os.chdir("/")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
