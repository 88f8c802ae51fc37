"""The different values of an array are NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest

from perflint.sim.unique_values import unique_values

_RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize(
    "values",
    [
        np.zeros(0, np.int64),
        np.array([5]),
        np.array([3, 3, 3], np.uint8),
        np.array([[2, 1], [2, -4]], np.int32),
        np.array([True, False, True]),
        np.array([2**64 - 1, 0, 2**63, 0], np.uint64),
        _RANDOM.integers(-50, 50, 1000),
        _RANDOM.integers(0, 1 << 40, (10, 32))[:, ::2],
    ],
)
def test_values_are_found_once_in_order(values: np.ndarray) -> None:
    before = values.copy()
    found, expected = unique_values(values), np.unique(values)
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)
    assert np.array_equal(values, before)
