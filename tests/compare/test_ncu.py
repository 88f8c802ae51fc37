"""`perflint compare --ncu`: a profile beside what Nsight Compute measured.

The report is a stand-in with the interface that NVIDIA documents of `ncu-report`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from perflint.cli.commands import run

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="NVRTC has no wheels for macOS")

SOURCE = """\
__global__ void scale(float *out, const float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2.0f * a[i * 8];
}
"""
LAUNCH = "<<<8,128>>>(out=zeros:f32[1024], a=random:f32[8192])"
LOAD, STORE = 0x7F00, 0x7F40  #: addresses of machine instructions on line 4
COUNTERS = {
    "smsp__inst_executed.sum": 400.0,
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 32.0,
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": 32.0,
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 1024.0,
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 128.0,
    "sm__cycles_elapsed.max": 3000.0,
    "device__attribute_multiprocessor_count": 108.0,
    "device__attribute_compute_capability_major": 8.0,
    "device__attribute_compute_capability_minor": 0.0,
    "launch__grid_dim_x": 8.0, "launch__grid_dim_y": 1.0, "launch__grid_dim_z": 1.0,
    "launch__block_dim_x": 128.0, "launch__block_dim_y": 1.0, "launch__block_dim_z": 1.0,
}  # fmt: skip


@dataclass(frozen=True)
class Metric:
    """`IMetric`: a value, or one of each instance."""

    own: float | None
    instances: Mapping[int, float] = field(default_factory=dict)  #: by address

    def has_value(self) -> bool:
        return self.own is not None

    def num_instances(self) -> int:
        return len(self.instances)

    def has_correlation_ids(self) -> bool:
        return bool(self.instances)

    def correlation_ids(self) -> Metric:
        return Metric(None, dict(enumerate(self.instances)))

    def as_double(self, at: int | None = None) -> float:
        if at is None:
            assert self.own is not None
            return self.own
        return list(self.instances.values())[at]

    def as_uint64(self, at: int | None = None) -> int:
        return int(self.as_double(at))


@dataclass(frozen=True)
class Source:
    """`ISourceInfo`."""

    file: str
    at: int

    def file_name(self) -> str:
        return self.file

    def line(self) -> int:
        return self.at


@dataclass(frozen=True)
class Action:
    """`IAction`: a launch."""

    function: str = "scale"
    counters: Mapping[str, float] = field(default_factory=lambda: COUNTERS)

    def name(self) -> str:
        return self.function

    def metric_by_name(self, name: str) -> Metric | None:
        if name == "memory_l2_theoretical_sectors_global":
            return Metric(1152.0, {LOAD: 1024.0, STORE: 128.0})
        return Metric(self.counters[name]) if name in self.counters else None

    def source_info(self, address: int) -> Source | None:
        return Source("/build/scale.cu", 4) if address in (LOAD, STORE) else None


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Path:
    """The working directory, with a profile in `m.db` and a file `r.ncu-rep`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scale.cu").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "r.ncu-rep").write_bytes(b"")
    arguments = ["profile", "scale.cu", "--launch", LAUNCH, "--floors", "--save-metrics", "m.db"]
    assert run(arguments) == 0
    capsys.readouterr()
    return tmp_path


def reports(monkeypatch: pytest.MonkeyPatch, *actions: Action) -> None:
    """Let `ncu-report` find these launches in any report: one profiled range of them."""
    module = ModuleType("ncu_report")
    module.load_report = lambda name: [list(actions)]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ncu_report", module)


def test_counts_floor_and_lines(saved: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    reports(monkeypatch, Action("other"), Action())
    assert run(["compare", "m.db", "--ncu", "r.ncu-rep"]) == 0
    out = capsys.readouterr().out
    assert "global requests           64        64  equal" in out
    assert "sectors                1,152     1,152  equal" in out
    assert "measured: 3,000 cycles; no schedule takes fewer than " in out
    [line] = [each for each in out.splitlines() if each.startswith("4 ")]
    assert line.split()[1:3] == ["1,152", "1,152"] and line.endswith("out[i] = 2.0f * a[i * 8];")


def test_as_json(saved: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    reports(monkeypatch, Action())
    assert run(["compare", "m.db", "--ncu", "r.ncu-rep", "--output-format", "json"]) == 0
    [pair] = json.loads(capsys.readouterr().out)
    assert pair["counts"]["sectors"] == {"simulated": 1152, "measured": 1152}
    assert pair["whole"] and 0 < pair["floor"] < pair["measured_cycles"] == 3000
    assert not pair["floor_above_measured"]
    assert pair["lines"][0]["sectors"] == {"simulated": 1152, "measured": 1152}


def test_a_floor_above_the_measured_is_our_fault(
    saved: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    reports(monkeypatch, Action(counters={**COUNTERS, "sm__cycles_elapsed.max": 1.0}))
    assert run(["compare", "m.db", "--ncu", "r.ncu-rep"]) == 0
    assert "the floor is above it, which is a fault of perflint" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"device__attribute_multiprocessor_count": 40.0}, "the report's GPU has 40"),
        ({"device__attribute_compute_capability_major": 9.0}, "compute capability 9.0"),
    ],
)
def test_another_gpu_is_held_against_no_floor(
    saved: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
    change: dict[str, float],
    told: str,
) -> None:
    reports(monkeypatch, Action(counters={**COUNTERS, **change, "sm__cycles_elapsed.max": 1.0}))
    assert run(["compare", "m.db", "--ncu", "r.ncu-rep"]) == 0
    out = capsys.readouterr().out
    assert told in out and "fault" not in out


@pytest.mark.parametrize(
    ("actions", "options", "told"),
    [
        ([Action("other")], (), "has no launch of the kernels"),
        ([Action(counters={**COUNTERS, "launch__grid_dim_x": 9.0})], (), "has no launch"),
        ([Action()], ("--metric", "sectors"), "are for two runs"),
        ([Action()], ("--fail-on-worse", "1"), "are for two runs"),
    ],
)
def test_what_cannot_be_compared(
    saved: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
    actions: list[Action],
    options: tuple[str, ...],
    told: str,
) -> None:
    reports(monkeypatch, *actions)
    assert run(["compare", "m.db", "--ncu", "r.ncu-rep", *options]) == 2
    assert told in capsys.readouterr().err


def test_one_of_the_two_is_wanted(saved: Path, capsys: Any) -> None:
    for arguments in (["m.db"], ["m.db", "m.db", "--ncu", "r.ncu-rep"]):
        assert run(["compare", *arguments]) == 2
        assert "compare with AFTER, or with the report of --ncu" in capsys.readouterr().err


def test_without_the_package(saved: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "ncu_report", None)
    assert run(["compare", "m.db", "--ncu", "r.ncu-rep"]) == 2
    assert "pip install ncu-report" in capsys.readouterr().err


def test_what_is_no_report(saved: Path, capsys: Any) -> None:
    """With NVIDIA's own package, where it is installed."""
    pytest.importorskip("ncu_report")
    for name, told in (("none.ncu-rep", "no such file"), ("scale.cu", "is no report")):
        assert run(["compare", "m.db", "--ncu", name]) == 2
        assert told in capsys.readouterr().err
