"""Which files may be read on behalf of the files that are checked: one bound for every reader.

A source can name any path, in `#include`, in PTX's `.file`, in a build's flags, through a link.
What is read may end in a report, so nothing is read but regular files inside the project, or below
a folder that the command line gave; and of those nothing hidden (`.git/config`, `.env`), unless
the command line gave the hidden folder itself.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from perflint.base.records import dataclass

OUTSIDE = "is outside the project"


@dataclass(frozen=True)
class Bound:
    """Folders whose files may be read, and files given by name; real paths."""

    folders: tuple[Path, ...]
    files: frozenset[Path] = frozenset()
    given: tuple[Path, ...] = ()  #: the folders that are checked as a whole

    def allows(self, path: Path) -> bool:
        """Whether a path may be read, links followed. Does not tell whether anything is there."""
        try:
            real = os.path.realpath(path)
        except (OSError, ValueError):  # a NUL, a loop of links
            return False
        # as texts: this is asked for each place where a header may lie
        return any(_shows(str(folder), real) for folder in self.folders) or Path(real) in self.files


def _shows(folder: str, path: str) -> bool:
    """Whether a path is the folder or lies below it, in nothing hidden."""
    below = path.removeprefix(folder)
    if below == path or not (below.startswith(os.sep) or folder.endswith(os.sep) or not below):
        return False
    return f"{os.sep}." not in f"{os.sep}{below}"


def around(paths: Sequence[Path], given: Iterable[Path] = (), named: Iterable[Path] = ()) -> Bound:
    """The bound of a run over `paths` (files or folders), with the folders `given` beside them.

    Of `named` files, the folders are not in it.

    A file that is a link is read only if what it points to lies within the bound.
    """
    folders: dict[Path, None] = {}
    files: set[Path] = set()
    for path in paths:
        folder = Path(os.path.realpath(path if path.is_dir() else path.absolute().parent))
        folders[folder] = None
        folders[project(folder)] = None
        if not path.is_dir() and not path.is_symlink():
            files.add(folder / path.name)
    for path in given:
        folders[Path(os.path.realpath(path))] = None
    for path in named:
        if not path.is_symlink():
            files.add(Path(os.path.realpath(path.absolute().parent)) / path.name)
    whole = (Path(os.path.realpath(path)) for path in paths if path.is_dir())
    return Bound(tuple(folders), frozenset(files), tuple(whole))


_bound: ContextVar[Bound | None] = ContextVar("bound", default=None)


@contextmanager
def within(bound: Bound | None) -> Iterator[None]:
    """Let every reader keep to a bound meanwhile; None lifts it."""
    token = _bound.set(bound)
    try:
        yield
    finally:
        _bound.reset(token)


def current() -> Bound | None:
    """The bound that holds now."""
    return _bound.get()


def allowed(path: Path) -> bool:
    """Whether the bound that holds now allows a path."""
    bound = _bound.get()
    return bound is None or bound.allows(path)


def shared(paths: Iterable[Path]) -> Path:
    """The folder of some files: the nearest one that was given and holds them all, if there is one.

    A README beside `src/` tells of the sources there though no source lies beside it.
    """
    common = Path(os.path.commonpath([p.resolve().parent for p in paths]))
    bound = _bound.get()
    given = (f for f in (bound.given if bound else ()) if common.is_relative_to(f))
    return max(given, key=lambda f: len(f.parts), default=common)


def repository(folder: Path) -> Path | None:
    """The root of the repository that a folder lies in."""
    return next((f for f in (folder, *folder.parents) if (f / ".git").exists()), None)


def project(folder: Path) -> Path:
    """The project that a folder (a real path) belongs to.

    Its repository; else the working directory, if the folder lies in it; else the folder itself.
    """
    if root := repository(folder):
        return root
    here = Path(os.path.realpath(Path.cwd()))
    return here if folder.is_relative_to(here) and here != here.parent else folder


def leads_out(path: Path) -> Path | None:
    """The link by which a path leaves the tree that the link lies in; None if none does.

    A tree is a repository, the working directory, or a folder that is checked. What is written must
    not follow a stranger's links; those of the system (`/tmp`, `/dev/stdout`) are nobody's tree.
    """
    absolute = Path.cwd() / path
    at = Path(absolute.anchor)
    for part in absolute.parts[1:]:
        step = at / part
        real = Path(os.path.realpath(step))
        if step.is_symlink() and (tree := _tree(at)) and not real.is_relative_to(tree):
            return step
        at = real
    return None


def _tree(folder: Path) -> Path | None:
    """The innermost tree that a folder (a real path) lies in."""
    bound = _bound.get()
    here = Path(os.path.realpath(Path.cwd()))
    known = [*(bound.folders if bound else ()), here, repository(folder)]
    around = [f for f in known if f and f != Path(f.anchor) and folder.is_relative_to(f)]
    return max(around, key=lambda f: len(f.parts), default=None)


def own_folders(folder: Path) -> Iterator[Path]:
    """The folder and those above it that belong to the same project, as far as can be told.

    They end at the repository's root; without one, below a folder that everybody may write to and
    below the system's folder for temporary files: what lies there may be anyone's.
    """
    shared = {Path(os.path.realpath(f)) for f in (tempfile.gettempdir(), "/tmp", "/var/tmp")}
    for above in (folder, *folder.parents):
        if (above / ".git").exists():
            yield above
            return
        if above in shared or _is_everybodys(above):
            return
        yield above


def _is_everybodys(folder: Path) -> bool:
    try:
        return bool(folder.stat().st_mode & stat.S_IWOTH) and os.name == "posix"
    except OSError:
        return True
