"""A load of every STEP-th element: Triton makes a constant of a step of 1, unless it may not."""

import triton
import triton.language as tl


@triton.jit
def specialised(x_ptr, y_ptr, n, step, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets * step, mask=mask)
    tl.store(y_ptr + offsets, x, mask=mask)


@triton.jit(do_not_specialize=["step"])
def unspecialised(x_ptr, y_ptr, n, step, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets * step, mask=mask)
    tl.store(y_ptr + offsets, x, mask=mask)
