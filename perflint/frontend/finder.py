"""Where a header is: beside the file, in the usual folders, or anywhere in the project.

Anywhere in the project is a guess. It is made where one file alone can be meant, and that file is
no other program's: a wrong `config.h` gives findings on sizes that nobody compiles.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath

from perflint.base import bounds
from perflint.base.patterns import pattern
from perflint.base.real_paths import is_file, is_folder
from perflint.base.records import dataclass
from perflint.base.relocation import here
from perflint.frontend import configured_headers
from perflint.frontend.build_files import build_folders
from perflint.frontend.known_headers import is_cuda, is_host, is_pytorch, may_be_the_projects, own
from perflint.frontend.source.project.user_files import UnreadableError, read_text, words

#: Suffixes of files that a source may include.
SUFFIXES = words(
    """
    .h .hpp .hh .hxx .h++ .cuh .cu .inl .inc .ipp .tpp .txx .tcc .c .cc .cpp .cxx .def .cl .icc
    .impl .in .cmake .cmakein .x .kernel .hin
    """
)
_SIBLINGS = ("include", "inc", "includes", "src", "common", "Common", "util", "utils", "utilities")
_LEVELS = 5  #: how far up those are looked for: `CUDA/common` from `CUDA/linear-algebra/kernels/x`
#: The largest project that is searched: files, not folders.
_INDEX_FILES = 100_000
#: The same for a folder that is no repository: somebody's home, perhaps.
_LOOSE_FILES = 20_000
#: Folders of what others wrote, and files that mark a virtual environment or a build.
_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "CMakeFiles"})
_NOT_SOURCES = frozenset({"pyvenv.cfg", "CMakeCache.txt"})
#: Sources that may hold a program's `main`, and how it begins.
_HOLD_MAIN = frozenset({".cu", ".c", ".cc", ".cpp", ".cxx"})
_MAIN = pattern(
    r"^[ \t]*(?:extern[ \t]+\"C\"[ \t]+)?(?:int[ \t\n]+|void[ \t\n]+)?w?main[ \t]*\(", re.M
)
_LIBRARY = pattern(r"^[ \t]*(?:cuda_)?add_library[ \t\n]*\(", re.M | re.I)


@dataclass(frozen=True)
class Resolution:
    """What an `#include` refers to."""

    kind: str  #: `user`, `cuda`, `own`, `host`, `missing`, `refused`
    path: Path | None = None  #: of a `user` header
    name: str = ""  #: as included, a macro expanded
    #: for `user`: `beside`, `given`, `sibling`, `index`; for `refused`: why; for `missing`: why
    #: none of the project's files of that name is taken; for `own`: `instead` of one that is given
    how: str = ""


@dataclass(frozen=True)
class Finder:
    """Finds the headers of one source file."""

    main: Path  #: absolute
    root: Path  #: the project's
    bounded: bool  #: the root is a repository's: nothing outside it is read
    folders: tuple[Path, ...]  #: the user's -I folders
    before: tuple[Path, ...] = ()  #: headers read before the first line (`-include`)

    def resolve(self, name: str, quoted: bool, includer: Path) -> Resolution:
        """What `#include "name"` (or `<name>`) in `includer` refers to."""
        found = self._resolve(name, quoted, includer)
        tail = found.path and _in_copy_of_cub(found.path)
        if not tail or _in_copy_of_cub(self.main):
            return found
        return Resolution("cuda" if is_cuda(tail) else "host", name=tail)

    def _resolve(self, name: str, quoted: bool, includer: Path) -> Resolution:
        if "\0" in name:
            return _MISSING
        if Path(name).is_absolute():
            return self._checked(here(Path(name)), "given", absolute=True)
        if quoted and (found := self._in((includer.parent,), name, "beside")):
            return found
        plain = str(PurePosixPath(name))
        found = self._in(self.folders, name, "given")
        if is_pytorch(plain):  # whose own headers want a host compiler's library
            return Resolution("own", how="instead" if found else "")
        if found:
            return found
        if may_be_the_projects(plain):
            own_one = self._in_index(plain, includer)
            if own_one.kind == "user":
                return own_one
        for kind, test in (("own", own), ("cuda", is_cuda), ("host", is_host)):
            if test(name if kind == "cuda" else plain):  # the compiler is given the name as it is
                return Resolution(kind)
        folders = (
            *(includer.parent, self.main.parent),
            *build_folders(self.main, self.root),
            *_usual_folders(self.main.parent),
            *(self._above(includer) if "/" in plain else ()),
        )
        if found := self._in(folders, name, "sibling"):
            return found
        templates = [plain + suffix for suffix in configured_headers.SUFFIXES]
        elsewhere = [PurePosixPath(each).name for each in templates]  # a template may lie there
        for written in (plain, *templates, *elsewhere):
            indexed = self._in_index(written, includer)
            if indexed.kind == "user" or indexed.how:
                return indexed
        # Whether it is there at all is not told.
        outside = not all(bounds.allowed(f / name) for f in (includer.parent, *self.folders))
        return self._refused() if outside else _MISSING

    def _above(self, includer: Path) -> Sequence[Path]:
        """The folders around an includer from which a header may be called by its path."""
        around = includer.parents
        return [folder for folder in around if folder.is_relative_to(self.root)]

    def _in(self, folders: Sequence[Path], name: str, how: str) -> Resolution | None:
        for folder in folders:
            path = folder / name
            # in most folders there is none: to follow its links takes a look at each folder above
            if os.path.lexists(path) and bounds.allowed(path) and not is_folder(path):
                return self._checked(path, how)
        return None

    def _checked(self, path: Path, how: str, absolute: bool = False) -> Resolution:
        """The file, unless it is one that a project's source has no business with."""
        if not bounds.allowed(path):
            return self._refused()
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return _MISSING
        if not is_file(real):
            return Resolution("refused", real, how="it is not a regular file")
        if any(real.is_relative_to(folder) for folder in (self.root, *self.folders)):
            return Resolution("user", real, how=how)
        if absolute or self.bounded:
            return self._refused()
        if real.suffix.lower() not in SUFFIXES:
            return Resolution("refused", real, how="it is outside the project and no source file")
        return Resolution("user", real, how=how)

    def _refused(self) -> Resolution:
        return Resolution("refused", how=f"it is outside the project, {self.root}")

    def _in_index(self, name: str, includer: Path) -> Resolution:
        """The project's only file of that name, if it is no other program's."""
        wanted = PurePosixPath(*(p for p in PurePosixPath(name).parts if p not in ("..", ".")))
        named = [
            path
            for path in map(Path, project_index(self.root).get(wanted.name, ()))
            if path.parts[-len(wanted.parts) :] == wanted.parts
        ]
        near = [path for path in named if not self._is_anothers(path, includer)]
        # Of several, the one below the includer's own folder is meant.
        below = [path for path in near if path.is_relative_to(includer.parent)]
        if len(below) == 1 or (near and _are_alike(near)):
            found = min(below or near, key=lambda p: (-_shared(p, includer), len(p.parts), str(p)))
            return Resolution("user", found, how="index")
        if not named:
            return _MISSING
        shown = ", ".join(sorted(str(p.relative_to(self.root)) for p in near or named)[:3])
        why = "several files have that name" if near else "that is a file of another program"
        return Resolution("missing", how=f"{why} ({shown}); -I DIR says which is meant")

    def _is_anothers(self, path: Path, includer: Path) -> bool:
        """Whether a file lies in a folder of a program that the includer is no part of."""
        own = {self.main.parent, *self.main.parents, includer.parent, *includer.parents}
        folders = (f for f in path.parents if f not in own and self.root in f.parents)
        return any(_holds_main(f) and not _makes_library(f) for f in folders)


