"""The sources that a run may read, as one digest: by their contents, wherever they lie.

Contents are remembered by size, times and inode, as Git's index does, so that a project of
thousands of files is not read each time. A file that changed within the grain of the clock is read
again.

Sources are files whose names end as sources' do, and whatever else an `#include` names. Where
macros say what is included, every file is a source.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.build_files import is_build_file
from perflint.frontend.finder import SUFFIXES
from perflint.frontend.source.project.option_files import is_option_file
from perflint.frontend.source.project.run_files import is_run_file

#: Entries of a project beyond which it is not looked through, and nothing is kept.
MOST_ENTRIES = 60_000
#: Files beyond this size are not read as sources: size and time tell them.
_LARGEST = 64 << 20
#: Contents of files that only might be sources.
_LARGEST_OTHER = 1 << 20
#: A file younger than this may change and keep its times.
_GRAIN_NS = 2 * 10**9
#: What others wrote, thousands of files of it, that no source includes by its place.
_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__"})
_VENV = "pyvenv.cfg"  #: marks a virtual environment, which is left out too
BUILD = "CMakeCache.txt"  #: marks a build, in which the front end does not search for headers
_NAMED = pattern(rb'include(?:_next)?[ \t]*\(?[ \t]*[<"]([^<>"\n]+)[>"]')
#: An `#include` (or `__has_include`) of anything but a name.
_COMPUTED = pattern(
    rb'#[ \t]*include(?:_next)?\b[ \t]*(?:[^ \t<"]|\Z)|__has_include\w*[ \t]*\([ \t]*[^ \t<"]'
)

Status = tuple[int, int, int, int]  #: size, times of the contents and of the inode, inode


def _tells(name: str) -> bool:
    """Whether a file of this name may say how a source is built, or its program run."""
    return is_build_file(name) or is_run_file(name) or is_option_file(name)


@dataclass(frozen=True)
class Tree:
    """The files below some folders, by real path but for links; and where links lead."""

    tops: tuple[str, ...]
    files: Mapping[str, Status]
    links: Mapping[str, str]


@dataclass(frozen=True)
class Content:
    """What is remembered of one file."""

    status: Status
    digest: str
    includes: tuple[str, ...] | None  #: names, of unusual suffix, that it includes; None: any


@dataclass(frozen=True)
class Memo:
    """The contents of a project's files when they were last read."""

    contents: Mapping[str, Content] = field(default_factory=dict)

    @classmethod
    def of(cls, data: bytes | None) -> Memo:
        """The memo of some bytes; an empty one if they are none."""
        if data is None:
            return cls()
        try:
            rows = json.loads(zlib.decompress(data))
            return cls({path: _content(*row) for path, row in rows.items()})
        except (ValueError, TypeError, AttributeError, zlib.error):
            return cls()

    @classmethod
    def lasting(cls, read: Mapping[str, Content]) -> Memo:
        """What may be remembered of files read just now: they are older than the clock's grain."""
        latest = time.time_ns() - _GRAIN_NS
        return cls({path: c for path, c in read.items() if max(c.status[1:3]) < latest})

    def packed(self) -> bytes:
        """The memo as bytes."""
        rows = {p: (c.status, c.digest, c.includes) for p, c in self.contents.items()}
        return zlib.compress(json.dumps(rows).encode("ascii"), 1)


