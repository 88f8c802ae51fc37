"""What stands in for Thrust's algorithms in device code, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.test_whole_kernels import run

ONE = (1, 1, 1)


@pytest.mark.parametrize("n", [1, 2, 31, 33, 100])
def test_sorts(n: int) -> None:
    """By insertion and by heaps."""
    rng = np.random.default_rng(n)
    given = rng.permutation(32 * n).astype(np.int32).reshape(32, n)
    places = np.tile(np.arange(n, dtype=np.int32), (32, 1))
    keys, values, plain = run(
        "thrust_algorithms", "sorts", ONE, (32, 1, 1), given.copy(), places, given.copy(), n
    )
    assert (keys == np.sort(given)).all()
    assert (values == np.argsort(given)).all()
    assert (plain == np.sort(given)[:, ::-1]).all()


def test_searches() -> None:
    row = np.sort(np.random.default_rng(3).integers(0, 32, 40)).astype(np.int32)
    _, out = run(
        "thrust_algorithms", "searches", ONE, (32, 1, 1), row, np.zeros((32, 4), np.int32), 40
    )
    keys = np.arange(32)
    low, high = np.searchsorted(row, keys), np.searchsorted(row, keys, "right")
    assert (out[:, 0] == low).all() and (out[:, 1] == high).all()
    assert (out[:, 2] == high - low).all()
    assert (out[:, 3] == np.where(high > low, low, 40)).all()


def test_folds() -> None:
    a = np.random.default_rng(4).integers(-99, 99, 50).astype(np.int32)
    inclusive = np.zeros(58, np.int32)
    inclusive[50:] = [1, 1, 2, 2, 2, 1, 3, 3]
    reversed_, scanned, before, out = run(
        *("thrust_algorithms", "folds", ONE, ONE),
        *(a.copy(), inclusive, np.zeros(50, np.int32), np.zeros(6, np.int32), 50),
    )
    assert (scanned[:50] == np.cumsum(a)).all()
    assert (before == np.cumsum(a) - a + 5).all()
    assert out.tolist() == [a.sum(), a.max(), a.argmin(), 1 - a.sum(), (a * a).sum(), 4]
    assert (reversed_ == a[::-1]).all()
