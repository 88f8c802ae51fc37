"""The launches of a self-verifying program: built, run on the simulator, and kept as JSON."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.programs import Program, build
from perflint.grammar import parse
from perflint.grammar.model import Function
from perflint.lint.recorded_launches import Records
from perflint.lint.recorded_plans import number_of
from perflint.run.records import read
from perflint.sim.layout import frame
from perflint.sim.memory import REGION_SHIFT


@dataclass(frozen=True)
class Recorded:
    """A launch that happened."""

    kernel: str  #: the entry's name
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared: int
    #: by parameter, its PTX type and its value, for those that are no pointer and no struct
    scalars: Mapping[int, tuple[str, int | float]]


def recorded(program: Program, keep: Path, seconds: float) -> list[Recorded] | str:
    """The launches of a program, of the folder `keep` if it has them; why there are none."""
    kept = keep / f"{program.file}.json"
    if not kept.exists():
        binary = keep / program.file
        why = build(program, binary)
        found = why or _run(program, binary, seconds)
        kept.write_text(json.dumps(found if isinstance(found, str) else [asdict(r) for r in found]))
    data = json.loads(kept.read_text())
    return data if isinstance(data, str) else [_restored(each) for each in data]


def _restored(data: dict[str, object]) -> Recorded:
    given = Recorded(**data)  # type: ignore[arg-type]
    scalars = {int(n): (v[0], v[1]) for n, v in given.scalars.items()}
    return replace(given, grid=tuple(given.grid), block=tuple(given.block), scalars=scalars)


def _run(program: Program, binary: Path, seconds: float) -> list[Recorded] | str:
    """The launches of a program until it ended or its time was up. It runs in a copy of its folder,
    for it may write."""
    with tempfile.TemporaryDirectory(prefix="perflint-launches-") as folder:
        home, record = Path(folder) / program.folder.name, Path(folder) / "launches.zip"
        shutil.copytree(program.folder, home)
        command = [sys.executable, "-m", "perflint", "run", "--isolated", "--no-findings",
                   "--record", str(record), "--", "timeout", "-s", "KILL", str(seconds),
                   str(binary), *program.arguments]  # fmt: skip
        try:
            subprocess.run(
                command, cwd=home, capture_output=True, timeout=4 * seconds + 60, check=False,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"a launch does not end in {seconds:.0f} s"
        if not record.exists():
            return "nothing was recorded"
        return _launches(read(record)) or f"nothing was launched in {seconds:.0f} s"


def _launches(records: Records) -> list[Recorded]:
    """The different launches of a record."""
    kernels: dict[tuple[str, str], Function] = {}
    for digest, texts in records.modules.items():
        for text in texts:
            kernels |= {(digest, k.name): k for k in parse(text, digest).kernels}
    found: dict[str, Recorded] = {}
    for each in records.launches:
        kernel = kernels[each.module, each.kernel]
        launch = Recorded(
            each.kernel, each.grid, each.block, each.shared, _scalars(kernel, each.parameters)
        )
        found.setdefault(repr(launch), launch)
    return list(found.values())


def _scalars(kernel: Function, parameters: bytes) -> dict[int, tuple[str, int | float]]:
    placed = frame(kernel.parameters)
    found = {}
    for number, variable in enumerate(kernel.parameters):
        offset = placed.offsets[variable.name]
        raw = parameters[offset : offset + variable.size]
        if variable.dimensions or variable.size > 8:
            continue
        value = number_of(variable, raw)
        if variable.size < 8 or variable.type == "f64" or not int(value) >> REGION_SHIFT:
            found[number] = (variable.type, value)
    return found
