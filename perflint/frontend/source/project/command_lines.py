"""What a program is run with, as the files near its source say: read as text, never executed.

Makefiles, CMake's tests, scripts, READMEs, lists of test arguments and the source's own comments
name a program and its arguments. Which names are the program's comes from the same files: what
compiles or links the source, else the source's own name, else, in its folder, the name of the only
program there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from perflint.base import bounds
from perflint.base.patterns import pattern
from perflint.base.real_paths import is_there
from perflint.base.records import dataclass
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.project import run_files
from perflint.frontend.source.project.program_names import (
    is_elsewhere,
    is_only_program,
    place,
    program_names,
)
from perflint.frontend.source.project.run_files import Content, is_run_file
from perflint.frontend.source.project.shell_words import UNKNOWN, Command
from perflint.frontend.source.project.user_files import UnreadableError, read_text, words

#: Command lines of one program, folders upwards, files of a folder, and bytes of each.
MOST = 16
_LEVELS, _MOST_FILES, _LARGEST = 4, 24, 256 << 10
#: Folders below the source's or one above it in which runs are kept, too.
_BESIDE = words("script scripts test tests bench benchmark benchmarks run runs example examples")

_SCRIPT = pattern(r"\.(?:sh|bash|py|pl|rb|csh|bat|cmd|ps1|txt|md)\Z", re.IGNORECASE)
_HELP = words("-h --help -help --version -v -?")
#: How mpirun, srun, jsrun and their like are told how many processes to start.
_COUNTS = words("-n -np --np -c --ntasks --n --num-procs -nprocs")
_TOOLS = words("configure bootstrap autogen install gradlew waf b2 bootstrap-vcpkg")

_WHOLE = pattern(r"\s*[-+]?(?:0[xX][0-9a-fA-F]+|\d+)")
_REAL = pattern(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class CommandLine:
    """A run of a program that some file writes down."""

    arguments: tuple[str, ...]  #: as the shell hands them over; argv[1] is the first
    path: Path  #: of the file
    line: int
    text: str  #: the line as written
    processes: int = 1  #: how many MPI starts; 0 where that cannot be told


@dataclass(frozen=True)
class _Near:
    """A file near the source."""

    path: Path
    above: int  #: folders between its own, or the one that it is beside, and the source's
    content: Content


def command_lines(source: Path, root: Path) -> tuple[CommandLine, ...]:
    """The command lines of the program whose `main` is in `source`, best first, at most MOST.

    Nearer files come first; in a folder those with arguments, what runs as a test before what is
    told to people. Nothing outside `root` or `perflint.base.bounds` is looked at.
    """
    near = _near(source, root)
    names = program_names(source, ((file.above, b) for file in near for b in file.content.built))
    found: list[tuple[tuple[int, ...], CommandLine]] = []
    for index, file in enumerate(near):
        for rank, command in file.content.commands:
            at = place(command.words, names.at(file.above))
            if at is None or is_elsewhere(command, at, source):
                continue
            line = _line(command, at, file.path)
            if line is not None:
                found.append(((file.above, not line.arguments, rank, index), line))
    if not found and is_only_program(source):
        found = list(_of_only_program(source, near))
    found.sort(key=lambda pair: pair[0])
    unique = {line.arguments: line for _, line in reversed(found)}
    return tuple(line for _, line in found if unique[line.arguments] is line)[:MOST]


def _of_only_program(
    source: Path, near: Iterable[_Near]
) -> Iterator[tuple[tuple[int, ...], CommandLine]]:
    """What is run by a name that nothing explains, in the folder of the only program."""
    for index, file in enumerate(near):
        if file.path.parent != source.parent:
            continue
        for rank, command in file.content.commands:
            name = command.words[0]
            if not name.startswith("./") or _SCRIPT.search(name) or name[2:] in _TOOLS:
                continue
            if is_there(source.parent / name) or UNKNOWN in name:  # a script then
                continue
            line = _line(command, 0, file.path)
            if line is not None:
                yield (file.above, not line.arguments, rank, index), line


def _line(command: Command, at: int, path: Path) -> CommandLine | None:
    """A command as a program's run; None if an argument that may count cannot be told."""
    given = command.words[at + 1 :]
    if given and set(given) <= _HELP:
        return None
    if any(UNKNOWN in word and not _is_path(word) for word in given):
        return None
    arguments = tuple(word.replace(UNKNOWN, "") for word in given)
    started = _processes(command.words[:at])
    return CommandLine(arguments, path, command.line, command.text[:400], started)


def _processes(before: Sequence[str]) -> int:
    """How many processes the words before a program start: `mpirun -np 4`."""
    for word, following in pairwise((*before, "")):
        name, _, number = word.partition("=")
        if name in _COUNTS:
            number = number or following
            return int(number) if number.isdecimal() else 0
    return 1


def _is_path(word: str) -> bool:
    """Whether a word of which a part is unknown names a file: its text does not count then."""
    known = re.sub(f"{UNKNOWN}[^{UNKNOWN}]*{UNKNOWN}", "", word)
    return "/" in known or re.search(r"\.[A-Za-z]\w*\Z", known) is not None


# --- which files ----------------------------------------------------------------------------------


def _near(source: Path, root: Path) -> list[_Near]:
    found = []
    parents = (source.parent, *source.parent.parents)[:_LEVELS]
    inside = [f for f in parents if f.is_relative_to(root) and bounds.allowed(f)]
    if not inside:
        return []
    for above, folder in enumerate(inside):
        below = [folder / name for name in _listed(folder)[1] if name.lower() in _BESIDE]
        for each in (folder, *(b for b in below if b not in inside and bounds.allowed(b))):
            for name in _listed(each)[0]:
                content = _content(each / name, tuple(inside))
                if content is not None:
                    found.append(_Near(each / name, above, content))
    if (own := _content(source, tuple(inside))) is not None:
        found.append(_Near(source, 0, own))
    return found


def _listed(folder: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the files that are read, and of the folders, of a folder, in order."""
    try:
        return _listing(folder, folder.stat().st_mtime_ns)
    except OSError:
        return (), ()


@lru_cache(maxsize=512)
def _listing(folder: Path, _changed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    with os.scandir(folder) as entries:
        every = [(e.name, e.is_dir(follow_symlinks=False)) for e in entries if e.name[0] != "."]
    names = sorted(name for name, is_folder in every if not is_folder and is_run_file(name))
    folders = sorted(name for name, is_folder in every if is_folder)
    return tuple(names[:_MOST_FILES]), tuple(folders)


def _content(path: Path, folders: tuple[Path, ...]) -> Content | None:
    # most files say the same whoever asks, and are read once
    above = folders if path.name == "CMakeLists.txt" else ()
    try:
        return _remembered(path, path.stat().st_mtime_ns, folders[-1], above)
    except (OSError, UnreadableError):
        return None


@lru_cache(maxsize=1024)
def _remembered(path: Path, _changed: int, top: Path, above: tuple[Path, ...]) -> Content:
    def read(other: Path) -> str | None:
        try:
            return read_text(other, _LARGEST) if other.is_relative_to(top) else None
        except UnreadableError:
            return None

    return run_files.content(path, read_text(path, _LARGEST), read, above)


def number(word: str, kind: CType) -> Value | None:
    """A word as `atoi` and its like read it: what follows the number does not count."""
    if kind.kind == "float":
        found = _REAL.match(word)
        return c_types.convert(Value(float(found[0]), c_types.DOUBLE), kind) if found else None
    found = _WHOLE.match(word)
    return c_types.convert(Value(int(found[0], 0), c_types.LLONG), kind) if found else None