_MISSING = Resolution("missing")


def _in_copy_of_cub(path: Path) -> str:
    """A header's name below a project's own copy of CUB, for which CUDA's stands in; "" if none.

    The copies are of many years ago, of a CUB that no compiler without a host takes.
    """
    for folder in path.parents:
        if folder.name == "cub" and _is_cub(folder):
            return f"cub/{path.relative_to(folder).as_posix()}"
    return ""


@lru_cache(maxsize=256)
def _is_cub(folder: Path) -> bool:
    return all(is_file(folder / n) for n in ("cub.cuh", "block/block_scan.cuh", "util_type.cuh"))


def _shared(one: Path, other: Path) -> int:
    """How many leading folders two paths have in common."""
    count = 0
    for a, b in zip(one.parts, other.parts, strict=False):
        if a != b:
            break
        count += 1
    return count


def _are_alike(paths: Sequence[Path]) -> bool:
    """Whether it does not matter which one is taken."""
    if len(paths) == 1:
        return True
    try:
        return len({read_text(path) for path in paths}) == 1
    except UnreadableError:
        return False


@lru_cache(maxsize=4096)
def _holds_main(folder: Path) -> bool:
    """Whether a source of a folder has a `main`."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(e.name for e in entries if Path(e.name).suffix in _HOLD_MAIN)
    except OSError:
        return False
    return any(_has_main(folder / name) for name in names)


@lru_cache(maxsize=4096)
def _makes_library(folder: Path) -> bool:
    """Whether a folder's own CMake file makes a library of it, for others to include."""
    path = folder / "CMakeLists.txt"
    try:
        return is_file(path) and bounds.allowed(path) and bool(_LIBRARY.search(read_text(path)))
    except UnreadableError:
        return False


