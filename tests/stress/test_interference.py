"""`--objective interference`: what is found is worse than random, the same again, and replayed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from perflint.cli.commands import run
from perflint.lint.options import CheckOptions
from perflint.profile.arguments import parse
from perflint.stress.interference import Interfering, _solvable, again, interfering, subject_of
from perflint.stress.kernels import kernels_of
from perflint.stress.launches import target_of
from perflint.stress.run import Assumed, search_of
from perflint.stress.suite_reader import read
from perflint.stress.target import StressError, Target
from tests.run.conftest import nvcc
from tests.stress.conftest import KERNELS, LAUNCHES, request, target
from tests.stress.test_suite import ran

KERNEL = KERNELS.with_name("interference.cu")
LAUNCH = "<<<2,128>>>(code=random:u32[256], table=ones:f32[4608], out=zeros:f32[256], n=256)"
SARIF = json.loads((Path(__file__).parents[1] / "data/sarif-2.1.0.json").read_text())
ASKED = ["--objective", "interference", "--tries", "24"]


def stress(file: Path, *words: str, launch: str = LAUNCH) -> int:
    return run(["stress", str(file), "--launch", launch, *words])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite, what was printed of it as data, and the kernel beside it."""
    folder = tmp_path_factory.mktemp("kept")
    shutil.copy(KERNEL, folder)
    out = ["-o", str(folder / "suite"), "--output-file", str(folder / "found.json")]
    assert stress(folder / KERNEL.name, *ASKED, *out, "--output-format", "json") == 0
    return folder


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "kept")) / "suite"


def test_the_input_and_the_order_are_worse_than_random(made: Path) -> None:
    data = json.loads((made / "found.json").read_text())
    found = data["interference"]
    assert data["objectives"] == ["interference"] and data["coverage"] is None
    assert found["worst"] > 1.1 * found["random_median"] and found["worst"] > found["random_most"]
    assert found["references"] == {"explored": 2560, "all": 2560, "why_not": {}}
    [figure] = data["cases"][0]["figures"]
    assert figure["amount"] + figure["ideal"] == figure["over"]
    assert (figure["code"], figure["strategy"]) == ("CU304", "guided")
    text = KERNEL.read_text().splitlines()
    assert "table[512 *" in text[figure["row"] - 1]
    assert sum(line["share"] for line in figure["lines"]) == pytest.approx(1, abs=1e-5)
    evicted = max(figure["lines"], key=lambda line: line["evicted"])
    assert "4 * turn) & 15" in text[evicted["row"] - 1]


def test_the_found_codes_lead_to_the_table(made: Path) -> None:
    given, found = (
        np.load(made / "suite/case-1" / name).view(np.uint8)
        for name in ("given-code.npy", "code.npy")
    )
    assert np.count_nonzero(found == 17) > 4 * np.count_nonzero(given == 17)


def test_two_runs_find_the_same(made: Path, tmp_path: Path) -> None:
    out = ["-o", str(tmp_path / "suite"), "--output-format", "json"]
    words = [sys.executable, "-m", "perflint", "stress", KERNEL.name, "--launch", LAUNCH, *ASKED]
    shutil.copy(KERNEL, tmp_path)
    ran = subprocess.run([*words, *out], cwd=tmp_path, capture_output=True, check=True, text=True)
    first = json.loads((made / "found.json").read_text())["interference"]
    assert json.loads(ran.stdout)["interference"] == first
    names = sorted(p.name for p in (made / "suite/case-1").iterdir())
    assert names == sorted(p.name for p in (tmp_path / "suite/case-1").iterdir())
    for name in names:
        files = (folder / "suite/case-1" / name for folder in (made, tmp_path))
        assert len({file.read_bytes() for file in files}) == 1, name


def test_it_runs_again_in_another_process(made: Path) -> None:
    words = [sys.executable, "-m", "perflint", "stress", "--replay", str(made / "suite")]
    ran = subprocess.run(words, capture_output=True, check=True, text=True)
    assert ran.stdout == "1 cases run again: 1 of 1 figures are the same\n"


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
def test_its_program_compiles_and_passes(copied: Path) -> None:
    assert "cannot be enforced" in (copied / "case-1/replay.cu").read_text()
    assert ran(copied / "case-1") == (0, "ok\n")


