"""Tracers of other distributions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = "import sys; from perflint.sim import tracers; print(*tracers.added(), sep=',')"
LIGHT = "import sys; from perflint.sim import tracers; tracers.found(); print(*sys.modules)"


def _printed(program: str, folder: Path) -> str:
    command = f"import sys; sys.path.insert(0, {str(folder)!r}); {program}"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, check=True)
    return done.stdout.decode().strip()


def test_an_entry_point_adds_a_tracer(tmp_path: Path) -> None:
    told = tmp_path / "other-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[perflint.tracers]\nMine = other_tracer:Mine\n")
    (tmp_path / "other_tracer.py").write_text("class Mine: pass\n")
    assert _printed(PROGRAM, tmp_path) == "Mine"


def test_where_there_is_none_nothing_is_imported_to_find_that_out(tmp_path: Path) -> None:
    assert "importlib.metadata" not in _printed(LIGHT, tmp_path).split()
