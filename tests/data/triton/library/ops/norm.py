"""Kernels that a library's functions launch: nothing here runs them."""

import einops  # noqa: F401
import torch
import triton
import triton.language as tl

from .. import __version__
from .sizes import settings

try:
    import absent_extension
except ImportError:
    absent_extension = None
assert absent_extension is None and __version__ == "1.2"


@triton.jit
def scale_rows(x, y, row_stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    value = tl.load(x + row * row_stride + cols, mask=mask).to(tl.float32)
    total = tl.sum(value * value, axis=0) / n_cols
    tl.store(y + row * row_stride + cols, value * tl.rsqrt(total + eps), mask=mask)


@triton.jit
def scale_columns(x, y, row_stride, n_rows, BLOCK: tl.constexpr):
    column = tl.program_id(0)
    rows = tl.arange(0, BLOCK)
    mask = rows < n_rows
    value = tl.load(x + rows * row_stride + column, mask=mask)  # CU101: a column
    tl.store(y + column * n_rows + rows, value, mask=mask)


@triton.jit
def never_launched(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))


class ScaleRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps, mode="rows"):
        shape = x.shape
        x = x.view(-1, shape[-1])
        n_rows, n_cols = x.shape
        block, num_warps = settings(n_cols)
        y = torch.empty_like(x)
        scale_rows[(n_rows,)](x, y, x.stride(0), n_cols, eps, BLOCK=block, num_warps=num_warps)
        ctx.save_for_backward(x)
        return y.view(*shape)

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return columns(x, dy), None, None


def columns(x, dy):
    batch, n_rows, n_cols = dy.shape
    assert x.shape[-1] == n_cols
    dx = torch.zeros((n_cols, n_rows), dtype=x.dtype, device=x.device)
    with torch.cuda.device(x.device):
        scale_columns[(n_cols,)](x, dx, x.stride(0), n_rows, BLOCK=settings(n_rows)[0])
    return dx


@triton.autotune(
    configs=[
        triton.Config({"STEP": 8, "BLOCK": 512}, num_warps=4),
        triton.Config({"STEP": 4, "BLOCK": 512}, num_warps=4),
        triton.Config({"STEP": 1, "BLOCK": 512}, num_warps=4),
    ],
    key=["n"],
)
@triton.jit
def every_step(x, y, n, STEP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(y + i, tl.load(x + i * STEP, mask=mask), mask=mask)  # a note: not with a step of 1


@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (256, 512)], key=["n"])
@triton.jit
def every_eighth(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(y + i, tl.load(x + i * 8, mask=mask), mask=mask)  # CU101 with both


def steps(x: torch.Tensor):
    y = torch.empty(x.numel() // 8, dtype=x.dtype, device=x.device)

    def grid(meta):
        return (triton.cdiv(y.numel(), meta["BLOCK"]),)

    every_step[grid](x, y, y.numel())
    every_eighth[grid](x, y, y.numel())
    return y


@triton.jit
def launched_elsewhere(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i))
