"""`perflint profile --save-metrics` and `perflint compare`."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from perflint.cli.commands import run
from perflint.compare import directions
from perflint.compare.schema import RunPlace, place
from perflint.compare.store import load
from perflint.profile.run import prints
from perflint.sim.tracers import found

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="NVRTC has no wheels for macOS")

ROOT = Path(__file__).parents[2]
LAUNCH = "<<<8,128>>>(out=zeros:f32[1024], a=random:f32[8192])"

BEFORE = """\
__global__ void scale(float *out, const float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i * 8];
    float y = a[i + 64];
    out[i] = x * y;
}
"""
#: Three lines further down; one line edited, one gone, and one new.
AFTER = """\
// Reads rows.


__global__ void scale(float *out, const float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    float y = a[i + 64];
    out[i] = x * y;
}
"""


def saved(folder: Path, source: str, where: str, *options: str) -> None:
    file = folder / "scale.cu"
    file.write_text(source, encoding="utf-8")
    arguments = ["profile", str(file), "--launch", LAUNCH, "--save-metrics", where, *options]
    assert run(arguments) == 0


@pytest.fixture
def database(tmp_path: Path, capsys: Any) -> Path:
    path = tmp_path / "metrics.db"
    saved(tmp_path, BEFORE, f"{path}:before")
    saved(tmp_path, AFTER, f"{path}:after")
    capsys.readouterr()
    return path


def as_json(capsys: Any, *arguments: str) -> Any:
    status = run(["compare", *arguments, "--output-format", "json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_run_is_saved_as_it_was_told(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "metrics.db"
    saved(tmp_path, BEFORE, str(path), "--output-format", "json")
    told = json.loads(capsys.readouterr().out)
    [kept] = load(RunPlace(path))
    assert (kept.kernel, kept.launch, kept.arch) == (told["kernel"], told["launch"], told["arch"])
    metrics = {(tracer, n): v for tracer, each in told["metrics"].items() for n, v in each.items()}
    assert dict(kept.metrics) == metrics
    lines = [
        {
            "filename": str(line.place.path),
            "row": line.place.number,
            "source": line.source,
            **line.sums,
            **line.derived,
        }
        for line in kept.lines
    ]
    assert lines == told["lines"]


def test_lines_are_matched_by_their_text(database: Path, capsys: Any) -> None:
    _, found = as_json(capsys, f"{database}:before", f"{database}:after")
    [pair] = found["pairs"]
    rows = [
        tuple(
            side and (side["row"], side.get("sectors")) for side in (line["before"], line["after"])
        )
        for line in pair["lines"]
    ]
    # 32 lanes of 4 bytes: 32 sectors where they are 32 bytes apart, and 4 where they are adjacent
    assert ((4, 32 * 32), (7, 32 * 4)) in rows  # the edited line
    assert ((5, 32 * 4), (8, 32 * 4)) in rows and ((6, 32 * 4), (9, 32 * 4)) in rows
    edited = [line["before"]["row"] for line in pair["lines"] if line["edited"]]
    assert edited == [4]
    sectors = next(m for m in pair["metrics"] if m["metric"] == "sectors")
    assert (sectors["before"], sectors["after"]) == (32 * 40, 32 * 12)
    assert sectors["verdict"] == "better" and sectors["change"] == pytest.approx(-70)


def test_text(database: Path, capsys: Any) -> None:
    assert run(["compare", f"{database}:before", f"{database}:after"]) == 0
    text = capsys.readouterr().out
    assert f"before: scale{LAUNCH} on sm_80, run 1 (before)" in text
    assert re.search(r"sectors +1,280 +384 +-70\.0%  better", text)
    assert re.search(r"^4 → 7 .*1,024 → 128 .*32\.0 → 4\.0 +float x = a\[i\];$", text, re.M)
    assert all(line == line.rstrip() for line in text.splitlines())


def test_worse_is_an_exit_status(database: Path, capsys: Any) -> None:
    before, after = f"{database}:before", f"{database}:after"
    assert run(["compare", before, after, "--fail-on-worse", "0"]) == 0
    assert run(["compare", after, before]) == 0
    assert run(["compare", after, before, "--fail-on-worse", "200"]) == 1
    told = capsys.readouterr().err
    assert "worse: scale: sectors by 233.3%, 384 before, 1280 after" in told
    assert run(["compare", after, before, "--fail-on-worse", "300"]) == 0
    assert run(["compare", after, before, "--fail-on-worse", "0", "--metric", "branches"]) == 0


def test_a_file_of_many_runs(tmp_path: Path, capsys: Any) -> None:
    """Of each kernel, launch and GPU the last; numbers and names choose; the rest is told."""
    path = tmp_path / "metrics.db"
    saved(tmp_path, BEFORE, f"{path}:old")
    saved(tmp_path, BEFORE.replace("scale", "other"), f"{path}:old")
    saved(tmp_path, AFTER, f"{path}:new")
    saved(tmp_path, AFTER, f"{path}:new", "--arch", "sm_90")
    capsys.readouterr()
    assert [run.number for run in load(RunPlace(path))] == [2, 3, 4]  # 3 is later than 1
    assert [run.number for run in load(RunPlace(path, "old"))] == [1, 2]
    assert [run.number for run in load(RunPlace(path, "1"))] == [1]
    _, found = as_json(capsys, f"{path}:old", f"{path}:new")
    assert [(p["before"]["run"], p["after"]["run"]) for p in found["pairs"]] == [(1, 3)]
    assert [run["run"] for run in found["only_before"]] == [2]
    assert [run["run"] for run in found["only_after"]] == [4]
    _, found = as_json(capsys, f"{path}:3", f"{path}:4")  # two GPUs
    arch = next(m for m in found["pairs"][0]["metrics"] if m["metric"] == "architecture")
    assert (arch["before"], arch["after"], arch["verdict"]) == ("sm_80", "sm_90", "other")


def test_the_figures_of_a_cache_are_kept_too(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "metrics.db"
    for size in ("1K", "64K"):
        saved(tmp_path, BEFORE, str(path), "--cache-report", "--cache-size", size)
    capsys.readouterr()
    _, found = as_json(capsys, f"{path}:1", f"{path}:2", "--metric", "hits")
    [hits] = found["pairs"][0]["metrics"]
    assert hits["tracer"] == "Cache" and hits["before"] <= hits["after"]


def test_a_place_with_a_colon(tmp_path: Path) -> None:
    odd = tmp_path / "a:b"
    assert place(str(odd)) == RunPlace(tmp_path / "a", "b")
    odd.touch()
    assert place(str(odd)) == RunPlace(odd)
    assert place("metrics.db") == RunPlace(Path("metrics.db"))


def test_what_is_judged_is_what_tracers_tell(tmp_path: Path, capsys: Any) -> None:
    """No misspelt name: each is one that a run has, or a mechanism's or a cache's."""
    path = tmp_path / "metrics.db"
    saved(tmp_path, BEFORE, str(path))
    saved(tmp_path, BEFORE, str(path), "--cache-report", "--floors")
    for mechanism in ("ipdom", "thread-frontiers"):
        saved(tmp_path, BEFORE, str(path), "--reconvergence", mechanism)
    known = {key for n in "1234" for [kept] in [load(RunPlace(path, n))] for key in kept.metrics}
    capsys.readouterr()
    _, pair = as_json(capsys, f"{path}:1", f"{path}:1")
    known |= {(each["tracer"], each["metric"]) for each in pair["pairs"][0]["metrics"]}
    assert known >= directions.LOWER | directions.HIGHER
    assert not directions.LOWER & directions.HIGHER
    judged = {tracer for tracer, _ in directions.LOWER | directions.HIGHER}
    assert judged <= {name for name, make in found().items() if prints(make)} | {"Cache", "Floors"}


# --- the documents -------------------------------------------------------------------------------

EXAMPLE = re.compile(
    r"```sh\n(?P<commands>perflint profile[^`]*perflint compare[^`]*)```\n\n"
    r"```text\n(?P<output>.*?)```",
    re.S,
)


def test_the_example_of_the_documents(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    document = ROOT / "docs/profile.md"
    text = document.read_text(encoding="utf-8")
    [shown] = EXAMPLE.finditer(text)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for command in shown["commands"].replace("\\\n", " ").splitlines():
        program, *arguments = shlex.split(command)
        assert program == "perflint"
        capsys.readouterr()
        assert run(arguments) == 0
    printed = capsys.readouterr().out
    if os.environ.get("PERFLINT_UPDATE_SNAPSHOTS"):
        changed = text[: shown.start("output")] + printed + text[shown.end("output") :]
        document.write_text(changed, encoding="utf-8")
        return
    assert printed == shown["output"]
