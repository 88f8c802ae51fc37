// A header that would include <cuda.h> is not there.
// kernels: k
// remark: CUDA_VERSION is taken to be defined
#include "not_here.h"

#if CUDA_VERSION >= 10010
__global__ void k(float *p) { p[threadIdx.x] = 0; }
#endif
