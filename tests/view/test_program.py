"""`perflint view --run`: the launches of a program, as `perflint run` sees them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from perflint.run.library import LibraryError, built
from tests.run.conftest import compiled
from tests.view.browser import Browser
from tests.view.conftest import REDUCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="perflint run needs Linux")


def test_of_a_program(browser: Browser, tmp_path: Path) -> None:
    try:
        built()
    except LibraryError as error:
        pytest.skip(str(error))
    program = compiled(REDUCE, "-cudart", "shared", "-lineinfo")
    command = [sys.executable, "-m", "perflint", "view", "-o", "r.html", "--run", "--", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "r.html shows 1 launch" in done.stderr
    assert browser.open(tmp_path / "r.html")
    data = browser.run("return perflint.app.traces.map((t) => t.data.profile.launch)")
    assert len(data) == 1 and data[0].startswith("reduce<<<(64, 1, 1), (256, 1, 1), 0>>>")
    load = browser.run(
        "const row = [...document.querySelectorAll('tr[data-at]')].find((r) =>"
        " r.textContent.includes('sums[threadIdx.x] = i < n')); return row.textContent"
    )
    assert "4.0 (4.0)" in load
    assert browser.errors() == []
