"""Arithmetic on float32s that Python's numbers make double, and its twins."""

import math

import numpy as np
from numba import cuda

RATE = 0.7


@cuda.jit
def total(a, out):
    column = cuda.grid(1)
    if column < out.shape[0]:
        tmp = 0.0
        for row in range(a.shape[0]):
            tmp += a[row, column]
        out[column] = tmp


@cuda.jit
def total_in_float(a, out):
    column = cuda.grid(1)
    if column < out.shape[0]:
        tmp = np.float32(0.0)
        for row in range(a.shape[0]):
            tmp += a[row, column]
        out[column] = tmp


@cuda.jit
def total_meant(a, out):
    column = cuda.grid(1)
    if column < out.shape[0]:
        tmp = np.float64(0)
        for row in range(a.shape[0]):
            tmp += a[row, column]
        out[column] = tmp


@cuda.jit
def damped(a, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a[0, i] * 3 + math.exp(-RATE * a[1, i])


@cuda.jit
def damped_in_float(a, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a[0, i] * np.float32(3) + math.exp(np.float32(-RATE) * a[1, i])


@cuda.jit
def share(a, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = 2.0 * a[0, i] / a.shape[0]


def main():
    a = cuda.to_device(np.ones((64, 64), dtype=np.float32))
    out = cuda.device_array(64, dtype=np.float32)
    wide = cuda.device_array(64, dtype=np.float64)
    for kernel in (total, total_in_float, total_meant, damped, damped_in_float, share):
        kernel[1, 64](a, out)
    total[1, 64](a, wide)


if __name__ == "__main__":
    main()
