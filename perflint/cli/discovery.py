"""From the paths on the command line to the files to check."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path

from perflint.base import bounds
from perflint.base.records import dataclass
from perflint.cli.cuda_in_cpp import SOURCES, defines_kernel
from perflint.cli.globs import MOST_PATTERNS, Globs

SUFFIXES = (".cu", ".cuh", ".ptx")
SEARCHED = (*SUFFIXES, *SOURCES)  #: of the files that are looked for in folders
CERTAIN = (".cu", ".ptx")  #: files that are checked whatever they hold
#: Files that are checked when they are named and have a kernel: a build may compile them as CUDA.
NAMED_SUFFIXES = (
    *(".c", ".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx", ".h++"),
    *(".inl", ".inc", ".ipp", ".tpp", ".txx", ".tcc", ".impl", ".hip"),
)
#: Directories that are never searched; so are those that hold a `pyvenv.cfg`.
SKIPPED = frozenset(
    {".git", ".hg", ".svn", ".tox", ".nox", ".venv", "__pycache__", "node_modules", "site-packages"}
)

_LARGEST_IGNORE = 1 << 20  #: bytes of a `.gitignore`


class PathError(Exception):
    """A path on the command line that cannot be checked."""


@dataclass(frozen=True)
class Found:
    """The files to check, sorted, each once."""

    files: tuple[Path, ...]
    warnings: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()  #: files that were named and are no CUDA or PTX, and why


@dataclass(frozen=True)
class _Ignores:
    """The patterns that hold in a directory: (directory they are relative to, patterns)."""

    specs: tuple[tuple[Path, Globs], ...] = ()

    def with_file(self, file: Path, directory: Path, warnings: list[str]) -> _Ignores:
        """These and those of a file, if it is there; its patterns are relative to `directory`."""
        from perflint.frontend.source.project.user_files import UnreadableError, read_bytes

        if not os.path.lexists(file):
            return self
        try:
            text = read_bytes(file, _LARGEST_IGNORE).decode("utf-8", errors="replace")
        except UnreadableError as error:
            warnings.append(f"{file} is not used: it {error}")
            return self
        globs = Globs(text.split("\n"))
        if globs.cut:
            warnings.append(f"{file}: only its first {MOST_PATTERNS} patterns are used")
        return _Ignores((*self.specs, (directory, globs)))

    def match(self, path: Path, *, directory: bool) -> bool:
        """Whether path (absolute) is ignored; the deepest file that says anything decides."""
        for base, spec in reversed(self.specs):
            decision = spec.decision(path.relative_to(base).as_posix(), directory=directory)
            if decision is not None:
                return decision
        return False


@dataclass
class _Search:
    """The state of one search."""

    exclude: tuple[tuple[Path, Globs], ...]
    words: tuple[bytes, ...]  #: a `.cuh` or `.py` in a folder is taken if it holds one of them
    suffixes: tuple[str, ...] = SEARCHED  #: of the files that are looked for in folders
    files: dict[Path, Path] = field(default_factory=dict)  #: resolved → as found
    warnings: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def excluded(self, path: Path, *, directory: bool) -> bool:
        return any(
            globs.match(path.relative_to(base).as_posix(), directory=directory)
            for base, globs in self.exclude
            if path.is_relative_to(base)
        )

    def add(self, path: Path) -> None:
        self.files.setdefault(path.resolve(), path)


def discover(
    paths: Sequence[Path],
    *,
    exclude: Sequence[tuple[Path, str]] = (),
    force_exclude: bool = False,
    words: tuple[bytes, ...] = (b"__global__",),
    suffixes: tuple[str, ...] = SEARCHED,
) -> Found:
    """The CUDA and PTX files that `paths` name, or others of the `suffixes` in folders.

    A file is taken whatever `.gitignore` says, and whatever `exclude` says unless
    `force_exclude`; one of C++'s if it has a kernel. A directory is searched for `.cu`, `.ptx`,
    `.cuh` with a kernel (one of the `words`) and C++ sources that define one, less what
    `.gitignore` files (its own, those below, and those above up to the repository's root) and
    `exclude` (patterns of the same kind, each with the folder it is relative to) leave out. Links
    to directories are not followed.

    Raises PathError for a path that does not exist, is no regular file or cannot be read.
    """
    bases = dict.fromkeys(base for base, _ in exclude)
    search = _Search(
        tuple((_absolute(base), Globs(p for b, p in exclude if b == base)) for base in bases),
        words,
        suffixes,
    )
    for path in paths:
        if _is_directory(path):
            if not (force_exclude and search.excluded(_absolute(path), directory=True)):
                _search_directory(path, search)
        elif not (force_exclude and search.excluded(_absolute(path), directory=False)):
            if why := not_checked(path, partial(_holds, path, words)):
                search.refused.append(why)
            else:
                search.add(path)
    found = tuple(sorted(search.files.values(), key=str))
    return Found(found, tuple(search.warnings), tuple(search.refused))


def not_checked(path: Path, holds: Callable[[], bool]) -> str:
    """Why a file that is named is not checked; "" if it is. `holds` tells if it has a kernel."""
    suffix = path.suffix.lower()
    if suffix in SUFFIXES:
        return ""
    if suffix not in NAMED_SUFFIXES:
        return f"{path}: not a .cu, .cuh or .ptx file"
    return "" if holds() else f"{path}: not a .cu, .cuh or .ptx file, and has no kernel"


def _is_directory(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise PathError(f"{path}: no such file or directory") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise PathError(f"{path}: {reason}") from None
    if stat.S_ISDIR(mode):
        return True
    if not stat.S_ISREG(mode):
        raise PathError(f"{path}: not a regular file")
    if not os.access(path, os.R_OK):
        raise PathError(f"{path}: permission denied")
    return False


def _search_directory(top: Path, search: _Search) -> None:
    before = len(search.files)
    absolute = _absolute(top)
    ignores = _inherited_ignores(absolute, search.warnings)
    if ignores.match(absolute, directory=True):  # asked for by name, so it is wanted
        ignores = _Ignores()
    for path in _walk(top, absolute, ignores, search):
        search.add(path)
    if len(search.files) == before and not any(
        resolved.is_relative_to(top.resolve()) for resolved in search.files
    ):
        search.warnings.append(f"no CUDA or PTX files found under {top}")


def _inherited_ignores(directory: Path, warnings: list[str]) -> _Ignores:
    """The `.gitignore` files from the repository's root down to the directory's parent."""
    root = bounds.repository(directory)
    if root is None:
        return _Ignores()
    # .git/info/exclude holds in the whole repository
    inherited = _Ignores().with_file(root / ".git" / "info" / "exclude", root, warnings)
    chain = [directory, *directory.parents]
    for parent in reversed(chain[1 : chain.index(root) + 1]):
        inherited = inherited.with_file(parent / ".gitignore", parent, warnings)
    return inherited


def _walk(shown: Path, absolute: Path, ignores: _Ignores, search: _Search) -> Iterator[Path]:
    """Every file to check under a directory, in the order of names, without recursion."""
    waiting = [(shown, absolute, ignores)]
    while waiting:
        shown, absolute, ignores = waiting.pop()
        try:
            with os.scandir(absolute) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            search.warnings.append(f"cannot read the directory {shown}: {error.strerror}")
            continue
        ignores = ignores.with_file(absolute / ".gitignore", absolute, search.warnings)
        for entry in entries:
            path = absolute / entry.name
            try:
                directory = entry.is_dir(follow_symlinks=False)
                regular = entry.is_file()
            except OSError:  # a link in a loop
                continue
            if not directory and not (regular and path.suffix.lower() in search.suffixes):
                continue
            if ignores.match(path, directory=directory):
                continue
            if search.excluded(path, directory=directory):
                continue
            if directory:
                if entry.name not in SKIPPED and not (path / "pyvenv.cfg").exists():
                    waiting.append((shown / entry.name, path, ignores))
            elif _is_wanted(path, search.words):
                yield shown / entry.name


def _is_wanted(path: Path, words: Sequence[bytes]) -> bool:
    """Whether a file of a folder is checked."""
    from perflint.frontend.source.project.user_files import UnreadableError, read_bytes

    suffix = path.suffix.lower()
    if suffix not in SOURCES:
        return suffix in CERTAIN or _holds(path, words)
    try:
        return defines_kernel(read_bytes(path))
    except UnreadableError:
        return False  # C++ like most, as far as is known


def _holds(path: Path, words: Sequence[bytes]) -> bool:
    from perflint.frontend.source.project.user_files import UnreadableError, read_bytes

    try:
        text = read_bytes(path)
        return any(word in text for word in words)
    except UnreadableError:
        return True  # the front end says why it cannot be read


def _absolute(path: Path) -> Path:
    """Absolute, without `..`, links left as they are."""
    return Path(os.path.abspath(path))  # noqa: PTH100 (Path.absolute keeps `..`)
