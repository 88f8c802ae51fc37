// A header that is included only under a condition, and insists on that, makes it true of nothing.
// kernels: copy
// calls: 1
#if WITH_EXTRA
#include "extra.h"
#endif
__global__ void copy(float *a, const float *b) {
#if WITH_EXTRA
  a[threadIdx.x] = extra(b[threadIdx.x]);
#else
  a[threadIdx.x] = b[threadIdx.x];
#endif
}
