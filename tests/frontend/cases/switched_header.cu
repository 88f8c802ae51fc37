// Types and functions that are declared only where a build of CUDA code says that it is one.
// kernels: moved
// remark: WITH_CUDA is taken to be 1, as a build of CUDA code says
#include "switched_header.h"

__global__ void moved(point *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = twice(a[threadIdx.x]);
}
