"""`perflint profile --cache-report`: GRAB's bug report, sweeps and the plot."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from perflint.cli.commands import run
from perflint.profile import cache_options
from perflint.sim.cache import POLICIES
from perflint.sim.placement import LAYOUTS
from perflint.sim.schedulers import SCHEDULERS

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="NVRTC has no wheels for macOS")

MATMUL = Path(__file__).parents[2] / "examples/matmul.cu"
ARRAYS = ", ".join(f"{name}=random:f32[64,64]" for name in "abc")
LAUNCH = f"<<<(4,4),(16,16)>>>({ARRAYS}, n=64)"
COMMAND = ["profile", str(MATMUL), "--kernel", "matmul_register", "--launch", LAUNCH]


def report(capsys: Any, *options: str) -> dict[str, Any]:
    arguments = [*COMMAND, "--cache-report", *options, "--output-format", "json"]
    assert run(arguments) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["cache"]
    return found


def test_the_bug_report(capsys: Any) -> None:
    """Every fault is of one type and has one root; the types' counts and the rest add up."""
    found = report(capsys, "--cache-size", "2K")
    assert found["cache"] == {
        "size": 2048, "ways": 4, "sets": 4, "line": 128, "sector": 32, "policy": "lru",
        "write": "update", "index": "modulo",
    }  # fmt: skip
    faults = {each["type"]: each for each in found["faults"]}
    assert list(faults) == ["mh", "m*h", "mm"]
    assert (
        found["hits"] + found["cold"] + sum(f["count"] for f in faults.values())
        == (found["accesses"])
    )
    assert found["conflict"] + found["capacity"] == faults["mh"]["count"] + faults["m*h"]["count"]
    for each in faults.values():
        assert sum(cause["priority"] for cause in each["causes"]) == each["count"]
        priorities = [cause["priority"] for cause in each["causes"]]
        assert priorities == sorted(priorities, reverse=True)
        for cause in each["causes"]:
            assert sum(effect["faults"] for effect in cause["effects"]) == cause["priority"]
            assert cause["array"] in ("a", "b") and "sum +=" in cause["source"]
    parts = faults["mm"]["parts"]
    assert parts["own"] + parts["late"] == faults["mm"]["count"] > 0 == parts["own"]
    assert parts["late"] == found["late"] and parts["cold"] == found["cold"]
    assert "registers" not in faults["mm"]["fix"]  # no thread loses anything of its own
    now = found["remedies"][0]
    assert now["change"] == "the launch as it is"
    assert {key: found[key] for key in now if key != "change"}.items() <= now.items()
    assert faults["m*h"]["count"] > 1000 and "shared memory" in faults["m*h"]["fix"]
    tile = next(r for r in found["remedies"] if "shared memory" in r["change"])
    assert tile["conflict"] + tile["capacity"] < (found["conflict"] + found["capacity"]) / 2


def test_the_gpus_own_cache_is_large_enough(capsys: Any) -> None:
    found = report(capsys)
    assert found["cache"]["size"] == 192 << 10
    assert [each["count"] for each in found["faults"]] == [0, 0, 0]
    assert found["cold"] == 2 * 64 * 64 * 4 // 32  # each sector of a and b once
    assert any("assumed" in note for note in found["notes"])


def test_text(capsys: Any) -> None:
    assert run([*COMMAND, "--cache-report", "--cache-size", "1K", "--l2", "64K"]) == 0
    text = capsys.readouterr().out
    line = next(
        n for n, row in enumerate(MATMUL.read_text("utf-8").splitlines(), 1) if "sum += a" in row
    )
    for part in (
        "cache: 1 KB LRU, 2 sets × 4 ways × 128 B in 32 B sectors; gto scheduler; packed placement",
        "m*h: ",
        "interference in the full cache",
        "fix: fewer threads at a time, or shared memory instead of the cache",
        f"line {line}",
        "hit in L2",
        "what would be left",
        "the launch as it is",
        "0  own: lost by the thread's own accesses",
        "first touch: others brought the line in, and lost it before",
        "`a` loaded once a block, into shared memory",
    ):
        assert part in text, part
    assert "Instruction" not in text  # the tracers' figures are not asked for


