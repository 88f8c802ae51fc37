"""`wgmma` and `tcgen05` as Triton emits them, against NumPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import perflint

DATA = Path(__file__).parents[1] / "data" / "triton"
VARIANTS = Path(__file__).with_name("dot_variants.py")


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
def test_a_matrix_product_of_tritons_is_numpys(arch: str) -> None:
    """The same source: `mma` and `ldmatrix`, Hopper's `wgmma`, Blackwell's `tcgen05`."""
    kernel = perflint.load(DATA / f"matmul.{arch}.ptx", arch=arch)["matmul"]
    rng = np.random.default_rng(0)
    m, n, k = 128, 128, 96
    a = rng.integers(-4, 5, (m, k)).astype(np.float16)
    b = rng.integers(-4, 5, (k, n)).astype(np.float16)
    c = np.zeros((m, n), np.float16)
    kernel.launch((2, 2), 128, [a, b, c, m, n, k, k, n, n, None, None], arch=arch, shared=32768,
                  check=False)  # fmt: skip
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize("capability", ["90", "100"])
def test_types_swizzles_and_transpositions(capability: str) -> None:
    """Every operand layout that Triton was seen to choose, exact in small integers."""
    pytest.importorskip("triton")
    command = [sys.executable, VARIANTS, capability]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["exact"] * 10), done.stderr
