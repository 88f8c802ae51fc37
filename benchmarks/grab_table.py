"""GRAB's evaluation again: its Table 4 and Figure 12, ours beside the paper's.

    python benchmarks/grab_table.py [--scheduler lrr] [--cache-size 1K] [--stores] [--plot FILE]

The paper (Horga et al., JSA 2016) does not print the geometry of its cache; a cache of 1 KB gives
the pattern of its table (docs/grab.md). The kernels are in benchmarks/grab, with the paper's sizes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import perflint
from perflint.lint.options import read_size
from perflint.profile.cache_plot import plot
from perflint.profile.drawing import written
from perflint.profile.table import aligned
from perflint.sim import architecture
from perflint.sim.cache import Cache, shaped
from perflint.sim.cache_trace import CacheTrace
from perflint.sim.faults import FaultReport, report, sort_faults
from perflint.sim.replay import Conditions, replay
from perflint.sim.residency import blocks_per_sm
from perflint.sim.schedulers import SCHEDULERS, Scheduler
from perflint.sim.tracers.cache_recorder import CacheRecorder

FOLDER = Path(__file__).parent / "grab"
TEGRA_K1 = "sm_32"  #: whose limits say how many blocks its one multiprocessor holds
SIZES = (1024, 2048, 4096, 8192, 16384, 32768, 65536)
Counts = tuple[int, int, int]  #: faults, root causes, affected locations


@dataclass(frozen=True)
class Program:
    """One row of the table: a kernel's launch, and what the paper counted."""

    title: str
    file: str
    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: Callable[[], list[Any]]
    paper: tuple[int, int, int]  #: faults mh, m*h, mm
    shared: int = 0


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).random(shape, dtype=np.float32)


def _bytes() -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, (512, 512)).astype(np.uint8)


def _numbers() -> list[Any]:
    return [np.random.default_rng(2).integers(0, 1000, 512).astype(np.int32)]


def _transpose() -> list[Any]:
    return [np.zeros((1024, 256), np.float32), _random(256, 1024), 1024, 256]


def _scan() -> list[Any]:
    return [np.zeros(512, np.float32), _random(512), 512]


def _matrices() -> list[Any]:
    return [np.zeros((64, 64), np.float32), _random(64, 64), _random(64, 64).T.copy(), 64]


def _lattice() -> list[Any]:
    nodes = 128 * 128
    return [_random(9, nodes) + 0.5, np.zeros((8, nodes), np.float32), 1.2]


def _image() -> list[Any]:
    return [np.zeros((512, 512), np.uint8), _bytes(), 512, 27.0]


PROGRAMS = (
    Program("Transpose_naive", "transpose", "transpose_naive", (64, 16), (16, 16), _transpose,
            (0, 0, 0)),
    Program("Transpose_best", "transpose", "transpose_best", (64, 16), (16, 16), _transpose,
            (0, 0, 10)),
    Program("Bitonic_Sort_basic", "bitonic", "bitonic_basic", (1,), (512,), _numbers,
            (1, 1898, 39)),
    Program("Bitonic_Sort_best", "bitonic", "bitonic_best", (1,), (512,), _numbers,
            (0, 8, 0), 2048),
    Program("Scan_naive", "scan", "scan_naive", (1,), (512,), _scan, (0, 0, 3594), 4096),
    Program("Scan_workefficient", "scan", "scan_workefficient", (1,), (256,), _scan,
            (0, 3156, 3992), 2048),
    Program("Scan_best", "scan", "scan_best", (1,), (256,), _scan, (0, 0, 2400), 2304),
    Program("MatMult_basic", "matmul", "matmul_basic", (8, 8), (8, 8), _matrices,
            (210, 6540, 10039)),
    Program("MatMult_basic_modified", "matmul", "matmul_basic_modified", (8, 8), (8, 8),
            _matrices, (894, 5688, 1792)),
    Program("MatMult_best", "matmul", "matmul_best", (8, 8), (8, 8), _matrices, (0, 64, 504)),
    Program("LBM_basic", "lbm", "lbm_basic", (32,), (512,), _lattice, (0, 46258, 49036)),
    Program("LBM_V1", "lbm", "lbm_v1", (32,), (512,), _lattice, (0, 2519, 13684)),
    Program("LBM_V2", "lbm", "lbm_v2", (32,), (512,), _lattice, (18, 2282, 4088)),
    Program("Susan_basic", "susan", "susan_basic", (2048,), (128,), _image, (0, 26095, 12938)),
    Program("Susan_modified", "susan", "susan_modified", (512,), (512,), _image,
            (0, 1886, 1609)),
)  # fmt: skip


