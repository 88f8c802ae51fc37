"""The text of a source as reports quote it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from perflint.base import bounds


def read_source(path: Path) -> str | None:
    """A source file's text, as its bytes are read for checking.

    None if it cannot be read, as a binary file, or is none of the project's sources, whatever a PTX
    file calls its source: then nothing of it is shown.
    """
    from perflint.frontend.finder import SUFFIXES
    from perflint.frontend.source.project.user_files import decode, standing_in

    if path.suffix.lower() not in SUFFIXES | {".ptx", ".py"} or not bounds.allowed(path):
        return None
    try:
        if (data := standing_in(path)) is not None:
            return decode(data)
        status = path.stat()
        return _remembered(path.absolute(), status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):  # UnreadableError is one
        return None


def is_unsaved(path: Path) -> bool:
    """Whether a text came in the place of a file that is not there: on standard input."""
    from perflint.frontend.source.project.user_files import standing_in

    return standing_in(path) is not None and not path.exists()


@lru_cache(maxsize=64)
def _remembered(path: Path, _changed: int, _size: int) -> str:
    from perflint.frontend.source.project.user_files import (
        LARGEST_FILE,
        LARGEST_PTX,
        decode,
        read_bytes,
    )

    largest = LARGEST_PTX if path.suffix.lower() == ".ptx" else LARGEST_FILE
    return decode(read_bytes(path, largest))
