"""Which files belong to one program, and which of them an `#include` means."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from perflint.frontend.preprocessor import Finder
from perflint.frontend.reading import read_text

INCLUDE_SIZE = 1 << 20  #: bytes of one header that are read


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


def _read(path: Path) -> str | None:
    """A header's text if it is a regular file of sane size; devices and pipes are left alone."""
    try:
        return read_text(path, INCLUDE_SIZE) if path.is_file() else None
    except (OSError, ValueError):
        return None


def is_named(path: Path, name: str, source: Path | None) -> bool:
    """Whether an `#include` of `name` (in `source`) can mean the file `path`."""
    if source is not None and os.path.normpath(source.parent / name) == os.path.normpath(path):
        return True
    parts = tuple(p for p in Path(name).parts if p not in ("..", "."))
    return bool(parts) and path.parts[-len(parts) :] == parts
