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
