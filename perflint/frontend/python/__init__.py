"""PTX that a compiler made of Python (Triton, Numba): what its source says of the kernels."""