def test_stores_count_where_asked(capsys: Any) -> None:
    loads, both = report(capsys), report(capsys, "--stores")
    assert both["accesses"] - loads["accesses"] == 64 * 64 * 4 // 32
    assert both["cache"]["write"] == "allocate" and both["stores_counted"]


def test_a_sweep_and_its_plot(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "sweep.svg"
    found = report(
        capsys, "--cache-size", "1K,4K,64K", "--policy", "lru,fifo", "--scheduler", "gto",
        "--scheduler", "lrr", "--arch", "sm_80,sm_75", "--plot", str(path),
    )  # fmt: skip
    rows = found["sweep"]
    assert len(rows) == 2 * 3 * 2 * 2
    assert {row["accesses"] for row in rows} == {rows[0]["accesses"]}  # one trace serves all
    for arch in ("sm_80", "sm_75"):
        sizes = {
            row["cache"]["size"]: sum(row["faults"].values())
            for row in rows
            if (row["arch"], row["cache"]["policy"], row["scheduler"]) == (arch, "lru", "gto")
        }
        assert sizes[1 << 10] > sizes[4 << 10] > sizes[64 << 10] == 0
    svg = ElementTree.parse(path).getroot()
    lines = svg.findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(p.attrib["points"].split()) for p in lines].count(3) == 2 * 2 * 2


@pytest.mark.parametrize(
    ("suffix", "begins"),
    [(".svg", b"<svg"), (".png", b"\x89PNG\r\n"), (".PDF", b"%PDF-"), (".eps", b"%!PS-Adobe")],
)
def test_a_plot_is_what_its_name_says(
    capsys: Any, tmp_path: Path, suffix: str, begins: bytes
) -> None:
    path = tmp_path / f"sweep{suffix}"
    report(capsys, "--cache-size", "1K,4K", "--plot", str(path))
    data = path.read_bytes()
    assert data.startswith(begins)
    if suffix != ".eps":  # which holds the date
        report(capsys, "--cache-size", "1K,4K", "--plot", str(path))
        assert path.read_bytes() == data


@pytest.mark.parametrize("name", ["sweep.gif", "sweep", "svg", "sweep.svg.zip"])
def test_a_name_that_names_no_format(capsys: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    options = ["--cache-report", "--cache-size", "1K,4K", "--plot", str(path)]
    assert run([*COMMAND, *options]) == 2
    assert "its name must end in .svg, .png, .pdf, .eps" in capsys.readouterr().err
    assert not path.exists()


def test_without_matplotlib_only_svg(capsys: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("perflint.profile.drawing.find_spec", lambda name: None)
    options = ["--cache-report", "--cache-size", "1K,4K", "--plot"]
    assert run([*COMMAND, *options, str(tmp_path / "sweep.png")]) == 2
    assert "install perflint with its extra plot" in capsys.readouterr().err
    assert run([*COMMAND, *options, str(tmp_path / "sweep.svg")]) == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--cache-size", "1K"], "need --cache-report"),
        (["--cache-report", "--cache-size", "big"], "'big' is no size"),
        (["--cache-report", "--cache-size", "1000"], "no whole number"),
        (["--cache-report", "--cache-size", "1K", "--cache-ways", "3"], "cannot have 3 ways"),
        (["--cache-report", "--policy", "mru"], "'mru' is none of lru, fifo, plru"),
        (["--cache-report", "--plot", "x.svg"], "several sizes"),
        (["--arch", "sm_80,sm_70"], "need --cache-report"),
    ],
)
def test_mistakes(capsys: Any, options: list[str], told: str) -> None:
    assert run([*COMMAND, *options]) == 2
    assert told in capsys.readouterr().err


def test_an_architecture_without_an_l1(capsys: Any) -> None:
    assert run([*COMMAND, "--cache-report", "--arch", "sm_80,sm_35"]) == 2
    assert "sm_35 has no L1 for global memory; give --cache-size" in capsys.readouterr().err


def test_the_options_name_what_there_is() -> None:
    assert cache_options.POLICIES == POLICIES
    assert cache_options.SCHEDULERS == SCHEDULERS
    assert cache_options.PLACEMENTS == LAYOUTS
