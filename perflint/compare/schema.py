"""The database of metrics: its tables, and how a file is opened that may be anything.

SQLite, version 1 of the schema. A database is known by `application_id`, the version stands in
`user_version`, and its tables have to be exactly these: a file with others, with views or triggers
is another program's, or somebody's trick, and is refused.

| table | a row is |
|---|---|
| `run` | a profiled launch; `name` is what `--save-metrics DB:NAME` said, else null |
| `metric` | a figure of the whole launch, by tracer: integer, real or text |
| `line` | a source line that ran, by file and number, with its text |
| `line_sum` | a sum over the instructions of a line |
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perflint.base.records import dataclass

APPLICATION = 0x50464C54  #: "PFLT"
VERSION = 1
TABLES = {
    "run": (
        "CREATE TABLE run (id INTEGER PRIMARY KEY, name TEXT, kernel TEXT NOT NULL, "
        "file TEXT NOT NULL, launch TEXT NOT NULL, arch TEXT NOT NULL, perflint TEXT NOT NULL, "
        "blocks INTEGER NOT NULL, total_blocks INTEGER NOT NULL, stopped TEXT NOT NULL)"
    ),
    "metric": (
        "CREATE TABLE metric (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id), "
        "tracer TEXT NOT NULL, name TEXT NOT NULL, value NOT NULL, UNIQUE (run, tracer, name))"
    ),
    "line": (
        "CREATE TABLE line (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id), "
        "file TEXT NOT NULL, number INTEGER NOT NULL, source TEXT NOT NULL, "
        "UNIQUE (run, file, number))"
    ),
    "line_sum": (
        "CREATE TABLE line_sum (line INTEGER NOT NULL REFERENCES line(id), name TEXT NOT NULL, "
        "value INTEGER NOT NULL, PRIMARY KEY (line, name)) WITHOUT ROWID"
    ),
}
#: What a file may make SQLite do. A run of a thousand lines takes less than a thousandth.
_STEPS, _EACH = 20_000, 10_000  #: looks, and instructions of its virtual machine between two
_LONGEST = 1 << 20  #: bytes of a text


class MetricsError(Exception):
    """A database that cannot be used; the message says which and why."""


@dataclass(frozen=True)
class RunPlace:
    """`DB`, `DB:NAME` or `DB:NUMBER`."""

    path: Path
    run: str = ""

    @property
    def number(self) -> int | None:
        """The number of the run that is meant; None for a name, or for all."""
        digits = self.run.isascii() and self.run.isdecimal()
        return min(int(self.run[:20]), 2**63 - 1) if digits else None

    def __str__(self) -> str:
        return f"{self.path}:{self.run}" if self.run else str(self.path)


def place(text: str) -> RunPlace:
    """Read a place. A file whose whole name is the text is meant, if there is one."""
    path, colon, run = text.rpartition(":")
    if not colon or not path or Path(text).exists() or "/" in run:
        return RunPlace(Path(text))
    return RunPlace(Path(path), run.strip())


@contextmanager
def opened(path: Path, *, write: bool = False) -> Iterator[sqlite3.Connection]:
    """A database of metrics; with `write` it is made where there is none, in one transaction.

    Raises MetricsError for what is none, is damaged or newer, or cannot be read or written.
    """
    new = write and (not path.exists() or (path.is_file() and not path.stat().st_size))
    if not new and not path.is_file():
        raise MetricsError(f"{path}: {'is no file' if path.exists() else 'there is no such file'}")
    try:
        uri = f"{path.absolute().as_uri()}?mode={'rwc' if write else 'ro'}"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None)
        try:
            _bound(connection)
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            if new and not _names(connection):
                _make(connection)
            _check(connection, path)
            yield connection
            if write:
                connection.execute("COMMIT")
        finally:
            connection.close()
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        raise MetricsError(f"{path}: {_why(error)}") from error


def _bound(connection: sqlite3.Connection) -> None:
    """Let no file keep SQLite busy, or fill memory."""
    steps = iter(range(_STEPS))
    connection.set_progress_handler(lambda: next(steps, None) is None, _EACH)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")


def _make(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    for statement in TABLES.values():
        connection.execute(statement)


def _names(connection: sqlite3.Connection) -> dict[str, str | None]:
    """What the file holds but for SQLite's own indices: by name, the statement that made it."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master LIMIT 64")
    return {n: sql for n, sql in rows if not (sql is None and n.startswith("sqlite_autoindex_"))}


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Raise MetricsError for a database that is not one of ours, of this version."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise MetricsError(f"{path}: is no database of `perflint profile --save-metrics`")
    if version > VERSION:
        raise MetricsError(
            f"{path}: was written by a newer perflint (schema {version}, this one knows {VERSION})"
        )
    if version != VERSION or _names(connection) != TABLES:
        raise MetricsError(f"{path}: its tables are not those of schema {VERSION}")


def _why(error: Exception) -> str:
    """What SQLite says, in a user's words where it is short of them."""
    if isinstance(error, sqlite3.Error):
        known = {
            "SQLITE_NOTADB": "is no SQLite database",
            "SQLITE_CORRUPT": "the database is damaged",
            "SQLITE_INTERRUPT": "the database takes too long to read",
            "SQLITE_BUSY": "another program is writing to it",
            "SQLITE_READONLY": "cannot be written",
            "SQLITE_CANTOPEN": "cannot be opened",
        }
        name = getattr(error, "sqlite_errorname", "") or ""
        said = next((text for code, text in known.items() if name.startswith(code)), "")
        return said or str(error)
    return "the database is damaged"
