"""What the program of a source is called, and where in a command it stands."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from perflint.base import bounds
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.project.run_files import Built
from perflint.frontend.source.project.shell_words import UNKNOWN, Command
from perflint.frontend.source.project.user_files import UnreadableError, read_text, words

#: Sources of a folder that are looked at for another `main`, and bytes of each.
_MOST, _LARGEST = 64, 1 << 20
#: What runs another program, that one's options between.
_WRAPPERS = words(
    """
    mpirun mpiexec mpiexec.hydra orterun srun aprun jsrun lrun prun nvprof nsys ncu nv-nsight-cu-cli
    cuda-memcheck compute-sanitizer valgrind gdb cuda-gdb lldb rr timeout gtimeout nice ionice nohup
    sudo env taskset numactl stdbuf perf strace ltrace time command bash sh zsh screen tmux xargs
    hyperfine likwid-perfctr likwid-pin rocprof catchsegv setarch chrt unbuffer script exec eval
    """
)
#: Names that mean something else in a shell, and sources' names that say nothing of a program.
_UTILITIES = words(
    """
    test sort cat ls cp mv rm make cmake ctest diff cmp echo printf grep sed awk head tail find tar
    run all clean install build check bench help time which kill wait sleep python python3 gcc nvcc
    """
)
_COMMON = words(
    "main app test tests run prog program driver kernel kernels cuda gpu a example demo"
)
_SOURCES = words(".cu .c .cc .cpp .cxx")
_SUFFIX = pattern(r"\.(?:exe|out|x|bin|elf)\Z", re.IGNORECASE)
_OBJECT = pattern(r"\.(?:o|obj|lo)\Z")
_MAIN = pattern(r"^[ \t]*(?:extern\s+\"C\"\s+)?(?:int|void|auto)\s+main\s*\(", re.MULTILINE)


@dataclass(frozen=True)
class ProgramNames:
    """The names of a source's program."""

    stem: str
    given: frozenset[str]  #: by what compiles or links it

    def at(self, above: int) -> Collection[str]:
        """The names that count in a file so many folders above the source."""
        if above and (self.given or self.stem in _COMMON):
            return self.given
        return self.given | {self.stem}


def program_names(source: Path, built: Iterable[tuple[int, Built]]) -> ProgramNames:
    """The names, of what files near a source build, each with the folders that it lies above."""
    found = {_base(b.program) for above, b in built if _lists(b, source, above)}
    return ProgramNames(_base(source.stem), frozenset(n for n in found if n and UNKNOWN not in n))


def _base(program: str) -> str:
    name = program.rpartition("/")[2]
    return name if name == "a.out" else _SUFFIX.sub("", name)


def _lists(built: Built, source: Path, above: int) -> bool:
    return any(_is_of(entry, built.folder, source, above) for entry in built.inputs)


def _is_of(entry: str, folder: str, source: Path, above: int) -> bool:
    """Whether a file that a build lists is the source, or its object."""
    head, _, name = entry.rpartition("/")
    if _OBJECT.search(name):
        stem = _OBJECT.sub("", name)
        if "*" in stem:  # of what a wildcard named
            here = os.path.normpath(f"{folder}/{head}") == os.fspath(source.parent)
            return here and fnmatchcase(source.stem, stem)
        return stem in (source.stem, source.name) and (above <= 1 or source.stem not in _COMMON)
    if not fnmatchcase(source.name, name):
        return False
    if os.path.normpath(f"{folder}/{head}") == os.fspath(source.parent):
        return True
    return above <= 1 and UNKNOWN in head


def place(given: tuple[str, ...], names: Collection[str]) -> int | None:
    """Where among a command's words the program stands, if the command runs it."""
    if not given:
        return None
    first = given[0]
    matching = [
        i
        for i, word in enumerate(given)
        if _base(word) in names and (not i or given[i - 1] != "-o")
    ]
    if not matching:
        return None
    if matching[0] == 0:
        return 0 if "/" in first or first not in _UTILITIES else None
    located = next((i for i in matching if "/" in given[i]), None)
    if UNKNOWN in first:  # a wrapper's name may stand there, or a compiler's
        return located
    if _base(first) not in _WRAPPERS:
        return None
    return matching[0] if located is None else located


def is_elsewhere(command: Command, at: int, source: Path) -> bool:
    """Whether a command runs a program that lies among other sources."""
    head, slash, _ = command.words[at].rpartition("/")
    if command.folder is None or UNKNOWN in head or not slash:
        return False
    folder = Path(os.path.normpath(f"{command.folder}/{head}"))
    if folder.is_relative_to(source.parent) or source.is_relative_to(folder):
        return False
    return bool(_sources(folder))


def is_only_program(source: Path) -> bool:
    """Whether no other source beside this one has a `main`."""
    others = [name for name in _sources(source.parent) if name != source.name]
    return len(others) < _MOST and not any(_has_main(source.parent / name) for name in others)


def _sources(folder: Path) -> tuple[str, ...]:
    if not bounds.allowed(folder):
        return ()
    try:
        return _sources_of(folder, folder.stat().st_mtime_ns)
    except OSError:
        return ()


@lru_cache(maxsize=256)
def _sources_of(folder: Path, _changed: int) -> tuple[str, ...]:
    with os.scandir(folder) as entries:
        names = sorted(e.name for e in entries if Path(e.name).suffix in _SOURCES)
    return tuple(names[:_MOST])


def _has_main(path: Path) -> bool:
    try:
        return _has_main_now(path, path.stat().st_mtime_ns)
    except (OSError, UnreadableError):
        return False


@lru_cache(maxsize=1024)
def _has_main_now(path: Path, _changed: int) -> bool:
    return _MAIN.search(read_text(path, _LARGEST)) is not None
