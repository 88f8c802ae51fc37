"""The text of a source as reports quote it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from perflint.base import bounds


def read_source(path: Path) -> str | None:
    """A source file's text as UTF-8, wrong bytes replaced.

    None if it cannot be read or is none of the project's sources, whatever a PTX file calls its
    source: then nothing of it is shown.
    """
    from perflint.frontend.finder import SUFFIXES
    from perflint.frontend.source.project.user_files import standing_in

    if path.suffix.lower() not in SUFFIXES | {".ptx", ".py"} or not bounds.allowed(path):
        return None
    if (data := standing_in(path)) is not None:
        return data.decode("utf-8", errors="replace")
    try:
        status = path.stat()
        return _remembered(path.absolute(), status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):  # UnreadableError is one
        return None


@lru_cache(maxsize=64)
def _remembered(path: Path, _changed: int, _size: int) -> str:
    from perflint.frontend.source.project.user_files import LARGEST_FILE, LARGEST_PTX, read_bytes

    largest = LARGEST_PTX if path.suffix.lower() == ".ptx" else LARGEST_FILE
    return read_bytes(path, largest).decode("utf-8", errors="replace")
