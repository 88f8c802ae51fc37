// Even with a header missing: CUDA's own types are known.
// kernels: fine
#include "nowhere_to_be_found.h"
__global__ void wrong(float *p) {
  p[threadIdx.w] = 1;  // error: 15 class "uint3" has no member "w"
}
__global__ void fine(float *p) { p[threadIdx.x] = 0.0f; }
