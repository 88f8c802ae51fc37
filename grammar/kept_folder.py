"""Where what the grammar's reader can make again is kept between runs."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path


def folder() -> Path | None:
    """A folder that nobody else can write to; None if there is no such."""
    with suppress(OSError, RuntimeError):  # no home, no room, not allowed
        directory = cache_directory()
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_private(directory):
            return directory
    return None


def cache_directory() -> Path:
    """Where this user's programs keep what can be made again, and there our own folder."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        if not Path(base).is_absolute():  # to be ignored, says the XDG specification
            base = "~/.cache"
    return Path(base).expanduser() / "perflint" / "grammar"


def _is_private(directory: Path) -> bool:
    """Whether nobody else can have put a file there: the parser's tables are a pickle, which may
    run code.

    On Windows the user's folder is private by its access list.
    """
    if sys.platform == "win32":
        return True
    status = directory.lstat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022