@cache
def run(program: Program) -> tuple[CacheTrace, tuple[Any, ...]]:
    """The trace of a program's whole launch, and its arguments afterwards."""
    recorder = CacheRecorder()
    arguments = program.arguments()
    kernel = perflint.load(FOLDER / f"{program.file}.cu")[program.kernel]
    done = kernel.launch(
        program.grid, program.block, arguments, shared=program.shared, tracers=[recorder],
        check=False, seconds=600,
    )  # fmt: skip
    assert done.stop is None, done.stop
    return recorder.trace, tuple(arguments)


def conditions(
    trace: CacheTrace, threads: int, size: int, scheduler: Scheduler, stores: bool = False
) -> Conditions:
    """The paper's L1, of whole lines: stores evict the line that they hit, and only loads count.

    With `stores` they allocate and count as loads do, which is Algorithm 1 to the letter.
    """
    cache: Cache = replace(shaped(size), write="allocate" if stores else "evict")
    resident = blocks_per_sm(architecture.load(TEGRA_K1), threads, trace.shared_bytes)
    return Conditions(cache, scheduler, resident=resident, stores=stores)


def faults(
    program: Program, size: int, scheduler: Scheduler, stores: bool = False
) -> tuple[FaultReport, ...]:
    """The bug report of a program: mh, m*h and mm."""
    trace, _ = run(program)
    threads = int(np.prod(program.block))
    found = replay(trace, conditions(trace, threads, size, scheduler, stores))
    region = trace.accesses(128).region[found.access]
    return report(found, sort_faults(found), region)


def counts(found: FaultReport) -> Counts:
    """As the paper's table has them: causes and effects by program location."""
    return found.count, len({cause.pc for cause in found.causes}), found.affected


def table(size: int, scheduler: Scheduler, stores: bool) -> list[str]:
    """Table 4: ours (root causes, affected locations) and the paper's count, by fault type."""
    rows = [("", "mh", "paper", "m*h", "paper", "mm", "paper", "")]
    for program in PROGRAMS:
        cells = []
        for each, theirs in zip(
            faults(program, size, scheduler, stores), program.paper, strict=True
        ):
            number, causes, affected = counts(each)
            shown = f"{number:,} ({causes}, {affected})" if number else "0"
            cells += [shown, f"{theirs:,}"]
        rows.append((program.title, *cells, ""))
    return aligned(rows, left=1)


def by_scheduler(start: str, size: int, stores: bool) -> list[str]:
    """Interference of some programs under each scheduler."""
    rows: list[tuple[str, ...]] = [("", *SCHEDULERS, "")]
    for program in PROGRAMS:
        if program.title.startswith(start):
            found = (faults(program, size, each, stores) for each in SCHEDULERS)
            rows.append(
                (program.title, *(f"{mh.count + full.count:,}" for mh, full, _ in found), "")
            )
    return aligned(rows, left=1)


def sweep(scheduler: Scheduler, stores: bool) -> dict[str, dict[int, int]]:
    """Figure 12: faults of all types together, by program and cache size."""
    return {
        program.title: {
            size: sum(each.count for each in faults(program, size, scheduler, stores))
            for size in SIZES
        }
        for program in PROGRAMS
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scheduler", choices=SCHEDULERS, default="lrr")
    parser.add_argument("--cache-size", type=read_size, default=1024)
    parser.add_argument("--stores", action="store_true", help="stores allocate, and count")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg|.png|.pdf")
    options = parser.parse_args()
    print(f"Table 4: faults (root causes, affected locations) with {shaped(options.cache_size)},")
    said = "stores allocate and count" if options.stores else "stores evict, loads count"
    print(f"{options.scheduler} scheduler, {said}, beside the paper's faults\n")
    print("\n".join(table(options.cache_size, options.scheduler, options.stores)))
    print("\nScan by scheduler: interference (mh + m*h)\n")
    print("\n".join(by_scheduler("Scan", options.cache_size, options.stores)))
    print("\nFigure 12: faults of all types by cache size\n")
    found = sweep(options.scheduler, options.stores)
    header = ("", *(f"{size >> 10} KB" for size in SIZES), "")
    rows = [(name, *(f"{n:,}" for n in series.values()), "") for name, series in found.items()]
    print("\n".join(aligned([header, *rows], left=1)))
    if options.plot:
        drawing = plot(found, "Faults by cache size (Fig. 12)", "faults")
        options.plot.write_bytes(written(drawing, options.plot))


if __name__ == "__main__":
    main()
