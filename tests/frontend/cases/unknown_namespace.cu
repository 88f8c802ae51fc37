// What follows a namespace that a missing header declares is no error of the user's.
// kernels: fine
// lost: uses "headers not found: not_here.h"
#include "not_here.h"

#if defined(__NVCC__)
#define RESTRICT __restrict__
#endif

__global__ void uses(
    gpu::Accessor<double> to,
    double const *RESTRICT from) {
  to.set(threadIdx.x, from[threadIdx.x]);
}

__global__ void fine(double *p) { p[threadIdx.x] = 0; }
