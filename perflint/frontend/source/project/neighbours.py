"""Which files belong to one program, and which of them an `#include` means."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path

from perflint.base import bounds
from perflint.base.real_paths import is_file
from perflint.frontend.source.language.preprocessor import Finder
from perflint.frontend.source.language.tokens import LAUNCH
from perflint.frontend.source.project.user_files import read_text

INCLUDE_SIZE = 1 << 20  #: bytes of one header that are read


COMPANION_LIMIT = 64
LAUNCHING_LIMIT = 4  #: sources beside a file that are read for launches of its kernels
HOST = frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl"})
#: Folders that hold parts of the program next door.
_NEIGHBOURS = {"src", "source", "include", "inc", "kernel", "kernels", "cuda", "common", "util"}


def among(texts: Mapping[Path, str]) -> Finder:
    """Finds included headers among the given texts: beside the file, else the one of that name."""

    def find(source: Path, name: str, quoted: bool) -> tuple[Path, str] | None:
        beside = Path(os.path.normpath(source.parent / name))
        matches = [beside] if beside in texts else [p for p in texts if is_named(p, name, None)]
        near = [p for p in matches if related(p, source)] or matches
        return (near[0], texts[near[0]]) if len(near) == 1 else None

    return find


def related(first: Path, second: Path) -> bool:
    """Whether two files may belong to one program: one's folder holds the other's, or nearly."""
    a, b = os.path.split(first)[0], os.path.split(second)[0]  # of thousands: not by pathlib
    if a == b or _holds(a, b) or _holds(b, a):
        return True
    (above_a, name_a), (above_b, name_b) = os.path.split(a), os.path.split(b)
    return above_a == above_b and (name_a in _NEIGHBOURS or name_b in _NEIGHBOURS)


def _holds(folder: str, other: str) -> bool:
    if not folder:  # the working directory
        return not Path(other).is_absolute()
    return other.startswith(folder if folder.endswith(os.sep) else folder + os.sep)


def companions(path: Path, endings: Collection[str] = HOST) -> dict[Path, str]:
    """The host sources and headers that lie beside a file: who calls into it, who sets what.

    Those with other endings, where they are given. At most COMPANION_LIMIT, none larger than
    INCLUDE_SIZE. A file that is not on the disk has none: its text came from elsewhere.
    """
    try:
        if not is_file(path):
            return {}
        with os.scandir(path.parent) as entries:
            names = sorted(e.name for e in entries if Path(e.name).suffix in endings)
    except OSError:
        return {}
    places = (path.parent / name for name in names[:COMPANION_LIMIT] if name != path.name)
    return {place: text for place in places if (text := _read(place)) is not None}


def beside_launching(path: Path, kernels: Collection[str]) -> list[tuple[Path, str]]:
    """The sources of CUDA beside a file, with their texts, that launch kernels of its names.

    And define none of these: what defines one launches its own.
    """
    names = "|".join(map(re.escape, sorted(kernels)))
    launch = re.compile(rf"\b(?:{names})\s{{0,20}}(?:<[^;{{}}]{{0,200}}>\s{{0,20}})?{LAUNCH}")
    own = re.compile(
        rf"\b__global__\b[^;{{}}]{{0,500}}\b(?:{names})\s{{0,20}}\([^;{{}}]{{0,2000}}\)\s{{0,50}}\{{"
    )
    texts = sorted(companions(path, {".cu"}).items())
    found = [(p, text) for p, text in texts if launch.search(text) and not own.search(text)]
    return found[:LAUNCHING_LIMIT]


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