def _has_main(path: Path) -> bool:
    try:
        return bounds.allowed(path) and bool(_MAIN.search(read_text(path)))
    except UnreadableError:
        return False


@lru_cache(maxsize=1024)
def _usual_folders(folder: Path) -> tuple[Path, ...]:
    above = [folder, *folder.parents][:_LEVELS]
    candidates = [f / s for f in above for s in _SIBLINGS] + above[1:3]
    return tuple(f for f in candidates if is_folder(f))


def project_root(path: Path, given: Path | None = None) -> tuple[Path, bool]:
    """(the project's folder, whether it is a git repository's).

    The repository's if there is one, else the folder given if the file is in it, else the file's.
    """
    if root := bounds.repository(path.parent):
        return root, True
    if given is not None and path.is_relative_to(given.resolve()):
        return given.resolve(), False
    return path.parent, False


def _files(root: str) -> Iterator[os.DirEntry[str]]:
    """The files of a project, each folder's own before those of the folders in it."""
    waiting = [root]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        folders: list[os.DirEntry[str]] = []
        files: list[os.DirEntry[str]] = []
        for entry in entries:
            (folders if _is_folder(entry) else files).append(entry)
        if here != root and any(e.name in _NOT_SOURCES for e in files):
            continue
        yield from files
        inner = (e for e in reversed(folders) if not e.is_symlink())
        waiting += (e.path for e in inner if e.name[0] != "." and e.name not in _SKIPPED)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


@lru_cache(maxsize=16)
def project_index(root: Path) -> Mapping[str, Sequence[str]]:
    """The paths of a project's sources and headers by file name. Links are not followed.

    Of a huge folder only a part is looked at: the index is a help, no more. It is of text: a large
    repository has thousands of files, of which a path is asked for here and there.
    """
    index: dict[str, list[str]] = {}
    most = _INDEX_FILES if (root / ".git").exists() else _LOOSE_FILES
    for entry in islice(_files(os.fspath(root)), most):
        suffix = os.path.splitext(entry.name)[1].lower()  # noqa: PTH122 a Path takes ten times as long
        if suffix in SUFFIXES and not entry.is_symlink():
            index.setdefault(entry.name, []).append(entry.path)
    return index
