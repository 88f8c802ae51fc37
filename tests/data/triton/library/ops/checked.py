"""A function that checks what it is given, and a function that kernels call."""

import torch
import triton
import triton.language as tl


@triton.jit
def doubled(x):
    return x + x


@triton.jit
def heads(x, w, y, n, d, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0) * d
    scale = tl.load(w + tl.program_id(0) % n)
    tl.store(y + row + i, doubled(tl.load(x + row + i, mask=i < d)) * scale, mask=i < d)


def scale_heads(x: torch.Tensor, w: torch.Tensor, state: torch.Tensor):
    if x.dim() == 2:
        x = x.unsqueeze(1)
    batch, count, d = state.shape
    print("shapes", x.shape)
    assert x.shape == (batch, count, d)
    if w.shape != (count,):
        raise ValueError("a weight for each head")
    assert torch.are_deterministic_algorithms_enabled() or w.dtype == torch.float32
    y = torch.empty_like(x)
    heads[(batch * count,)](x, w, y, count, d, BLOCK=triton.next_power_of_2(d))
    return y


@triton.jit
def applied(x, KIND: tl.constexpr):
    if KIND == "relu":
        y = tl.maximum(x, 0.0)
    else:
        tl.static_assert(KIND == "square")
        y = x * x
    return y


@triton.jit
def activated(x, y, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, applied(tl.load(x + i, mask=i < n), KIND), mask=i < n)


@triton.jit
def activated_back(x, dy, dx, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    slope = applied(tl.load(x + i, mask=i < n), KIND)
    tl.store(dx + i, slope * tl.load(dy + i, mask=i < n), mask=i < n)


class Activation(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, kind: str):
        if "_" in kind:
            kind = kind.rpartition("_")[0]
        y = torch.empty_like(x)
        if x.requires_grad:
            ctx.save_for_backward(x)
        ctx.kind = kind
        activated[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), kind, BLOCK=1024)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        dx = torch.empty_like(x)
        grid = (triton.cdiv(x.numel(), 1024),)
        activated_back[grid](x, dy, dx, x.numel(), ctx.kind, BLOCK=1024)
        return dx, None


@triton.jit
def short_rows(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    step: tl.constexpr = 1 if BLOCK > 128 else 8
    tl.store(y + i, tl.load(x + i * step, mask=i * step < n), mask=i < n)  # of short rows alone


def rows(x: torch.Tensor):
    y = torch.empty_like(x)
    short_rows[(x.shape[0],)](x, y, x.numel(), BLOCK=triton.next_power_of_2(x.shape[-1]))
    both_rows[(x.shape[0],)](x, y, x.numel(), BLOCK=128)
    return y


class Heads(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor):
        x = x.view(-1, 128)
        y = torch.empty_like(x)
        short_rows[(x.shape[0],)](x, y, x.numel(), BLOCK=triton.next_power_of_2(x.shape[-1]))
        return y


@triton.jit
def both_rows(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)  # a type that is made up
