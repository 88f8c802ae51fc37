"""Tiles of a warp, labelled groups, halos and negative offsets: whole kernels against NumPy.

Simulated fast and plainly; the static analysis' addresses are held against the same runs.
"""

from __future__ import annotations

import numpy as np
import pytest

from perflint.analysis import analyse
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Argument, Budget, Buffer, Dim3, Launch, Scalar
from tests.analysis.probes import compare
from tests.sim.test_whole_kernels import module

LIMITS = Budget(seconds=60.0)
WAYS = pytest.mark.parametrize("plain", [False, True])


def run(
    source: str, kernel: str, grid: Dim3, block: Dim3, plain: bool, *values: np.ndarray | int
) -> list[np.ndarray]:
    """What the arrays hold after all blocks ran; its addresses are as the analysis has them."""
    arguments: list[Argument] = [
        Buffer(f"a{k}", data=value, size=value.nbytes)
        if isinstance(value, np.ndarray)
        else Scalar(value)
        for k, value in enumerate(values)
    ]
    launch = Launch(grid, block, tuple(arguments))
    blocks = [(x, y, 0) for y in range(grid[1]) for x in range(grid[0])]
    compiled = module(source)
    done = simulate(
        compiled, kernel, launch, SimulationOptions(blocks=blocks, budget=LIMITS, reference=plain)
    )
    assert done.stop is None
    assert done.faults == ()
    if not plain:
        _agree(source, kernel, launch)
    return [
        done.buffers[f"a{k}"].view(value.dtype)[: value.size].reshape(value.shape)
        for k, value in enumerate(values)
        if isinstance(value, np.ndarray)
    ]


def _agree(source: str, kernel: str, launch: Launch) -> None:
    facts = analyse(module(source), module(source).functions[kernel])
    compared = compare(facts, launch, budget=LIMITS)
    known = [found for found in compared.values() if not found.unknown]
    assert len(known) >= len(compared) - 2  # a leader's address depends on what was loaded
    for found in known:
        assert found.equal == found.requests, found.difference or found.overflow
        assert not found.outside, found.nest


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


@WAYS
def test_tiles(plain: bool, rng: np.random.Generator) -> None:
    data = rng.integers(0, 1000, 128, dtype=np.uint32)
    out = [np.zeros_like(data) for _ in range(3)]
    _, sums, even, prefix = run("groups", "tiles", (2, 1, 1), (64, 1, 1), plain, data, *out)
    tiles = data.reshape(-1, 8)
    assert np.array_equal(sums.reshape(-1, 8), np.repeat(tiles.sum(axis=1)[:, None], 8, axis=1))
    bits = ((tiles % 2 == 0) << np.arange(8)).sum(axis=1)
    assert np.array_equal(even.reshape(-1, 8), np.repeat(bits[:, None], 8, axis=1))
    assert np.array_equal(prefix.reshape(-1, 8), tiles.cumsum(axis=1))


@WAYS
def test_tiles_that_leave_a_loop_one_after_another(plain: bool, rng: np.random.Generator) -> None:
    data = rng.integers(0, 100, 128, dtype=np.uint32)
    out = run("groups", "uneven_tiles", (2, 1, 1), (64, 1, 1), plain, data, 0 * data)[1]
    tiles = data.reshape(-1, 8).astype(np.int64)
    wanted = np.zeros_like(tiles)
    for number, tile in enumerate(tiles):
        for turn in range(1 + number % 4):
            part = tile + turn
            wanted[number] += part[::-1] * (part % 5 == turn).any()
    assert np.array_equal(out.reshape(-1, 8), wanted)


@WAYS
def test_labelled_groups(plain: bool, rng: np.random.Generator) -> None:
    label = rng.integers(0, 8, 200, dtype=np.uint32)
    arrays = (label, np.zeros(16, np.uint32), np.zeros(200, np.uint32), 200)
    _, count, rank = run("groups", "labelled", (4, 1, 1), (64, 1, 1), plain, *arrays)
    assert np.array_equal(count[:8], np.bincount(label, minlength=8))
    for each in range(8):  # the order of the warps is open, every rank is given once
        mine = np.flatnonzero(label == each)
        assert sorted(rank[mine]) == list(range(len(mine)))
        by_warp = [rank[mine[mine // 32 == warp]] for warp in range(7)]
        assert all((np.diff(ranks.astype(np.int64)) == 1).all() for ranks in by_warp)
        assert count[8 + each] == max(len(ranks) for ranks in by_warp)


@WAYS
def test_a_window_with_a_halo(plain: bool, rng: np.random.Generator) -> None:
    data = rng.integers(-99, 99, 300, dtype=np.int32)
    out = run("halos", "blur", (3, 1, 1), (128, 1, 1), plain, data, 0 * data, 300)[1]
    padded = np.pad(data, 3)
    assert np.array_equal(out, sum((k + 1) * padded[k : k + 300] for k in range(7)))


@WAYS
def test_a_stencil_with_a_halo(plain: bool, rng: np.random.Generator) -> None:
    data = rng.integers(-99, 99, (32, 32), dtype=np.int32)
    out = run("halos", "stencil", (2, 2, 1), (16, 16, 1), plain, data, 0 * data, 32)[1]
    p = np.pad(data, 1)
    wanted = 4 * data - p[:-2, 1:-1] - 2 * p[2:, 1:-1] - 3 * p[1:-1, :-2] - 5 * p[1:-1, 2:]
    assert np.array_equal(out, wanted)


@WAYS
def test_a_reversal(plain: bool, rng: np.random.Generator) -> None:
    data = rng.integers(-99, 99, 512, dtype=np.int32)
    out = np.zeros(1024, np.int32)
    _, out = run("halos", "reversed", (2, 1, 1), (256, 1, 1), plain, data, out, 512)
    wanted = data.copy()
    assert np.array_equal(out[:512], wanted)
    # The lane at 255 - t adds t, so that the block's first half grows towards its start.
    grown = wanted.reshape(2, 256) + np.where(np.arange(256) < 255, 255 - np.arange(256), 0)
    assert np.array_equal(out[512:].reshape(2, 256), grown[:, ::-1])


@WAYS
def test_anti_diagonals(plain: bool, rng: np.random.Generator) -> None:
    score = rng.integers(-9, 10, (16, 16), dtype=np.int32)
    out = run("halos", "align", (1, 1, 1), (16, 1, 1), plain, score, 0 * score, 4)[1]
    table = np.zeros((17, 17), np.int32)
    table[0, :] = table[:, 0] = -4 * np.arange(17)
    for y in range(1, 17):
        for x in range(1, 17):
            diagonal = table[y - 1, x - 1] + score[y - 1, x - 1]
            table[y, x] = max(diagonal, table[y, x - 1] - 4, table[y - 1, x] - 4)
    assert np.array_equal(out, table[1:, 1:])