def test_another_kernel_another_figure(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = copied.parent / KERNEL.name
    file.write_text(file.read_text().replace("512 * (1", "16 * (1"))
    assert run(["stress", "--replay", str(copied)]) == 1
    assert "case-1: decode: overhead per cycle of the model 0.84 (3,229 in 3,860), now" in (
        capsys.readouterr().out
    )


def test_another_order_is_told(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = copied / "case-1/schedule-of-warps.npy"
    np.save(file, np.load(file)[:-4])
    assert run(["stress", "--replay", str(copied)]) == 1
    assert "the launch has no such order of warps: warp -1 is not ready" in capsys.readouterr().out


def saved(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], object]:
    return lambda file: np.save(file, change(np.load(file)))


@pytest.mark.parametrize(
    ("name", "damage", "told"),
    [
        ("schedule-of-warps", saved(lambda a: a + 1), "names a warp that is none of 0 to 7"),
        ("schedule-of-warps", saved(lambda a: -a), "schedule: schedule-of-warps.npy names a warp"),
        ("schedule-of-warps", saved(lambda a: a.reshape(2, -1)), "schedule: schedule-of-warps.npy "
         "holds no list of warps"),
        ("schedule-of-warps", saved(lambda a: a[:0]), "holds no list of warps"),
        ("schedule-of-warps", saved(lambda a: a / 2), "holds no list of warps"),
        ("schedule-of-warps", lambda f: f.write_bytes(b"nothing"),
         "schedule: schedule-of-warps.npy is no .npy file"),
        ("schedule-of-warps", lambda f: f.unlink(), "No such file"),
        ("given-code", saved(lambda a: a[:-1]), "given.code: given-code.npy is no array like code"),
        ("given-code", lambda f: f.write_bytes(b""), "given.code: given-code.npy is no .npy file"),
    ],
)  # fmt: skip
def test_a_damaged_order_is_named(
    copied: Path, name: str, damage: Callable[[Path], object], told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    damage(copied / "case-1" / f"{name}.npy")
    assert run(["stress", "--replay", str(copied)]) == 2
    said = capsys.readouterr().err
    assert "case-1/case.json: field " in said and told in said and said.count("\n") == 1


def test_a_case_without_its_first_arrays(copied: Path) -> None:
    file = copied / "case-1/case.json"
    data = json.loads(file.read_text())
    for given, told in (
        ([], "given: is no object"),
        ({"x": "code.npy"}, r"given\.x: code\.npy is"),
    ):
        file.write_text(json.dumps({**data, "given": given}))
        with pytest.raises(StressError, match=told):
            read(copied / "case-1")


def test_the_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert stress(KERNEL, *ASKED, "--no-suite", "--output-format", "sarif") == 0
    data = json.loads(capsys.readouterr().out)
    jsonschema.validate(data, SARIF)
    [result] = data["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("CU304", "note")
    words = ["--objective", "divergence,interference", "--tries", "24", "--no-suite"]
    assert stress(KERNEL, *words) == 0
    said = capsys.readouterr().out
    assert "CU901 divergent-branch: " in said and "CU304 input-dependent-interference: " in said
    assert "shares and counts, no milliseconds" in said
    assert "Explored: 2,560 of 2,560 references of threads that may cost anything." in said


def test_it_is_looked_for_only_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert stress(KERNEL, "--tries", "24", "--no-suite", "--output-format", "json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["interference"] is None and "interference" not in data["objectives"]


def explored_target() -> Target:
    options = CheckOptions(rules=frozenset(), arch=("sm_80",))
    return target_of(kernels_of(KERNEL, options)[0][0], parse(LAUNCH))


def explored(*assume: str) -> Interfering:
    given = explored_target()
    asked = request(objectives=("interference",), tries=12, assume=assume)
    search = search_of(given, asked, 1, time.monotonic() + 1e6)
    return interfering(search, Assumed.of(given, assume).read)


def test_what_is_found_meets_what_is_assumed() -> None:
    found = explored("code <= 4660", "n > 0")
    assert len(found.explored.states) > 1
    assert all(state.values.arrays["code"].max() <= 4660 for state in found.explored.states)


def test_the_solver_is_told_what_it_can_read() -> None:
    said = ("code < n", "code[i] <= code[i + 1]", "code % 2 == 0", "2 * code[i] > 7", "code < i")
    given = explored_target()
    subject = subject_of(given, given.arrays({}), {"code": None})
    read = Assumed.of(given, said).read
    assert list(_solvable(subject, read)) == ["code[i] < n", "2 * code[i] > 7"]


def test_no_worse_than_random_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--kernel", "scale", "--objective", "interference", "--tries", "5", "--no-suite"]
    assert stress(KERNELS, *words, launch=LAUNCHES["scale"]) == 0
    said = capsys.readouterr().out
    assert (
        "That is no worse than random: less than 1.1 times as much." in said and "CU304" not in said
    )


def test_offsets_of_rows_stay_as_they_are() -> None:
    asked = request(objectives=("interference",), tries=4)
    search = search_of(target("multiply_rows"), asked, 1, time.monotonic() + 1e6)
    found = interfering(search, ())
    arrays = search.target.arrays(found.input)
    assert not found.given and (np.diff(arrays["first"]) >= 0).all() and arrays["first"][-1] > 0
    assert again(search.target, arrays, found.given, found.schedule.tolist()) == found.figure
