"""A build's database read by whoever is asked to check its files."""

from __future__ import annotations

from pathlib import Path

from perflint.base.limits import Limits
from perflint.frontend.compilation_database import (
    NAME,
    CompilationDatabase,
    DatabaseError,
    read_database,
)
from perflint.work.parallel import Crash, alone

_SMALL = 1 << 20  #: a database of this size is read in no time
_LIMITS = Limits(cpu_seconds=60.0, wall_seconds=600.0, memory_bytes=2 << 30)


def load(path: Path) -> CompilationDatabase:
    """Read a database, or the `compile_commands.json` in a folder.

    A large one is read in a process of its own: a few hundred MB of brackets fill any memory.
    Raises DatabaseError: missing, unreadable, too large, not JSON, not of this form.
    """
    file = path / NAME if path.is_dir() else path
    try:
        small = file.stat().st_size <= _SMALL
    except (OSError, ValueError):
        small = True
    if small:
        return read_database(file)
    found = alone(lambda: _loaded(file), _LIMITS)
    if isinstance(found, Crash):
        raise DatabaseError(f"{file}: {found.reason}")
    if isinstance(found, DatabaseError):
        raise found
    return found


def _loaded(file: Path) -> CompilationDatabase | DatabaseError:
    try:
        return read_database(file)
    except DatabaseError as error:
        return error
    except MemoryError:
        return DatabaseError(f"{file}: it takes too much memory")
