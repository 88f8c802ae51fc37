"""A device function, `forall`, and a view with strides."""

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def square(x):
    return x * x


@cuda.jit
def squares(x, y):
    for i in range(cuda.grid(1), y.size, cuda.gridsize(1)):
        y[i] = square(x[i])


def main():
    x = np.ones(1 << 15, np.float32)
    y = cuda.device_array(1 << 14, np.float32)
    squares.forall(y.size)(cuda.to_device(x[: y.size]), y)  # neighbours
    squares[64, 256](x[::2], y)  # every other one


if __name__ == "__main__":
    main()
