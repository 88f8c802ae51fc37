"""A column walk, an array with strides, their coalesced twins."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def column_walk(a, out):
    row = cuda.grid(1)
    if row < a.shape[0]:
        total = float32(0.0)
        for column in range(a.shape[1]):
            total += a[row, column]
        out[row] = total


@cuda.jit
def row_walk(a, out):
    column = cuda.grid(1)
    if column < a.shape[1]:
        total = float32(0.0)
        for row in range(a.shape[0]):
            total += a[row, column]
        out[column] = total


@cuda.jit("void(float32[:], float32[:])")
def scaled(x, y):
    i = cuda.grid(1)
    if i < y.shape[0]:
        y[i] = x[i] * float32(2.0)


def main():
    a = cuda.to_device(np.ones((1024, 512), dtype=np.float32))
    out = cuda.device_array(1024, dtype=np.float32)
    column_walk[8, 128](a, out)
    row_walk[4, 128](a, out)
    print(out.copy_to_host()[:4])


if __name__ == "__main__":
    main()
