"""Databases of metrics that are none, are damaged, are newer or are a trick: told in one line."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perflint.cli.commands import run
from perflint.compare import schema
from perflint.compare.schema import MetricsError, RunPlace
from perflint.compare.store import load

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="NVRTC has no wheels for macOS")

SOURCE = "__global__ void k(float *x) { x[threadIdx.x] += 1.0f; }\n"


def saved(folder: Path, where: str) -> int:
    file = folder / "k.cu"
    file.write_text(SOURCE, encoding="utf-8")
    launch = "<<<1,32>>>(x=ones:f32[32])"
    return run(["profile", str(file), "--launch", launch, "--save-metrics", where])


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("metrics")
    assert saved(folder, str(folder / "good.db")) == 0
    return (folder / "good.db").read_bytes()


def changed(statement: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.executescript(statement)
        connection.close()

    return change


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'a' FROM n"
BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "text": (lambda path: path.write_text("metrics\n" * 200), "is no SQLite database"),
    "empty": (lambda path: path.write_bytes(b""), "is no database of `perflint profile"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:5000]), "damaged"),
    "foreign": (
        lambda path: (path.unlink(), changed("CREATE TABLE run (id)")(path)),
        "is no database of `perflint profile",
    ),
    "newer": (changed("PRAGMA user_version = 2"), "newer perflint (schema 2, this one knows 1)"),
    "a view": (
        changed(f"DROP TABLE metric; CREATE VIEW metric(run, tracer) AS {ENDLESS}"),
        "its tables are not those of schema 1",
    ),
    "a trigger": (
        changed("CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END"),
        "its tables are not those of schema 1",
    ),
    "no run": (changed("DELETE FROM run"), "has no run"),
    "a number that is none": (changed("UPDATE line_sum SET value = 'many'"), "is no count"),
    "a negative one": (changed("UPDATE line SET number = -1"), "is no count"),
    "a blob": (changed("UPDATE metric SET value = x'00ff'"), "is no count"),
    "infinity": (changed("UPDATE metric SET value = 9e999"), "is no count"),
    "not UTF-8": (changed("UPDATE run SET kernel = CAST(x'ff' AS TEXT)"), "decode"),
    "a zero byte": (changed("UPDATE run SET kernel = 'a' || char(0) || 'b'"), "is no text"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_database_of_metrics(
    name: str, good: bytes, tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "metrics.db"
    path.write_bytes(good)
    breaks, told = BROKEN[name]
    breaks(path)
    assert run(["compare", str(path), str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"perflint: {path}: ") and told in said and said.count("\n") == 1


@pytest.mark.parametrize("name", ["text", "foreign", "newer", "a view", "a trigger"])
def test_nothing_is_added_to_what_is_none(
    name: str, good: bytes, tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "metrics.db"
    path.write_bytes(good)
    BROKEN[name][0](path)
    before = path.read_bytes()
    assert saved(tmp_path, str(path)) == 2
    assert BROKEN[name][1] in capsys.readouterr().err
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "metrics.db"
    path.touch()
    assert saved(tmp_path, str(path)) == 0
    assert len(load(RunPlace(path))) == 1


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_damage_is_an_error_or_harmless(good: bytes, tmp_path: Path, data: st.DataObject) -> None:
    """Bytes changed anywhere: a run that could have been written, or MetricsError."""
    broken = bytearray(good)
    for _ in range(data.draw(st.integers(1, 8))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "metrics.db"
    path.write_bytes(broken)
    with suppress(MetricsError):
        load(RunPlace(path))


def test_a_run_too_large(good: bytes, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "metrics.db"
    path.write_bytes(good)
    monkeypatch.setattr("perflint.compare.store._MOST_ROWS", 3)
    with pytest.raises(MetricsError, match="more rows than a kernel can"):
        load(RunPlace(path))


def test_sqlite_is_given_so_many_steps(good: bytes, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "metrics.db"
    path.write_bytes(good)
    monkeypatch.setattr(schema, "_STEPS", 0)
    monkeypatch.setattr(schema, "_EACH", 10)
    with pytest.raises(MetricsError, match="takes too long"):
        load(RunPlace(path))


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("nowhere/metrics.db", "there is no directory nowhere"),
        ("metrics.db:12", "a run's name is no number"),
        (".", "is no file"),
    ],
)
def test_places_that_cannot_be_saved_to(
    where: str, told: str, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert saved(tmp_path, where) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("name", ["2", "99999999999999999999", "\N{SUPERSCRIPT TWO}", "x"])
def test_a_run_that_there_is_not(name: str, good: bytes, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "metrics.db"
    path.write_bytes(good)
    assert run(["compare", str(path), f"{path}:{name}"]) == 2
    assert f"has no run of the number or name {name}" in capsys.readouterr().err


def test_a_pipe_is_no_file(tmp_path: Path, capsys: Any) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert run(["compare", str(pipe), str(pipe)]) == 2
    assert "is no file" in capsys.readouterr().err
    assert saved(tmp_path, str(pipe)) == 2


def test_text_of_others_steers_no_terminal(good: bytes, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "metrics.db"
    path.write_bytes(good)
    changed(
        "UPDATE run SET launch = launch || char(27) || '[31m' || char(10) || 'x';"
        "UPDATE metric SET name = name || char(27) WHERE id = 1;"
        "INSERT INTO run SELECT 2, 'b', kernel, file, launch, arch, perflint, 1, 1, 'no' || char(7)"
        " FROM run"
    )(path)
    assert run(["compare", f"{path}:1", f"{path}:2"]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text and "\x07" not in text
    assert run(["compare", str(path), f"{path}:nothing\x1b"]) == 2
    assert "\x1b" not in capsys.readouterr().err
