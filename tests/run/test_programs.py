"""API by API: small programs that check what CUDA's documentation promises, and end with 0."""

from __future__ import annotations

import socket
import sys
from functools import partial
from pathlib import Path

import pytest

from perflint.run.server import run_program
from perflint.run.session import Options, Session
from perflint.sim import architecture
from tests.run.conftest import PROGRAMS, ready

#: Programs that other tests run, with what they are to show.
_OTHERS = {"clusters", "devices", "missing", "exits", "initialised", "sanitizers"}
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.cu") if path.stem not in _OTHERS)


def _serve(connection: socket.socket, number: int, devices: int = 1) -> None:
    options = Options(architecture.load("sm_80"), 4, 8 << 30, False, devices)
    Session(connection, options, lambda job: job.run(), lambda t: print(t, file=sys.stderr)).serve()


@pytest.mark.parametrize("name", NAMES)
def test_program(name: str, libraries: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = ready(name)
    ended = run_program([str(program)], libraries, _serve)
    out, err = capfd.readouterr()
    assert ended.status == 0, out + err
    expected = PROGRAMS / f"{name}.out"
    if expected.exists():
        assert out == expected.read_text()


def test_trap(libraries: Path) -> None:
    assert run_program([str(ready("asserts")), "trap"], libraries, _serve).status == 0


def test_many_children(libraries: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """More grids at once than may wait on a GPU run, and that is said."""
    assert run_program([str(ready("children")), "many"], libraries, _serve).status == 0
    err = capfd.readouterr().err
    assert err.count("launched 128 grids, and 100 may wait at once") == 1, err


def test_devices(libraries: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Two devices, where two are asked for; one else."""
    program, two = str(ready("devices")), partial(_serve, devices=2)
    ended = run_program([program], libraries, two)
    assert ended.status == 0, capfd.readouterr().out
    assert run_program([program], libraries, _serve).status == 1
    assert "n == 2" in capfd.readouterr().out


def test_at_least_thirty_programs() -> None:
    assert len(NAMES) >= 30
