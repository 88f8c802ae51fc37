"""The types that a Numba kernel's source suggests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("numba.cuda")

from numba import types

from perflint.python_kernels.numba_types import supposed_types

SOURCE = """\
from numba import cuda

@cuda.jit(device=True)
def first(row, start):
    return row[start] + row[start + 1]

@cuda.jit
def gathered(x, rows, out, n, scale):
    i = cuda.grid(1)
    if i < n:
        k = rows[i]
        for j in range(out.shape[1]):
            out[i, j] = scale * x[k, j]

@cuda.jit
def looked_at(points, table, low, out):
    i, j = cuda.grid(2)
    point = points[i, j]
    for t in table:
        if t > low:
            out[i, j] = first(points[i, j], 0) + point[2]

@cuda.jit
def whole(x, out):
    at = cuda.grid(2)
    if at[0] < out.shape[0]:
        out[at] = first(x[at[0], 0:4], 1)

@cuda.jit
def counted(x, low, bins):
    i = cuda.grid(1)
    cuda.atomic.add(bins, int(x[i] - low), 1)

@cuda.jit
def locked(x, lock):
    if cuda.atomic.cas(lock, 0, 0, 1) == 0:
        x[0] += 1.0

@cuda.jit
def shifted(x, w, h, start):
    i = start + cuda.grid(1)
    if i < w * h:
        x[i // w, i % w] = 0.0

@cuda.jit
def placed(x, low, step, high):
    i = cuda.grid(1)
    if low + i * step < high:
        x[i] = 0.0

@cuda.jit
def chosen(x, mask, weight):
    i = cuda.grid(1)
    if not mask[i] and weight[i]:
        x[i] = weight[i]

@cuda.jit
def records(tracks):
    tracks[cuda.grid(1)]["energy"] = 0.0
"""
SUPPOSED = {
    "gathered": ["f2", "i1", "f2", "int64", "float64"],
    "looked_at": ["f3", "f1", "float64", "f2"],
    "whole": ["f2", "f2"],
    "counted": ["f1", "float64", "f1"],
    "locked": ["f1", "i1"],
    "shifted": ["f2", "int64", "int64", "int64"],
    "placed": ["f1", "float64", "float64", "float64"],
    "chosen": ["f1", "b1", "f1"],
    "records": None,
}


@pytest.mark.parametrize("name", SUPPOSED)
def test_what_is_subscripted_is_an_array(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "supposed_kernels.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "supposed_kernels", raising=False)
    kernel = getattr(__import__("supposed_kernels"), name).py_func
    found = supposed_types(kernel, types.float32, types.int32, types.boolean)
    short = found and [
        f"{str(t.dtype)[0]}{t.ndim}" if isinstance(t, types.Array) else str(t)
        for t in found.values()
    ]
    assert short == SUPPOSED[name]
