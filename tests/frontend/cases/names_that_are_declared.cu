// Names in capitals that the sources declare, if only where nothing can see them, are no macros.
// kernels: k
// lost: hidden "MODE_FAST"
#include "not_here.h"

#ifdef NOT_DEFINED
enum Mode { MODE_FAST = 1, MODE_EXACT };
#endif

template <int B, int MODE_EXACT>
__device__ float scaled(float x) {
  return x * B + MODE_EXACT;
}

__global__ void k(float *p) { p[threadIdx.x] = scaled<2, 3>(p[threadIdx.x]); }

__global__ void hidden(float *p) { p[threadIdx.x] = MODE_FAST; }
