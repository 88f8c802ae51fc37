"""Programs whose `main` is run on paper, each a file of `runs`: what is told of their launches.

`// run:` is how a script runs the program; without it no file says. Behind a launch, `// tried:` is
what it is tried as, whole; `// told: n=4; open: m` says which arguments are read, and which not,
`// computed: grid` what hangs on what is assumed, `// times: 2` with how many numbers it is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from perflint.cli.commands import cli

RUNS = Path(__file__).parent / "runs"


def _launches(path: Path) -> dict[int, dict[str, Any]]:
    """What is read of a program's launches, the first of each line, and how many there are."""
    told = CliRunner().invoke(
        cli, ["launches", "--output-format", "json", str(path)], standalone_mode=False
    )
    assert told.exception is None
    found: dict[int, dict[str, Any]] = {}
    for kernel in json.loads(told.stdout):
        for launch in kernel["launches"]:
            for row in (launch["row"], *(also["row"] for also in launch["also"])):
                found.setdefault(row, {**launch, "times": 0})["times"] += 1
    return found


def _marks(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    for row, line in enumerate(text.splitlines(), 1):
        _, sign, said = line.partition("<<<")[2].partition("// ")
        if sign:
            yield row, dict(part.split(": ", 1) for part in said.split("; "))


@pytest.mark.parametrize("path", sorted(RUNS.glob("*.cu")), ids=lambda path: path.stem)
def test_a_programs_launches_are_read_as_marked(path: Path, tmp_path: Path) -> None:
    text = path.read_text()
    (tmp_path / "app.cu").write_text(text)
    if run := re.search(r"^// run: (.*)$", text, re.MULTILINE):
        (tmp_path / "run.sh").write_text(f"#!/bin/sh\n{run[1]}\n")
    found = _launches(tmp_path)
    marked = dict(_marks(text))
    assert marked
    for row, marks in marked.items():
        launch = found[row]
        values = launch["values"]
        if "tried" in marks:
            assert launch["tried"] == [marks["tried"]]
        assert launch["times"] == int(marks.get("times", launch["times"])), row
        for each in marks.get("told", "").split():
            name, number = each.split("=")
            assert (values[name]["value"], values[name]["origin"]) == (number, "read"), row
        for name in marks.get("open", "").split():
            assert values[name]["origin"] != "read", row
        for name in marks.get("computed", "").split():
            assert values[name]["origin"] == "computed", row
