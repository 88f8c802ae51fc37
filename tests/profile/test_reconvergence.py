"""`perflint profile --reconvergence`: the activity factors of both mechanisms."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import perflint
from perflint.cli.commands import run
from perflint.profile import command
from perflint.sim.simulation_options import RECONVERGENCE, Reconvergence

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="NVRTC has no wheels for macOS")

ROOT = Path(__file__).parents[2]
SHORT_CIRCUIT, REDUCE = ROOT / "tests/data/short_circuit.cu", ROOT / "examples/reduce.cu"
ARRAYS = ", ".join(f"{name}=random:f32[4096]" for name in "abcd")
SHADE = f"<<<16,256>>>(out=zeros:f32[4096], {ARRAYS})"


def branch_of(capsys: Any, file: Path, launch: str, *options: str) -> dict[str, Any]:
    arguments = ["profile", str(file), "--launch", launch, "--output-format", "json", *options]
    assert run(arguments) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["metrics"]["Branch"]
    return found


def test_the_option_names_what_there_is() -> None:
    assert command.RECONVERGENCE == RECONVERGENCE


def test_the_chosen_drives_the_run_and_the_other_stands_beside(capsys: Any) -> None:
    ipdom = branch_of(capsys, SHORT_CIRCUIT, SHADE, "--reconvergence", "ipdom")
    frontiers = branch_of(capsys, SHORT_CIRCUIT, SHADE, "--reconvergence", "thread-frontiers")
    plain = branch_of(capsys, SHORT_CIRCUIT, SHADE)
    assert ipdom["activity factor"] == frontiers["activity factor, ipdom"]
    assert frontiers["activity factor"] == ipdom["activity factor, thread-frontiers"]
    # lanes that leave a condition at several places meet in its body, or only behind it
    assert ipdom["activity factor"] < 0.5 * frontiers["activity factor"]
    told = ("reconvergence", "activity factor, ipdom")
    assert plain == {name: value for name, value in frontiers.items() if name not in told}


def test_structured_code_has_one_activity_factor(capsys: Any) -> None:
    launch = "<<<64,256>>>(in=random:f32[16384], out=zeros:f32[64], n=16384)"
    found = branch_of(capsys, REDUCE, launch, "--reconvergence", "ipdom", "--tracer", "Branch")
    assert found["activity factor"] == found["activity factor, thread-frontiers"] < 1


def test_without_the_branch_tracer_it_only_drives(capsys: Any) -> None:
    arguments = ["profile", str(SHORT_CIRCUIT), "--launch", SHADE, "--tracer", "Memory"]
    assert run([*arguments, "--reconvergence", "ipdom"]) == 0
    assert "activity factor" not in capsys.readouterr().out


@pytest.mark.parametrize("mechanism", RECONVERGENCE)
def test_from_python(mechanism: Reconvergence) -> None:
    kernel = perflint.load(SHORT_CIRCUIT)["shade"]
    a, b, c, d = (np.random.default_rng(n).random(4096, dtype=np.float32) for n in range(4))
    out = np.zeros(4096, np.float32)
    kernel.launch(16, 256, [out, a, b, c, d], reconvergence=mechanism)
    lit = ((a > 0.5) | (b > 0.5)) & ((c > 0.5) | (d > 0.5))
    light = sum(a * np.roll(b, -turn) + c / np.float32(turn) for turn in range(1, 17))
    np.testing.assert_allclose(out, np.where(lit, light, 0), rtol=1e-4)
