"""Bytes by name, in the user's cache directory: a diskcache, which parallel runs share.

All of it is one SQLite database: a run that is killed leaves no half of a value, and no file that
nobody counts. Where the disk is full or another run holds a lock for long, nothing is kept.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

SIZE_LIMIT = 512 << 20  #: bytes on disk; what was stored first is thrown away first
_FILES = ("cache.db", "cache.db-wal", "cache.db-shm", "cache.db-journal")
_SECONDS = 2  #: that another run's lock is waited for
_IN_DATABASE = 1 << 40  #: bytes up to which a value is no file of its own


def directory() -> Path | None:
    """Where results are kept: `PERFLINT_CACHE_DIR`, else in the user's cache directory.

    Both are the user's to name; nothing in a project can. None for a user without a home.
    """
    if given := os.environ.get("PERFLINT_CACHE_DIR"):
        return Path(given).absolute()
    from platformdirs import user_cache_path

    found = user_cache_path("perflint", appauthor=False) / "results"
    return found if found.is_absolute() else None  # "~/.cache" would be below the project


class Store:
    """A store that is open. Its methods never raise."""

    def __init__(self, cache: Any, where: Path) -> None:
        self._cache, self._where = cache, where

    @classmethod
    def open(cls, where: Path) -> Store | None:
        """The store in a folder, made if need be; None if it cannot be used."""
        try:
            where.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_private(where):
                return None
            return cls(_cache(where), where)
        except sqlite3.OperationalError:
            return None  # full, locked, read-only
        except sqlite3.DatabaseError:
            _remove(where)  # damaged: the next run begins anew
            return None
        except Exception:  # whatever a library says of a file system that is in a bad way
            return None

    def get(self, name: str) -> bytes | None:
        """What is kept under a name."""
        if self._cache is None:
            return None
        try:
            found = self._cache.get(name)
        except Exception as error:
            self._fail(error)
            return None
        return found if isinstance(found, bytes) else None

    def set(self, name: str, value: bytes) -> None:
        """Keep a value under a name."""
        if self._cache is None:
            return
        try:
            self._cache.set(name, value)
        except Exception as error:
            self._fail(error)

    def close(self) -> None:
        """Let go of the files."""
        if self._cache is not None:
            with suppress(Exception):
                self._cache.close()
        self._cache = None

    def _fail(self, error: Exception) -> None:
        """Do without, as what failed once would fail for every file, and cost time each."""
        self.close()
        damaged = isinstance(error, sqlite3.DatabaseError)
        if damaged and not isinstance(error, sqlite3.OperationalError):
            _remove(self._where)


def clean(where: Path) -> int:
    """Forget everything that is kept, and return how many bytes that were. Raises OSError."""
    size = sum(path.stat().st_size for path in _files(where))
    _remove(where)
    return size


def _cache(where: Path) -> Any:
    from diskcache import Cache, Disk
    from diskcache.core import MODE_PICKLE

    class Plain(Disk):  # type: ignore[misc]
        """Values as they are: what somebody else put there is never unpickled."""

        def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
            if mode == MODE_PICKLE or filename is not None:
                return None
            return super().fetch(mode, filename, value, read)

    return Cache(
        str(where),
        timeout=_SECONDS,
        disk=Plain,
        size_limit=SIZE_LIMIT,
        disk_min_file_size=_IN_DATABASE,
        tag_index=0,
    )


def _is_private(where: Path) -> bool:
    """Whether a folder is this user's own, and nobody else may write to it."""
    status = where.lstat()
    if os.name == "nt":
        return stat.S_ISDIR(status.st_mode)
    others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not others


def _files(where: Path) -> list[Path]:
    return [path for name in _FILES if (path := where / name).is_file()]


def _remove(where: Path) -> None:
    for path in _files(where):
        path.unlink(missing_ok=True)
