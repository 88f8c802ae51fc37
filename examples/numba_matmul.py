"""A product of matrices by tiles in shared memory, in Numba, checked against NumPy.

perflint run --check -- python examples/numba_matmul.py
"""

import sys

import numpy as np
from numba import cuda, float32

TILE = 16


@cuda.jit(lineinfo=True)
def matmul(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for start in range(0, a.shape[1], TILE):
        inside_a = row < a.shape[0] and start + x < a.shape[1]
        inside_b = start + y < b.shape[0] and column < b.shape[1]
        tile_a[y, x] = a[row, start + x] if inside_a else 0
        tile_b[y, x] = b[start + y, column] if inside_b else 0
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


def main() -> int:
    draw = np.random.default_rng(1)
    a = draw.random((60, 50), np.float32)
    b = draw.random((50, 70), np.float32)
    c = cuda.device_array((60, 70), np.float32)
    blocks = (-(-70 // TILE), -(-60 // TILE))
    matmul[blocks, (TILE, TILE)](cuda.to_device(a), cuda.to_device(b), c)
    worst = float(abs(c.copy_to_host() - a @ b).max())
    print(f"{'right' if worst < 1e-4 else 'WRONG'}: {worst:.2g} off at most")
    return 0 if worst < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
