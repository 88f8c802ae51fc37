"""Tiles moved by tensor descriptors that the kernel makes."""

import triton
import triton.language as tl
from triton.runtime.jit import MockTensor


@triton.jit
def tma_copy(x_ptr, y_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [BM, BN])
    y = tl.make_tensor_descriptor(y_ptr, [m, n], [n, 1], [BM, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    y.store([i, j], x.load([i, j]) * 2)


@triton.jit
def tma_matmul(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [m, k], [k, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [k, n], [n, 1], [BK, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, k, BK):
        acc = tl.dot(a.load([i, s]), b.load([s, j]), acc)
    rm = i + tl.arange(0, BM)
    rn = j + tl.arange(0, BN)
    tl.store(c_ptr + rm[:, None] * n + rn[None, :], acc)


def main():
    half, single = MockTensor(tl.float16), MockTensor(tl.float32)
    tma_copy[4, 4](half, half, 256, 256, BM=64, BN=64)
    tma_matmul[4, 4](half, half, single, 256, 256, 256, BM=64, BN=64, BK=64)


if __name__ == "__main__":
    main()
