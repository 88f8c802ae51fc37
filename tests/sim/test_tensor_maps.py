"""Tensor maps made by the kernel, and the tiles copied by them, as Triton emits them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import perflint
from perflint.sim.launch import UnsupportedInstructionError

DATA = Path(__file__).parents[1] / "data" / "triton"


def _launch(name: str, *args: Any, file: Path | None = None) -> None:
    file = file or DATA / f"{name}.sm_90.ptx"
    shared = json.loads((DATA / f"{name}.sm_90.json").read_text())["shared"]
    kernel = perflint.load(file, arch="sm_90")[name]
    scratch = np.zeros(1 << 16, np.uint8)
    kernel.launch((4, 4), 128, [*args, scratch, None], arch="sm_90", shared=shared, check=False)


@pytest.mark.parametrize("rows", [256, 200, 1])
def test_tiles_are_copied_and_what_lies_outside_is_left(rows: int) -> None:
    x = np.random.default_rng(0).integers(-8, 9, (rows, 256)).astype(np.float16)
    y = np.full((256, 256), 7, np.float16)  # more rows than the map has
    _launch("tma_copy", x, y, rows, 256)
    np.testing.assert_array_equal(y[:rows], 2 * x)
    assert (y[rows:] == 7).all()


def test_a_product_of_copied_tiles_is_numpys() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, (256, 256)).astype(np.float16) for _ in range(2))
    c = np.zeros((256, 256), np.float32)
    _launch("tma_matmul", a, b, c, 256, 256, 256)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_a_map_of_the_hosts_is_not_guessed_at(tmp_path: Path) -> None:
    text = (DATA / "tma_copy.sm_90.ptx").read_text()
    lines = [line for line in text.splitlines() if "tensormap.replace" not in line]
    file = tmp_path / "tma_copy.sm_90.ptx"
    file.write_text("\n".join(lines))
    x = np.zeros((256, 256), np.float16)
    with pytest.raises(UnsupportedInstructionError, match="comes from the host"):
        _launch("tma_copy", x, x.copy(), 256, 256, file=file)
