"""What stands in for cuRAND's device functions, against published numbers and NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.test_whole_kernels import run

ONE = (1, 1, 1)


def philox(seed: int, sequence: int, offset: int) -> list[int]:
    (numbers,) = run("curand", "philox", ONE, ONE, np.zeros(14, np.uint32), seed, sequence, offset)
    return numbers.tolist()


def test_philox_gives_the_published_numbers() -> None:
    """Random123's known answer for a counter and a key of zeros."""
    assert philox(0, 0, 0)[:4] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("offset", [1, 3, 4, 7, 1001])
def test_philox_skips(offset: int) -> None:
    base = offset // 4 * 4
    start = philox(0x123456789, 42, base)
    assert philox(0x123456789, 42, offset)[: 14 - offset + base] == start[offset - base :]


def test_xorwow_goes_on_as_published() -> None:
    """Marsaglia, "Xorshift RNGs", section 3.1; threads begin at different places."""
    states, numbers = run(
        "curand",
        "xorwow",
        ONE,
        (64, 1, 1),
        np.zeros((64, 6), np.uint32),
        np.zeros((64, 4), np.uint32),
    )
    d, v = states[:, 0].copy(), states[:, 1:].copy()
    for k in range(4):
        t = v[:, 0] ^ (v[:, 0] >> 2)
        last = (v[:, 4] ^ (v[:, 4] << 4)) ^ (t ^ (t << 1))
        v = np.column_stack([v[:, 1:], last])
        d += 362437
        assert (numbers[:, k] == last + d).all()
    assert len(np.unique(numbers)) == numbers.size


def test_mrg32k3a_gives_the_published_numbers() -> None:
    """The first numbers of L'Ecuyer's RngStreams, whose seeds are 12345."""
    (numbers,) = run("curand", "mrg32k3a", ONE, ONE, np.zeros(3, np.uint32))
    expected = [0.127011122046577, 0.318527565396794, 0.309186015655834]
    assert numbers / 4294967088 == pytest.approx(expected, abs=1e-9)


def test_sobols_sequence() -> None:
    """The first dimension is van der Corput's sequence in the order of Gray codes."""
    vectors = np.array([1 << (31 - i) for i in range(32)], np.uint32)
    _, numbers = run("curand", "sobol", ONE, (64, 1, 1), vectors, np.zeros(64, np.uint32))
    gray = [i ^ (i >> 1) for i in range(64)]
    reversed_bits = [int(f"{g:032b}"[::-1], 2) for g in gray]
    assert numbers.tolist() == reversed_bits


@pytest.mark.parametrize("which", range(3))
def test_distributions(which: int) -> None:
    n = 8 * 128
    uniform, normal, wide = run(
        *("curand", "distributed", (8, 1, 1), (128, 1, 1)),
        np.zeros(n, np.float32),
        np.zeros(2 * n, np.float32),
        np.zeros(n, np.float64),
        which,
    )
    for numbers in (uniform, wide):
        assert numbers.min() > 0 and numbers.max() <= 1
        assert np.histogram(numbers, 8, (0, 1))[0].min() > n / 8 * 0.7
    assert abs(normal.mean()) < 0.1 and abs(normal.std() - 1) < 0.1


def test_poisson() -> None:
    few, many = run(
        "curand",
        "poisson",
        (8, 1, 1),
        (64, 1, 1),
        np.zeros(512, np.uint32),
        np.zeros(512, np.uint32),
    )
    assert abs(few.mean() - 2.5) < 0.3 and abs(few.var() - 2.5) < 0.7
    assert abs(many.mean() - 400) < 4 and 320 < many.var() < 480
