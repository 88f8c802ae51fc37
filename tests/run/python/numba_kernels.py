"""Numba: shared and constant memory, atomics, warps, functions, printing, vectorize, reduce."""

import math

import numpy as np
from numba import cuda, float32, int32, vectorize

TABLE = np.array([1, 3, 5, 7], np.float32)


@cuda.jit(device=True)
def twice(x):
    return x + x


@cuda.jit
def histogram(values, bins):
    local = cuda.shared.array(32, int32)
    thread = cuda.threadIdx.x
    if thread < 32:
        local[thread] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(local, values[i] % 32, 1)
    cuda.syncthreads()
    if thread < 32:
        cuda.atomic.add(bins, thread, local[thread])


@cuda.jit
def block_sums(values, sums):
    shared = cuda.shared.array(0, float32)
    thread, block = cuda.threadIdx.x, cuda.blockIdx.x
    shared[thread] = values[block * cuda.blockDim.x + thread]
    half = cuda.blockDim.x // 2
    while half:
        cuda.syncthreads()
        if thread < half:
            shared[thread] += shared[thread + half]
        half //= 2
    if thread == 0:
        sums[block] = shared[0]


@cuda.jit
def warp_sums(values, sums):
    lane = cuda.laneid
    total = values[cuda.threadIdx.x]
    step = 16
    while step:
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, step)
        step //= 2
    if lane == 0:
        sums[cuda.threadIdx.x // 32] = total


@cuda.jit
def of_table(out):
    table = cuda.const.array_like(TABLE)
    i = cuda.threadIdx.x
    out[i] = twice(table[i % 4]) + math.sqrt(float32(i))


@cuda.jit
def extremes(values, found):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.max(found, 0, values[i])
        cuda.atomic.min(found, 1, values[i])
    if i == 0:
        print("thread", i)


@vectorize(["float32(float32, float32)"], target="cuda")
def both(x, y):
    return x * y + 1


@cuda.reduce
def largest(x, y):
    return max(x, y)


draw = np.random.default_rng(3)
values = draw.integers(0, 1000, 3000).astype(np.int32)
bins = np.zeros(32, np.int32)
histogram[4, 64](values, bins)
assert (bins == np.bincount(values % 32, minlength=32)).all()

numbers = draw.random(512, np.float32)
sums = np.zeros(4, np.float32)
block_sums[4, 128, 0, 4 * 128](numbers, sums)
assert np.allclose(sums, numbers.reshape(4, 128).sum(1))
warp_sums[1, 128](numbers[:128].copy(), sums)
assert np.allclose(sums, numbers[:128].reshape(4, 32).sum(1))

out = np.zeros(64, np.float32)
of_table[1, 64](out)
assert np.allclose(out, 2 * TABLE[np.arange(64) % 4] + np.sqrt(np.arange(64)))
found = np.array([-1, 5000], np.int32)
extremes[12, 256](values, found)
cuda.synchronize()
assert list(found) == [values.max(), values.min()]
assert np.allclose(both(numbers, numbers), numbers * numbers + 1)
assert largest(numbers) == numbers.max()
