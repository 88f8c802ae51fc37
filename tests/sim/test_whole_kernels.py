"""Whole CUDA kernels, compiled by the front end, against NumPy."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from perflint.frontend import compile_file
from perflint.grammar import parse
from perflint.grammar.model import Module
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Argument, Budget, Buffer, Dim3, Launch, Scalar

SOURCES = Path(__file__).parent / "cuda"
LIMITS = Budget(warp_instructions=50_000_000, seconds=60.0)


@cache
def module(name: str) -> Module:
    compiled = compile_file(SOURCES / f"{name}.cu")
    assert compiled.ptx is not None, compiled.errors
    return parse(compiled.ptx)


def run(
    source: str, kernel: str, grid: Dim3, block: Dim3, *values: np.ndarray | int
) -> list[np.ndarray]:
    """Run every block; what the arrays hold afterwards, in order."""
    arguments: list[Argument] = [
        Buffer(f"a{k}", data=value, size=value.nbytes)
        if isinstance(value, np.ndarray)
        else Scalar(value)
        for k, value in enumerate(values)
    ]
    blocks = [(x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0])]
    done = simulate(
        module(source),
        kernel,
        Launch(grid, block, tuple(arguments)),
        SimulationOptions(blocks=blocks, budget=LIMITS),
    )
    assert done.stop is None
    assert done.faults == ()
    return [
        done.buffers[f"a{k}"].view(value.dtype)[: value.size].reshape(value.shape)
        for k, value in enumerate(values)
        if isinstance(value, np.ndarray)
    ]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def test_vector_sum(rng: np.random.Generator) -> None:
    a, b = floats(rng, 1000), floats(rng, 1000)
    out = run("vectors", "add", (4, 1, 1), (256, 1, 1), a, b, np.zeros_like(a), 1000)[2]
    assert np.array_equal(out, a + b)


@pytest.mark.parametrize("kernel", ["multiply", "multiply_tiled"])
def test_matrix_product(kernel: str, rng: np.random.Generator) -> None:
    a, b = floats(rng, 64, 64), floats(rng, 64, 64)
    out = run("matrices", kernel, (4, 4, 1), (16, 16, 1), a, b, np.zeros_like(a), 64)[2]
    assert np.allclose(out, a @ b, rtol=1e-4, atol=1e-4)


def test_half_precision_matrix_product(rng: np.random.Generator) -> None:
    a, b = (rng.integers(-8, 9, (64, 64)).astype(np.float16) / 4 for _ in range(2))
    arguments = (a, np.ascontiguousarray(b.T), np.zeros((64, 64), np.float32), 64)
    out = run("matrices", "multiply_half", (8, 4, 1), (32, 1, 1), *arguments)[2]
    assert np.array_equal(out, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("kernel", ["transpose_plain", "transpose_shared", "transpose_padded"])
def test_transpose(kernel: str, rng: np.random.Generator) -> None:
    a = floats(rng, 64, 64)
    out = run("matrices", kernel, (2, 2, 1), (32, 8, 1), a, np.zeros_like(a), 64)[1]
    assert np.array_equal(out, a.T)


REDUCTIONS = {
    "reduce_divergent": 256,
    "reduce_strided": 256,
    "reduce_sequential": 256,
    "reduce_first_add": 128,
    "reduce_last_warp": 256,
    "reduce_shuffles": 256,
    "reduce_instruction": 256,
}


@pytest.mark.parametrize("kernel", REDUCTIONS)
def test_reduction(kernel: str, rng: np.random.Generator) -> None:
    data = rng.integers(-1000, 1000, (5, 256), dtype=np.int32)
    block = (REDUCTIONS[kernel], 1, 1)
    out = run("sums", kernel, (5, 1, 1), block, data, np.zeros(5, np.int32))[1]
    assert np.array_equal(out, data.sum(axis=1))


@pytest.mark.parametrize(
    ("kernel", "threads"), [("scan_doubling", 256), ("scan_tree", 128), ("scan_shuffles", 256)]
)
def test_scan(kernel: str, threads: int, rng: np.random.Generator) -> None:
    data = rng.integers(-1000, 1000, (3, 256), dtype=np.int32)
    out = run("sums", kernel, (3, 1, 1), (threads, 1, 1), data, np.zeros_like(data))[1]
    assert np.array_equal(out, data.cumsum(axis=1))


def test_bitonic_sort(rng: np.random.Generator) -> None:
    data = rng.integers(0, 2**32, (4, 256), dtype=np.uint32)
    out = run("vectors", "bitonic", (4, 1, 1), (256, 1, 1), data)[0]
    assert np.array_equal(out, np.sort(data, axis=1))


def test_histogram_with_shared_atomics(rng: np.random.Generator) -> None:
    data = rng.integers(0, 64, 3000, dtype=np.uint32) ** 2 % 64
    out = run("vectors", "histogram", (4, 1, 1), (128, 1, 1), data, np.zeros(64, np.uint32), 3000)
    assert np.array_equal(out[1], np.bincount(data, minlength=64))


def test_separable_convolution(rng: np.random.Generator) -> None:
    image = floats(rng, 32, 128)
    zeros = np.zeros_like(image)
    weights = np.array([0.05, 0.1, 0.15, 0.2, 0.25, 0.1, 0.05, 0.06, 0.04])
    rows = run("vectors", "convolve_rows", (2, 32, 1), (64, 1, 1), image, zeros, 128)[1]
    padded = np.pad(image, ((0, 0), (4, 4)))
    want = sum(w * padded[:, k : k + 128] for k, w in enumerate(weights))
    assert np.allclose(rows, want, atol=1e-5)
    out = run("vectors", "convolve_columns", (4, 4, 1), (32, 8, 1), rows, zeros, 128, 32)[1]
    padded = np.pad(rows, ((4, 4), (0, 0)))
    want = sum(w * padded[k : k + 32] for k, w in enumerate(weights))
    assert np.allclose(out, want, atol=1e-5)


def test_haar_wavelet(rng: np.random.Generator) -> None:
    data = floats(rng, 3, 128)
    out = run("vectors", "haar", (3, 1, 1), (64, 1, 1), data, np.zeros_like(data))[1]
    want, means = np.zeros((3, 128)), data.astype(float)
    while means.shape[1] > 1:
        half = means.shape[1] // 2
        want[:, half : 2 * half] = (means[:, ::2] - means[:, 1::2]) / np.sqrt(2)
        means = (means[:, ::2] + means[:, 1::2]) / np.sqrt(2)
    want[:, :1] = means
    assert np.allclose(out, want, atol=1e-5)


def test_breadth_first_search(rng: np.random.Generator) -> None:
    degrees = rng.integers(0, 4, 300)
    starts = np.concatenate([[0], degrees.cumsum()]).astype(np.int32)
    edges = rng.integers(0, 300, starts[-1], dtype=np.int32)
    levels, more = np.full(300, -1, np.int32), np.ones(1, np.int32)
    levels[0] = level = 0
    while more[0]:
        arguments = (starts, edges, levels, np.zeros(1, np.int32), level, 300)
        _, _, levels, more = run("vectors", "bfs", (3, 1, 1), (128, 1, 1), *arguments)
        level += 1
    want, front = np.full(300, -1), {0}
    want[0] = 0
    while front:
        front = {int(e) for v in front for e in edges[starts[v] : starts[v + 1]] if want[e] < 0}
        want[list(front)] = want.max() + 1
    assert np.array_equal(levels, want)


def test_n_body(rng: np.random.Generator) -> None:
    bodies = floats(rng, 128, 4)
    bodies[:, 3] = np.abs(bodies[:, 3])
    force = np.zeros((128, 3), np.float32)
    out = run("vectors", "nbody", (2, 1, 1), (64, 1, 1), bodies, force, 128)[1]
    away = bodies[None, :, :3].astype(float) - bodies[:, None, :3]
    pull = bodies[:, 3] / ((away**2).sum(axis=2) + 0.01) ** 1.5
    assert np.allclose(out, (away * pull[:, :, None]).sum(axis=1), rtol=1e-3, atol=1e-3)


def test_softmax_with_shuffles(rng: np.random.Generator) -> None:
    data = 5 * floats(rng, 6, 128)
    out = run("vectors", "softmax", (2, 1, 1), (128, 1, 1), data, np.zeros_like(data), 6)[1]
    powers = np.exp(data.astype(float) - data.max(axis=1, keepdims=True))
    assert np.allclose(out, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5, atol=1e-7)


def test_blocks_of_a_grid_wait_for_one_another() -> None:
    data = np.arange(256, dtype=np.int32)
    zeros = np.zeros_like(data)
    out = run("grid", "rotate", (4, 1, 1), (64, 1, 1), data, zeros, zeros.copy(), 256)[2]
    assert np.array_equal(out, 2 * np.roll(data, 128) + 1)


def numbers_of_words(rng: np.random.Generator) -> tuple[np.ndarray, list[int]]:
    """64 numbers of eight words, some with long runs of ones and zeros; as Python has them."""
    out = rng.integers(0, 2**32, (64, 8), dtype=np.uint32)
    out[::2] = rng.choice([0, 1, 2**32 - 1], (32, 8)).astype(np.uint32)
    return out, [int.from_bytes(row.tobytes(), "little") for row in out]


def test_arithmetic_of_many_words(rng: np.random.Generator) -> None:
    """Carries from word to word, against Python's own integers."""
    (a, x), (b, y) = numbers_of_words(rng), numbers_of_words(rng)
    b[5], y[5] = a[5], x[5]

    def after(kernel: str, *more: np.ndarray) -> list[np.ndarray]:
        return run("words", kernel, (2, 1, 1), (32, 1, 1), a, b, np.zeros_like(a), *more)[2:]

    def numbers(rows: np.ndarray) -> list[int]:
        return [int.from_bytes(row.tobytes(), "little") for row in rows]

    top = 2**256
    assert numbers(after("add_words")[0]) == [(p + q) % top for p, q in zip(x, y, strict=True)]
    out, carry = after("subtract_words", np.zeros(64, np.uint32))
    assert numbers(out) == [(p - q) % top for p, q in zip(x, y, strict=True)]
    assert carry.tolist() == [p >= q for p, q in zip(x, y, strict=True)]
    assert numbers(after("multiply_words")[0]) == [p * q % top for p, q in zip(x, y, strict=True)]
