"""Floors beside published times: none may lie above, and better versions should have lower ones.

    python benchmarks/floors.py

The kernels are ours (`floors/sgemm.cu`), after those of S. Boehm, "How to optimize a CUDA matmul
kernel for cuBLAS-like performance: a worklog", whose times are of an RTX A6000 with matrices of
4096 × 4096. One block is simulated; all are alike, so that the launch's floor follows. The clock is
taken as the chip's highest, 1.8 GHz: a lower one would lower no floor's cycles, but raise its time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

from perflint.api import load
from perflint.argument_encoding import encode
from perflint.base.floor import UNITS, Floor
from perflint.sim import SimulationOptions, simulate
from perflint.sim.architecture import load as architecture
from perflint.sim.floors import of_launch
from perflint.sim.launch import Launch, whole
from perflint.sim.tracers.unit_work import UnitWork

SOURCE = Path(__file__).parent / "floors" / "sgemm.cu"
ARCH, HERTZ, SIZE = "sm_86", 1.8e9, 4096
#: Kernel, grid, block, and the published GFLOP/s.
VERSIONS = (
    ("naive", (128, 128), 1024, 309.0),
    ("coalesced", (128, 128), 1024, 1986.5),
    ("tiled", (128, 128), 1024, 2980.3),
    ("column_of_eight", (64, 64), 512, 8474.7),
    ("square_of_eight", (32, 32), 256, 15971.7),
    ("vectors", (32, 32), 256, 18237.3),
)


def rows() -> Iterator[tuple[str, float, float, str]]:
    """Each version: its name, milliseconds of its floor and published ones, and what sets it."""
    kernels, arch = load(SOURCE, arch=ARCH), architecture(ARCH)
    arrays = [np.zeros((SIZE, SIZE), np.float32) for _ in range(3)]
    for name, (across, down), threads, gflops in VERSIONS:
        kernel = kernels[name]
        arguments = encode(kernel.name, kernel.parameters, [*arrays, SIZE]).arguments
        launch = Launch((across, down, 1), (threads, 1, 1), arguments, 0)
        work = UnitWork()
        options = SimulationOptions(
            arch=ARCH,
            blocks=[(1, 1, 0)],
            budget=whole(600.0, 4 << 30),
            keep_memory=False,
            slice_only=True,
            batch_uniform_iterations=True,
        )
        module, function = kernel.compiled(ARCH)
        run = simulate(module, function, launch, options, tracers=(work,))
        assert run.stop is None, run.stop
        found = Floor(of_launch(np.repeat(work.counts, across * down, axis=0), arch))
        published = 2 * SIZE**3 / gflops / 1e6
        yield name, found.value / HERTZ * 1e3, published, UNITS[found.unit]


def main() -> None:
    """Print the table, the rank correlation, and whether a floor lies above a time."""
    found = list(rows())
    print(f"{'kernel':16} {'floor, ms':>10} {'measured':>10} {'share':>6}  set by")
    for name, floor, measured, unit in found:
        print(f"{name:16} {floor:10.1f} {measured:10.1f} {floor / measured:6.0%}  {unit}")
    pairs = list(combinations(found, 2))
    agree = sum((a[1] - b[1]) * (a[2] - b[2]) > 0 for a, b in pairs)
    differ = sum((a[1] - b[1]) * (a[2] - b[2]) < 0 for a, b in pairs)
    print(f"Kendall's tau {(agree - differ) / len(pairs):.2f} over {len(pairs)} pairs")
    above = [name for name, floor, measured, _ in found if floor > measured]
    print(f"floors above a measured time: {', '.join(above) or 'none'}")


if __name__ == "__main__":
    main()
