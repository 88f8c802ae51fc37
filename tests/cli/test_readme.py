"""The README's ```console blocks show what the commands print.

`PERFLINT_UPDATE_SNAPSHOTS=1` writes the output into the README instead.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"^```console\n\$ (?P<command>[^\n]+)\n(?P<output>.*?)^```$", re.M | re.S)
COMMANDS = [match["command"] for match in BLOCK.finditer(README.read_text(encoding="utf-8"))]


def test_there_are_commands() -> None:
    assert any(command.startswith("perflint examples") for command in COMMANDS)


@pytest.mark.skipif(sys.platform == "darwin", reason="NVRTC has no wheels for macOS")
@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "perflint"
    process = subprocess.run(
        [sys.executable, "-m", "perflint", *arguments],
        cwd=README.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert process.returncode in (0, 1), process.stdout
    text = README.read_text(encoding="utf-8")
    if os.environ.get("PERFLINT_UPDATE_SNAPSHOTS"):
        shown = f"```console\n$ {command}\n{process.stdout}```"
        text = BLOCK.sub(lambda m: shown if m["command"] == command else m[0], text)
        README.write_text(text, encoding="utf-8")
    [output] = [m["output"] for m in BLOCK.finditer(text) if m["command"] == command]
    assert process.stdout == output
