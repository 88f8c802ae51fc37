"""Which files belong to one program, and which of them an `#include` means."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from perflint import bounds
from perflint.frontend.reading import read_text
from perflint.frontend.source.preprocessor import Finder

INCLUDE_SIZE = 1 << 20  #: bytes of one header that are read


COMPANION_LIMIT = 64
_HOST = {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl"}
#: Folders that hold parts of the program next door.
_NEIGHBOURS = {"src", "source", "include", "inc", "kernel", "kernels", "cuda", "common", "util"}


def finder(texts: Mapping[Path, str], include: Sequence[Path]) -> Finder:
    """Finds included project headers: among the given texts, beside the file, on the path."""
    by_name: dict[str, list[Path]] = defaultdict(list)
    for given in sorted(texts):
        by_name[given.name].append(given)
    found_texts: dict[str, str | None] = {}

    def find(source: Path, name: str, quoted: bool) -> tuple[Path, str] | None:
        if Path(name).is_absolute() or "\0" in name or len(name) > 1024:
            return None
        for folder in (source.parent, *include):
            place = os.path.normpath(folder / name)
            if place not in found_texts:
                path = Path(place)
                found_texts[place] = texts[path] if path in texts else _read(path)
            text = found_texts[place]
            if text is not None:
                return Path(place), text
        matches = [p for p in by_name.get(name.rpartition("/")[2], ()) if is_named(p, name, None)]
        near = [p for p in matches if related(p, source)] or matches
        return (near[0], texts[near[0]]) if len(near) == 1 else None

    return find


def related(first: Path, second: Path) -> bool:
    """Whether two files may belong to one program: one's folder holds the other's, or nearly."""
    a, b = first.parent, second.parent
    if a == b or a in b.parents or b in a.parents:
        return True
    return a.parent == b.parent and (a.name in _NEIGHBOURS or b.name in _NEIGHBOURS)


def companions(path: Path) -> dict[Path, str]:
    """The host sources and headers that lie beside a file: who calls into it, who sets what.

    At most COMPANION_LIMIT, none larger than INCLUDE_SIZE. A file that is not on the disk has
    none: its text came from elsewhere.
    """
    try:
        if not path.is_file():
            return {}
        with os.scandir(path.parent) as entries:
            names = sorted(e.name for e in entries if Path(e.name).suffix in _HOST)
    except OSError:
        return {}
    places = (path.parent / name for name in names[:COMPANION_LIMIT] if name != path.name)
    return {place: text for place in places if (text := _read(place)) is not None}


def _read(path: Path) -> str | None:
    """A header's text if it is a regular file of sane size that may be read."""
    if not bounds.allowed(path):
        return None
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > INCLUDE_SIZE:
            return None
        return _remembered(path, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=512)
def _remembered(path: Path, _changed: int, _size: int) -> str:
    """Every file of a folder includes the same headers and has the same companions."""
    return read_text(path, INCLUDE_SIZE)


def is_named(path: Path, name: str, source: Path | None) -> bool:
    """Whether an `#include` of `name` (in `source`) can mean the file `path`."""
    if source is not None and os.path.normpath(source.parent / name) == os.path.normpath(path):
        return True
    parts = tuple(p for p in Path(name).parts if p not in ("..", "."))
    return bool(parts) and path.parts[-len(parts) :] == parts
