"""Floors beside published times: none may lie above, and better versions should have lower ones.

    python benchmarks/floors.py

The kernels are ours, after those whose times somebody published. One block is simulated; all are
alike, so that the launch's floor follows. The clock is taken as the chip's highest: a lower one
would lower no floor's cycles, but raise its time. Where `nvdisasm` is at hand, a second floor
counts the machine code too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from perflint.api import load
from perflint.base.floor import UNITS, Floor
from perflint.profile.machine_code.counted import counted
from perflint.profile.machine_code.disassembly import program
from perflint.sim import SimulationOptions, simulate
from perflint.sim.architecture import load as architecture
from perflint.sim.floors import of_instructions, of_launch
from perflint.sim.launch import Buffer, Launch, Scalar, whole
from perflint.sim.tracers.unit_work import UnitWork

SOURCES = Path(__file__).parent / "floors"


@dataclass(frozen=True)
class Version:
    """A kernel and how long it was published to take."""

    kernel: str
    grid: tuple[int, int]
    block: tuple[int, int]
    milliseconds: float
    scalars: tuple[int, ...] = ()  #: behind the size
    shared: int = 0  #: dynamic bytes
    border: int = 0  #: blocks at each side of the grid that have less to do, and are left out

    @property
    def blocks(self) -> int:
        """That are counted."""
        return (self.grid[0] - 2 * self.border) * (self.grid[1] - 2 * self.border)

    @property
    def title(self) -> str:
        return " ".join([self.kernel, *map(str, self.scalars)])


@dataclass(frozen=True)
class Series:
    """Versions of one computation that somebody measured."""

    source: str  #: of our kernels
    published: str
    arch: str
    multiprocessors: int
    hertz: float  #: the chip's highest clock
    arrays: int  #: of floats, which the kernels take before their size
    size: int
    elements: int  #: of an array
    versions: tuple[Version, ...]


def _product(kernel: str, across: int, threads: int, gflops: float) -> Version:
    """A product of matrices of 4096 × 4096."""
    return Version(kernel, (across, across), (threads, 1), 2 * 4096**3 / gflops / 1e6)


def _transpose(kernel: str, block: tuple[int, int], milliseconds: float) -> Version:
    """A transpose of 32768 × 32768 in tiles of 32 × 32."""
    return Version(kernel, (1024, 1024), block, milliseconds)


def _stencil(kernel: str, width: int, milliseconds: float) -> Version:
    """Windows of `width` on 8192 × 8192 pixels, by blocks of 16 × 16 threads."""
    inner = 17 - width if kernel == "tiled" else 16
    across = -(-8192 // inner)
    return Version(kernel, (across, across), (16, 16), milliseconds, (width,), 1024, border=1)


SERIES = (
    Series(
        "sgemm.cu",
        "S. Boehm, How to optimize a CUDA matmul kernel for cuBLAS-like performance: a worklog",
        # A6000: 2.1 GHz is the highest in that chip's table of clocks (recalled)
        arch="sm_86", multiprocessors=84, hertz=2.1e9,
        arrays=3, size=4096, elements=4096**2,
        versions=(
            _product("naive", 128, 1024, 309.0),
            _product("coalesced", 128, 1024, 1986.5),
            _product("tiled", 128, 1024, 2980.3),
            _product("column_of_eight", 64, 512, 8474.7),
            _product("square_of_eight", 32, 256, 15971.7),
            _product("vectors", 32, 256, 18237.3),
        ),
    ),
    Series(
        "transpose.cu",
        "yencal, Optimizing GPU matrix transpose: from 14% to 88% of peak bandwidth",
        arch="sm_90", multiprocessors=132, hertz=1.98e9,  # H100
        arrays=2, size=32768, elements=32768**2,
        versions=(
            _transpose("direct", (32, 32), 18.0645),
            _transpose("tile", (32, 32), 8.6235),
            _transpose("padded", (32, 32), 5.0724),
            _transpose("two_rows", (32, 16), 3.6014),
            _transpose("four_rows", (32, 8), 3.0984),
            _transpose("eight_rows", (32, 4), 3.0951),
            _transpose("pairs_of_32", (16, 32), 3.6041),
            _transpose("pairs_of_8", (16, 8), 3.0953),
        ),
    ),
    Series(
        "reduction.cu",
        "Pupking, 03_parallel_reduction (GitHub)",
        # RTX 3050 Laptop: 2.1 GHz is the highest in that chip's table of clocks (recalled)
        arch="sm_86", multiprocessors=16, hertz=2.1e9, arrays=2, size=1 << 24, elements=1 << 24,
        versions=(
            Version("interleaved", (1 << 16, 1), (256, 1), 2.059),
            Version("sequential", (1 << 15, 1), (256, 1), 0.646),
            Version("shuffles", (1 << 15, 1), (256, 1), 0.360),
            Version("strides", (128, 1), (256, 1), 0.361),
        ),
    ),
    Series(
        "stencil.cu",
        "R100001, Programming-Massively-Parallel-Processors, NvBench results (GitHub)",
        # RTX 3080: 2.1 GHz is the highest in that chip's table of clocks (recalled)
        arch="sm_86", multiprocessors=68, hertz=2.1e9, arrays=3, size=8192, elements=8192**2,
        versions=(
            _stencil("direct", 3, 1.565886),
            _stencil("direct", 5, 2.798320),
            _stencil("direct", 7, 4.728360),
            _stencil("direct", 9, 7.128675),
            _stencil("direct", 11, 10.069856),
            _stencil("constant", 3, 1.658183),
            _stencil("constant", 5, 2.526260),
            _stencil("constant", 7, 4.357973),
            _stencil("constant", 9, 6.549252),
            _stencil("constant", 11, 9.371061),
            _stencil("tiled", 3, 1.750404),
            _stencil("tiled", 5, 2.567877),
            _stencil("tiled", 7, 4.492730),
            _stencil("tiled", 9, 7.860738),
            _stencil("tiled", 11, 15.230941),
        ),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A version's floor and its published time, in milliseconds."""

    kernel: str
    floor: float
    measured: float
    code: float | None  #: the floor of machine code too
    unit: str  #: that sets the floor


