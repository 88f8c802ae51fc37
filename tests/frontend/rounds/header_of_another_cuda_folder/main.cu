// A library's own folder `cuda/`, which is not there: its headers have suffixes, libcu++'s none.
// kernels: fill
// calls: 1
#include <cuda/launcher.hpp>
#include <cuda/tools/ranges.hpp>
#include <cuda/std/cstddef>
__global__ void fill(int *a) { a[threadIdx.x] = 1; }
