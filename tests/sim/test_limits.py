"""What stands in for std::numeric_limits, against NumPy's figures and C++'s definitions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.test_whole_kernels import run

ONE = (1, 1, 1)


def told(kernel: str, dtype: type[np.generic]) -> tuple[list[float], np.ndarray]:
    numbers, bits = run("limits", kernel, ONE, ONE, np.zeros(9), np.zeros(2, dtype))
    return numbers.tolist(), bits


@pytest.mark.parametrize(("kernel", "dtype"), [("of_float", np.float32), ("of_double", np.float64)])
def test_of_floating_point_numbers(kernel: str, dtype: type[np.floating]) -> None:
    numbers, (least, nan) = told(kernel, dtype)
    known = np.finfo(dtype)
    # C++ takes the mantissa to lie in [0.5, 1), NumPy in [1, 2)
    exponents = [known.maxexp, int(np.log10(known.max)), known.minexp + 1]
    lowest = int(np.ceil(np.log10(known.tiny)))
    enough = int(np.ceil(1 + (known.nmant + 1) * np.log10(2)))
    assert numbers == [known.precision, enough, 2, *exponents, lowest, 0, 0.5]
    assert least == known.smallest_subnormal
    quiet = np.array(nan).view(f"u{np.dtype(dtype).itemsize}") >> np.uint64(known.nmant - 1) & 1
    assert np.isnan(nan)
    assert quiet == 0


@pytest.mark.parametrize(
    ("kernel", "dtype"), [("of_short", np.int16), ("of_unsigned", np.uint32), ("of_long", np.int64)]
)
def test_of_whole_numbers(kernel: str, dtype: type[np.integer]) -> None:
    numbers, bits = told(kernel, dtype)
    digits = int(np.log10(float(np.iinfo(dtype).max)))
    assert numbers == [digits, 0, 2, 0, 0, 0, 0, np.iinfo(dtype).min == 0, 0]
    assert not bits.any()
