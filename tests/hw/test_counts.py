"""What a GPU counted (`tests/data/hw`) beside what perflint says of the same programs.

`benchmarks/hardware.py` holds all of them; here are three that are quick and know no data.
"""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import hardware
from perflint.rules.launch.occupancy import occupancy
from perflint.sim import architecture

KERNELS = [each for kernels in hardware.measured().values() for each in kernels]


@pytest.mark.parametrize(
    ("program", "least"), [("black_scholes.cu", 2), ("batched_gemm.cu", 2), ("groupnorm_bwd.cu", 1)]
)
def test_figures_are_the_gpus(program: str, least: int) -> None:
    found = list(hardware.pairs(program, hardware.findings(program)))
    assert len(found) >= least
    assert [each for each in found if not each.equal] == []


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: str(kernel["kernel"]))
def test_occupancy_is_the_gpus(kernel: dict[str, Any]) -> None:
    x, y, z = kernel["block"]
    arch = architecture.load("sm_90")
    found = occupancy(arch, x * y * z, kernel["registers"], kernel["shared"])
    assert 100 * found.share == pytest.approx(kernel["theoretical_occupancy"], abs=0.02)


def test_registers_come_from_a_schedulers_part() -> None:
    """An H200 held 24 such blocks, of 12 warps a scheduler; the whole file has room for 51."""
    assert occupancy(architecture.load("sm_90"), 64, 34, 0).blocks == 24
