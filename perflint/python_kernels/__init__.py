"""`perflint triton` and `perflint numba`: kernels of Python modules, without a GPU."""
