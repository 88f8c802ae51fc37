"""The ```console blocks of the README and the documents show what the commands print.

`PERFLINT_UPDATE_SNAPSHOTS=1` writes the output into them instead.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```console\n\$ (?P<command>[^\n]+)\n(?P<output>.*?)^```$", re.M | re.S)
SHOWN = [
    (path, match["command"])
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    for match in BLOCK.finditer(path.read_text(encoding="utf-8"))
]


def test_there_are_commands() -> None:
    assert any(p.name == "README.md" and " examples/" in command for p, command in SHOWN)
    assert any(p.name != "README.md" and " examples" in command for p, command in SHOWN)


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").read_text(encoding="utf-8").count("\n") < 250


@pytest.mark.skipif(sys.platform == "darwin", reason="NVRTC has no wheels for macOS")
@pytest.mark.parametrize(("path", "command"), SHOWN, ids=lambda value: str(value)[-40:])
def test_command(path: Path, command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "perflint"
    process = subprocess.run(
        [sys.executable, "-m", "perflint", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert process.returncode in (0, 1), process.stdout
    text = path.read_text(encoding="utf-8")
    if os.environ.get("PERFLINT_UPDATE_SNAPSHOTS"):
        shown = f"```console\n$ {command}\n{process.stdout}```"
        text = BLOCK.sub(lambda m: shown if m["command"] == command else m[0], text)
        path.write_text(text, encoding="utf-8")
    [output] = [m["output"] for m in BLOCK.finditer(text) if m["command"] == command]
    assert process.stdout == output


def test_no_document_installs_a_name_that_nobody_registered() -> None:
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*.yml")]
    for path in documents:
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.search(r"pip install [^\n]*(?<![/$])\bperflint(-cuda)?\b(?!/)", line):
                assert "git+" in line, (path, line)
    assert "pypi.org/project" not in (ROOT / "pyproject.toml").read_text()
