"""Emulator speed: thread-instructions a second, with and without tracing of memory.

    python benchmarks/emulator.py [NAME…] [--seconds 2]

Counted are the active lanes of executed PTX instructions, of whole launches from arguments to
buffers, as `perflint check` runs kernels; with tracing, every request's sectors and wavefronts are
computed. Results are verified once. Each figure is the median over the time given for it, in
seconds of the one processor that is used, so that what else runs on the machine does not count.
The last column divides the traced one by the additions a second of `np.add` over 65,536 float32,
measured in the same run.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np

from perflint import frontend
from perflint.grammar import parse
from perflint.grammar.model import Module
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Argument, Buffer, Dim3, Launch, Run, Scalar, whole
from perflint.sim.tracers.accesses import AccessCounter

SOURCE = Path(__file__).with_suffix(".cu")
#: Nothing stops a run, and every request is traced.
BUDGET = whole(seconds=600, memory=1 << 30)


@dataclass(frozen=True)
class Case:
    """A kernel's launch, and whether its output is what it should be."""

    kernel: str
    grid: Dim3
    block: Dim3
    arguments: tuple[Argument, ...]
    right: Callable[[Run], bool]

    @cached_property
    def blocks(self) -> list[Dim3]:
        """All blocks of the grid."""
        return [(x, y, z) for z, y, x in product(*(range(n) for n in reversed(self.grid)))]

    def run(self, module: Module, traced: bool) -> Run:
        launch = Launch(self.grid, self.block, self.arguments)
        tracers = (AccessCounter(),) if traced else ()
        return simulate(
            module,
            self.kernel,
            launch,
            SimulationOptions(blocks=self.blocks, budget=BUDGET),
            tracers=tracers,
        )


def output(run: Run, name: str, code: str, count: int) -> np.ndarray:
    return run.buffers[name].view(code)[:count]


def vecadd(threads: int = 1 << 20, steps: int = 16) -> Case:
    a, b = np.random.default_rng(1).random((2, threads + steps), dtype=np.float32)
    wanted = np.zeros(threads, np.float32)
    for k in range(steps):
        wanted += a[k : k + threads] + b[k : k + threads]
    return Case(
        "vecadd",
        (threads // 256, 1, 1),
        (256, 1, 1),
        (Buffer("a", data=a), Buffer("b", data=b), Buffer("c"), Scalar(threads), Scalar(steps)),
        lambda run: np.array_equal(output(run, "c", "f4", threads), wanted),
    )


def matmul(side: int = 256, depth: int = 256) -> Case:
    """A matrix product; with fewer threads than 256 squared, a corner of one."""
    a, b = np.random.default_rng(2).random((2, depth, depth), dtype=np.float32)
    wanted = (a.astype(np.float64) @ b)[:side, :side]

    def right(run: Run) -> bool:
        rows = output(run, "c", "f4", side * depth - (depth - side))
        found = np.lib.stride_tricks.as_strided(rows, (side, side), (4 * depth, 4))
        return np.allclose(found, wanted, rtol=1e-4)

    arguments = (Buffer("a", data=a), Buffer("b", data=b), Buffer("c"), Scalar(depth))
    return Case("matmul", (side // 16, side // 16, 1), (16, 16, 1), arguments, right)


def transpose(kernel: str, side: int = 1024) -> Case:
    data = np.random.default_rng(3).random((side, side), dtype=np.float32)
    return Case(
        kernel,
        (side // 16, side // 16, 1),
        (16, 16, 1),
        (Buffer("in", data=data), Buffer("out"), Scalar(side)),
        lambda run: np.array_equal(output(run, "out", "f4", side * side), data.T.reshape(-1)),
    )


def bitonic(blocks: int = 256) -> Case:
    data = np.random.default_rng(4).integers(0, 1 << 32, (blocks, 512), dtype=np.uint32)
    wanted = np.sort(data, axis=1).reshape(-1)
    return Case(
        "bitonic",
        (blocks, 1, 1),
        (256, 1, 1),
        (Buffer("data", data=data),),
        lambda run: np.array_equal(output(run, "data", "u4", len(wanted)), wanted),
    )


def mandelbrot(width: int = 256, height: int = 256, limit: int = 64) -> Case:
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    c = (-2 + 3 * x / width) + 1j * (-1 + 2 * y / height)
    z, steps = np.zeros_like(c), np.zeros(c.shape, np.int64)
    with np.errstate(all="ignore"):
        for _ in range(limit):
            inside = z.real**2 + z.imag**2 < 4
            steps += inside
            z = np.where(inside, z * z + c, z)
    arguments = (Buffer("out"), Scalar(width), Scalar(height), Scalar(limit))

    def right(run: Run) -> bool:  # rounding differs, so that a few points leave a step apart
        found = output(run, "out", "i4", width * height).reshape(height, width)
        return bool(np.mean(found != steps) < 0.02)

    return Case("mandelbrot", (width // 16, height // 16, 1), (16, 16, 1), arguments, right)


CASES: dict[str, Callable[[], Case]] = {
    "vecadd, 16 steps, 1 M threads": vecadd,
    "matrix product, 256 squared": matmul,
    "transpose, naive, 1024 squared": lambda: transpose("naive"),
    "transpose, tiled": lambda: transpose("tiled"),
    "transpose, padded tile": lambda: transpose("padded"),
    "bitonic sort, 256 blocks of 512": bitonic,
    "mandelbrot, 65536 threads": mandelbrot,
    "matrix product, 256 threads": lambda: matmul(side=16),
    "vecadd, 256 threads": lambda: vecadd(256),
    "bitonic sort, 1 block": lambda: bitonic(1),
}


def additions_per_second(lanes: int = 1 << 16) -> float:
    """Elements a second of `np.add` into a new float32 array."""
    a = np.random.default_rng(0).random(lanes, dtype=np.float32)
    times = []
    for _ in range(30):
        start = time.process_time()
        for _ in range(100):
            np.add(a, a)
        times.append(time.process_time() - start)
    return 100 * lanes / statistics.median(times)


def measured(run: Callable[[], Run], seconds: float) -> float:
    """Thread-instructions a second, the median of the runs that fit into the time."""
    found = []
    end = time.process_time() + seconds
    while True:
        start = time.process_time()
        done = run()
        found.append(done.thread_instructions / (time.process_time() - start))
        if time.process_time() > end and len(found) >= 3:
            return statistics.median(found)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("names", nargs="*", help="only cases whose name begins so")
    options.add_argument("--seconds", type=float, default=2.0, help="for each figure")
    given = options.parse_args()
    compilation = frontend.compile_file(SOURCE)
    assert compilation.ptx is not None, compilation.errors
    module = parse(compilation.ptx)
    base = additions_per_second()
    print(f"{'M thread-instructions/s':34} {'traced':>8} {'untraced':>8} {'of np.add':>10}")
    for name, make in CASES.items():
        if given.names and not any(name.startswith(each) for each in given.names):
            continue
        case = make()
        assert case.blocks
        first = case.run(module, traced=True)
        assert first.stop is None, first.stop
        assert case.right(first), name
        with_tracing, without = (
            measured(lambda case=case, traced=traced: case.run(module, traced), given.seconds)  # type: ignore[misc]
            for traced in (True, False)
        )
        ratio = with_tracing / base
        print(f"{name:34} {with_tracing / 1e6:8.1f} {without / 1e6:8.1f} {ratio:10.3f}", flush=True)


if __name__ == "__main__":
    main()