def status_of(status: os.stat_result) -> Status:
    """What tells that a file is as it was."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _content(status: list[int], digest: str, includes: list[str] | None) -> Content:
    size, written, changed, inode = status
    return Content(
        (size, written, changed, inode), digest, None if includes is None else tuple(includes)
    )


# --- which files there are ------------------------------------------------------------------------


def listed(tops: Iterable[Path], files: Iterable[Path], without: Path | None) -> Tree | None:
    """What lies below some folders, with single files beside; None if that is too much.

    Nothing hidden is read (`perflint.base.bounds`). `without` is where results are kept.
    """
    found = _Listing({os.path.realpath(without)} if without else set())
    folders = sorted({os.path.realpath(path) for path in tops}, key=len)
    for path in (*folders, *map(os.path.realpath, files)):
        if path not in found.files and not found.add(path):
            return None
    outermost = [p for p in folders if not any(p.startswith(f"{o}{os.sep}") for o in folders)]
    return Tree(tuple(sorted(outermost)), found.files, found.links)


class _Listing:
    """The state of one search."""

    def __init__(self, seen: set[str]) -> None:
        self._seen = seen  #: folders
        self._entries = 0
        self.files: dict[str, Status] = {}
        self.links: dict[str, str] = {}

    def add(self, top: str) -> bool:
        """Look through a folder, or at a file; False if there is too much of it."""
        if not os.path.isdir(top):  # noqa: PTH112 - of every file in the tree, here and below
            self._file(top)
            return True
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            if folder in self._seen:
                continue
            self._seen.add(folder)
            try:
                with os.scandir(folder) as listing:
                    entries = [e for e in listing if not e.name.startswith(".")]
            except OSError:
                self.links[folder] = "unreadable"
                continue
            self._entries += len(entries)
            if self._entries > MOST_ENTRIES:
                return False
            if folder != top and any(entry.name == _VENV for entry in entries):
                self.links[folder] = "left out"
                continue
            for entry in entries:
                self._entry(entry, waiting)
        return True

    def _entry(self, entry: os.DirEntry[str], waiting: list[str]) -> None:
        if entry.is_symlink():
            try:
                self.links[entry.path] = os.readlink(entry.path)  # noqa: PTH115
            except OSError:
                self.links[entry.path] = "unreadable"
            if entry.name not in _SKIPPED:
                self._file(entry.path)
        elif entry.is_dir(follow_symlinks=False):
            if entry.name not in _SKIPPED:
                waiting.append(entry.path)
        else:
            self._file(entry.path)

    def _file(self, path: str) -> None:
        try:
            status = os.stat(path)  # noqa: PTH116
        except (OSError, ValueError):
            return
        if stat.S_ISREG(status.st_mode):
            self.files[path] = status_of(status)
        elif not stat.S_ISDIR(status.st_mode):
            self.links[path] = "no regular file"


# --- what is in them ------------------------------------------------------------------------------


def stamp(tree: Tree, before: Memo, *, python: bool) -> tuple[bytes, Memo]:
    """A digest of all sources of a tree, and what is to be remembered of them.

    `python`: sources in Python count too, which PTX made of them names.
    """
    read = sources(tree, before, python=python)
    lines = [f"{path}\0{read[path].digest}" for path in sorted(read)]
    lines += [f"{path}\0>{target}" for path, target in sorted(tree.links.items())]
    lines += sorted(path for path in tree.files if os.path.basename(path) == BUILD)  # noqa: PTH119
    text = "\n".join((*tree.tops, *lines)).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(text, digest_size=24).digest(), Memo.lasting(read)


def sources(tree: Tree, before: Memo, *, python: bool) -> dict[str, Content]:
    """The sources of a tree, and whatever else they may include."""
    suffixes = SUFFIXES | {".ptx"} | ({".py"} if python else set())
    plain = [
        path
        for path in tree.files
        if _suffix(path) in suffixes or _tells(os.path.basename(path))  # noqa: PTH119
    ]
    read = {path: content(path, tree.files[path], before) for path in plain}
    others = _others(tree, read, suffixes)
    while others:
        more = {path: content(path, tree.files[path], before) for path in others}
        read |= more
        others = [path for path in _others(tree, more, suffixes) if path not in read]
    return read


def _others(tree: Tree, read: Mapping[str, Content], suffixes: frozenset[str]) -> list[str]:
    """The files of unusual suffix that some files may include."""
    if any(content.includes is None for content in read.values()):
        return [path for path in tree.files if _suffix(path) not in suffixes]
    names = {name for content in read.values() for name in content.includes or ()}
    if not names:
        return []
    return [
        path
        for path in tree.files
        if os.path.basename(path) in names and _suffix(path) not in suffixes  # noqa: PTH119
    ]


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()  # noqa: PTH122


def content(path: str, status: Status, before: Memo) -> Content:
    """What a file holds: as remembered, if it is as it was."""
    known = before.contents.get(path)
    if known is not None and known.status == status:
        return known
    largest = _LARGEST if _suffix(path) in SUFFIXES | {".ptx", ".py"} else _LARGEST_OTHER
    data = _read(path) if status[0] <= largest else None
    if data is None:
        return Content(status, " ".join(map(str, status[:2])), ())
    return Content(status, hashlib.blake2b(data, digest_size=16).hexdigest(), _includes(data))


def _read(path: str) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            return file.read(_LARGEST + 1)
    except OSError:
        return None


def _includes(data: bytes) -> tuple[str, ...] | None:
    """The names of unusual suffix that a text includes; None if macros may name any."""
    if b"include" not in data:
        return ()
    if _COMPUTED.search(data):
        return None
    named = {m[1].rpartition(b"/")[2].decode("utf-8", "replace") for m in _NAMED.finditer(data)}
    return tuple(sorted(name for name in named if _suffix(name) not in SUFFIXES))