def rows(series: Series) -> Iterator[Row]:
    """Each version of a series."""
    kernels = load(SOURCES / series.source, arch=series.arch)
    arch = replace(architecture(series.arch), multiprocessors=series.multiprocessors)
    # kernels grow arrays as they touch them: what is allocated need not be there
    arrays = [Buffer(f"array {n}", "f32", 4 * series.elements) for n in range(series.arrays)]
    for version in series.versions:
        kernel = kernels[version.kernel]
        given = (*arrays, Scalar(series.size), *map(Scalar, version.scalars))
        launch = Launch((*version.grid, 1), (*version.block, 1), given, version.shared)
        work = UnitWork()
        options = SimulationOptions(
            arch=series.arch,
            blocks=[(1, min(1, version.grid[1] - 1), 0)],
            budget=whole(600.0, 4 << 30),
            keep_memory=False,
            slice_only=True,
            batch_uniform_iterations=True,
        )
        module, function = kernel.compiled(series.arch)
        run = simulate(module, function, launch, options, tracers=(work,))
        assert run.stop is None, run.stop
        blocks = version.blocks
        found = Floor(of_launch(np.repeat(work.counts, blocks, axis=0), arch))
        code = None
        if program() is not None:
            warps = blocks * launch.warps_per_block
            least = counted(kernel, series.arch, blocks * work.counts, warps).least
            both = found.beside(of_instructions(least, arch))
            code, unit = both.value / series.hertz * 1e3, UNITS[both.unit]
        else:
            unit = UNITS[found.unit]
        floor = found.value / series.hertz * 1e3
        yield Row(version.title, floor, version.milliseconds, code, unit)


def tau(found: Sequence[Row]) -> float:
    """Kendall's rank correlation of floors and times; pairs with equal floors count for nothing."""
    pairs = list(combinations(found, 2))
    best = [row.floor if row.code is None else row.code for row in found]
    order = dict(zip(map(id, found), best, strict=True))
    signs = [(order[id(a)] - order[id(b)]) * (a.measured - b.measured) for a, b in pairs]
    return sum((sign > 0) - (sign < 0) for sign in signs) / len(pairs)


def main() -> None:
    """Print a table of each series, the rank correlation, and whether a floor lies above a time.

    Arguments name the sources of the series that are wanted.
    """
    above = []
    for series in (each for each in SERIES if not sys.argv[1:] or each.source in sys.argv[1:]):
        found = list(rows(series))
        print(f"{series.published} ({series.arch})")
        print(f"{'kernel':16} {'floor, ms':>10} {'and code':>10} {'measured':>10} {'shares':>12}")
        for row in found:
            code = row.floor if row.code is None else row.code
            print(
                f"{row.kernel:16} {row.floor:10.2f} {code:10.2f} {row.measured:10.2f} "
                f"{row.floor / row.measured:6.0%}{code / row.measured:6.0%}  {row.unit}"
            )
        print(f"Kendall's tau {tau(found):.2f} over {len(found)} versions\n")
        above += [row.kernel for row in found if max(row.floor, row.code or 0) > row.measured]
    print(f"floors above a measured time: {', '.join(above) or 'none'}")


if __name__ == "__main__":
    main()
