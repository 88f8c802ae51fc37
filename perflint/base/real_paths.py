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
