"""Four kernels as people write them: a transpose, a softmax, a sum of rows, a matrix product."""

import triton
import triton.language as tl
from triton.runtime.jit import MockTensor


@triton.jit
def transpose(x_ptr, y_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    tile = tl.load(x_ptr + rows[:, None] * n + columns[None, :], mask=mask)
    tl.store(y_ptr + columns[None, :] * m + rows[:, None], tile, mask=mask)


@triton.jit
def softmax(out_ptr, in_ptr, in_stride, out_stride, n_columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n_columns
    x = tl.load(in_ptr + row * in_stride + offsets, mask=mask, other=-float("inf"))
    x = x - tl.max(x, axis=0)
    numerator = tl.exp(x)
    result = numerator / tl.sum(numerator, axis=0)
    tl.store(out_ptr + row * out_stride + offsets, result, mask=mask)


@triton.jit
def column_sums(in_ptr, out_ptr, stride, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    base = in_ptr + tl.program_id(0) * ROWS * stride
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for column in range(ROWS):
        total += tl.load(base + lanes * stride + column)  # a row for each lane
    tl.store(out_ptr + tl.program_id(0) * BLOCK + lanes, total)


@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, m, n, k, a_stride, b_stride, c_stride, BM: tl.constexpr,
    BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    a = a_ptr + rows[:, None] * a_stride + inner[None, :]
    b = b_ptr + inner[:, None] * b_stride + columns[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        left = tl.load(a, mask=inner[None, :] < k - start, other=0.0)
        right = tl.load(b, mask=inner[:, None] < k - start, other=0.0)
        total += tl.dot(left, right)
        a += BK
        b += BK * b_stride
    c = c_ptr + rows[:, None] * c_stride + columns[None, :]
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c, total.to(tl.float16), mask=inside)


def main():
    x, half = MockTensor(tl.float32), MockTensor(tl.float16)
    transpose[16, 16](x, x, 512, 512, BM=32, BN=32)
    softmax[(128,)](x, x, 1024, 1024, 1000, BLOCK=1024)
    column_sums[(8,)](x, x, 64, BLOCK=128, ROWS=64)
    matmul[4, 4](half, half, half, 256, 256, 256, 256, 256, 256, BM=64, BN=64, BK=32)


if __name__ == "__main__":
    main()
