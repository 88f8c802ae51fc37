"""A load of every STRIDE-th element, and its coalesced twin."""

import triton
import triton.language as tl
from triton.runtime.jit import MockTensor


@triton.jit
def strided(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets * stride, mask=mask)
    tl.store(y_ptr + offsets, x * 2.0, mask=mask)


@triton.jit
def coalesced(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x * 2.0, mask=mask)


def main():
    n = 65536
    x, y = MockTensor(tl.float32), MockTensor(tl.float32)

    def grid(meta):
        return (triton.cdiv(n, meta["BLOCK"]),)

    strided[grid](x, y, 48, n, BLOCK=1024)
    coalesced[grid](x, y, n, BLOCK=1024)


if __name__ == "__main__":
    main()
