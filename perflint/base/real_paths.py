"""Where paths lead to when links are followed, looked up once."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path


def real_path(path: str | Path) -> Path:
    """A path without links. Every instruction of a kernel asks, so it is looked up once.

    A relative one is below the working directory of now: one process may check in several.
    """
    return _looked_up(os.path.join(os.getcwd(), path))  # noqa: PTH109, PTH118 - asked a lot


@lru_cache(maxsize=4096)
def _looked_up(path: str) -> Path:
    return Path(os.path.realpath(path))


def is_file(path: Path) -> bool:
    """Whether a path is a file, links followed. No name is an error: one too long is none."""
    return os.path.isfile(path)  # noqa: PTH113 - `Path.is_file` raises there


def is_folder(path: Path) -> bool:
    """Whether a path is a folder, in the same way."""
    return os.path.isdir(path)  # noqa: PTH112


def is_there(path: Path) -> bool:
    """Whether there is anything, in the same way."""
    return os.path.exists(path)  # noqa: PTH110
