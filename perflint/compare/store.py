"""A profile's figures into the database of metrics, and back."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping
from numbers import Integral
from pathlib import Path

from perflint import __version__
from perflint.base.records import dataclass
from perflint.cli import output
from perflint.compare.schema import MetricsError, RunPlace, opened
from perflint.debug_lines import Line
from perflint.profile.figures import LineRow, Profile
from perflint.sim.trace import Metric

_MOST_RUNS, _MOST_ROWS = 10_000, 200_000  #: runs of a file; metrics, lines or sums of a run
_NAMED_AS_NUMBER = "a run's name is no number: numbers are what runs have by themselves"


@dataclass(frozen=True)
class StoredRun:
    """One profiled launch as the database has it."""

    number: int
    name: str
    kernel: str
    file: Path
    launch: str
    arch: str
    blocks: int
    total_blocks: int
    stopped: str
    metrics: Mapping[tuple[str, str], Metric]  #: by tracer and name
    lines: tuple[LineRow, ...]  #: by file and number


def check_place(where: RunPlace) -> None:
    """Raise MetricsError or PathError for a place to which a run could not be saved."""
    if where.number is not None:
        raise MetricsError(f"{where}: {_NAMED_AS_NUMBER}")
    if not where.path.absolute().parent.is_dir():
        raise MetricsError(f"{where.path}: there is no directory {where.path.parent}")
    output.check_links(where.path)
    if where.path.exists() and not (where.path.is_file() and not where.path.stat().st_size):
        with opened(where.path):
            pass


def save(where: RunPlace, profile: Profile) -> int:
    """Add a profile's figures to a database; the run's number. Raises MetricsError."""
    check_place(where)
    with opened(where.path, write=True) as database:
        run = _insert(
            database,
            "INSERT INTO run VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            where.run or None, profile.kernel, str(profile.file), profile.launch, profile.arch,
            __version__, profile.blocks, profile.total_blocks, profile.stopped,
        )  # fmt: skip
        for (tracer, name), value in figures(profile).items():
            row = (run, tracer, name, value)
            _insert(database, "INSERT INTO metric VALUES (NULL, ?, ?, ?, ?)", *row)
        for each in profile.lines:
            place = each.place
            line = _insert(
                database,
                "INSERT INTO line VALUES (NULL, ?, ?, ?, ?)",
                run, str(place.path), place.number, each.source,
            )  # fmt: skip
            rows = [(line, name, value) for name, value in each.sums.items()]
            database.executemany("INSERT INTO line_sum VALUES (?, ?, ?)", rows)
    return run


def _insert(database: sqlite3.Connection, statement: str, *values: object) -> int:
    number = database.execute(statement, [_storable(value) for value in values]).lastrowid
    assert number is not None
    return number


def _storable(value: object) -> object:
    """A value as SQLite takes it: file names that are not UTF-8 as escapes, no NaN, no infinity."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Integral):  # NumPy's too
        return int(value)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def figures(profile: Profile) -> dict[tuple[str, str], Metric]:
    """The metrics of a launch, with its floors and those of a cache report for one cache."""
    out = {(t, name): v for t, each in profile.metrics.items() for name, v in each.items()}
    cache = profile.cache
    if cache is not None and not cache.sweep:
        out["Cache", "cache"] = str(cache.conditions)
        out |= {("Cache", name): value for name, value in vars(cache.total).items()}
        out |= {("Cache", f"faults {row.kind}"): row.count for row in cache.faults}
    if profile.floors is not None:
        cycles = profile.floors.launch.cycles
        out |= {("Floors", f"cycles, {unit}"): value for unit, value in cycles.items()}
        out["Floors", "cycles"] = profile.floors.launch.value
    return out


# --- reading -------------------------------------------------------------------------------------


def load(where: RunPlace) -> tuple[StoredRun, ...]:
    """The runs of a place, of each kernel, launch and GPU the last one, in their order.

    Raises MetricsError where there are none, and for what could not have been written.
    """
    with opened(where.path) as database:
        found = _runs(database, where)
        if not found:
            wanted = f" of the number or name {where.run}" if where.run else ""
            raise MetricsError(f"{where.path}: has no run{wanted}{_known(database)}")
        return tuple(_read(database, row, where) for row in found)


def _runs(database: sqlite3.Connection, where: RunPlace) -> list[tuple[object, ...]]:
    names = "id, name, kernel, file, launch, arch, blocks, total_blocks, stopped"
    condition: str = ""
    values: tuple[object, ...] = ()
    if where.number is not None:
        condition, values = "WHERE id = ?", (where.number,)
    elif where.run:
        condition, values = "WHERE name = ?", (where.run,)
    statement = f"SELECT {names} FROM run {condition} ORDER BY id DESC LIMIT {_MOST_RUNS}"
    latest = {
        (row[2], row[4], row[5]): row for row in reversed([*database.execute(statement, values)])
    }
    return sorted(latest.values(), key=lambda row: row[0])


def _known(database: sqlite3.Connection) -> str:
    rows = database.execute("SELECT DISTINCT name FROM run WHERE name NOT NULL LIMIT 16")
    names = [str(name) for (name,) in rows]
    return f"; it has {', '.join(names)}" if names else ""


def _read(database: sqlite3.Connection, row: tuple[object, ...], where: RunPlace) -> StoredRun:
    number, name, kernel, file, launch, arch, blocks, total, stopped = row
    metrics = {
        (_text(tracer, where), _text(metric, where)): _metric(value, where)
        for tracer, metric, value in _rows(
            database,
            "SELECT tracer, name, value FROM metric WHERE run = ? ORDER BY id",
            number,
            where,
        )
    }
    sums: dict[object, dict[str, int]] = {}
    for line, what, value in _rows(
        database,
        "SELECT line, name, value FROM line_sum WHERE line IN (SELECT id FROM line WHERE run = ?)",
        number,
        where,
    ):
        sums.setdefault(line, {})[_text(what, where)] = _number(value, where)
    lines = [
        LineRow(
            Line(Path(_text(path, where)), _number(at, where)),
            _text(text, where),
            sums.get(line, {}),
        )
        for line, path, at, text in _rows(
            database, "SELECT id, file, number, source FROM line WHERE run = ?", number, where
        )
    ]
    return StoredRun(
        number=_number(number, where),
        name="" if name is None else _text(name, where),
        kernel=_text(kernel, where),
        file=Path(_text(file, where)),
        launch=_text(launch, where),
        arch=_text(arch, where),
        blocks=_number(blocks, where),
        total_blocks=_number(total, where),
        stopped=_text(stopped, where),
        metrics=metrics,
        lines=tuple(sorted(lines, key=lambda each: each.place)),
    )


def _rows(
    database: sqlite3.Connection, statement: str, run: object, where: RunPlace
) -> list[tuple[object, ...]]:
    rows = database.execute(f"{statement} LIMIT {_MOST_ROWS + 1}", (run,)).fetchall()
    if len(rows) > _MOST_ROWS:
        raise MetricsError(f"{where.path}: run {run} has more rows than a kernel can")
    return rows


def _text(value: object, where: RunPlace) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise MetricsError(f"{where.path}: the database is damaged: {value!r:.40} is no text")
    return value


def _number(value: object, where: RunPlace) -> int:
    if not isinstance(value, int) or value < 0:
        raise MetricsError(f"{where.path}: the database is damaged: {value!r:.40} is no count")
    return value


def _metric(value: object, where: RunPlace) -> Metric:
    if isinstance(value, float) and math.isfinite(value):
        return value
    return value if isinstance(value, str) and "\0" not in value else _number(value, where)
