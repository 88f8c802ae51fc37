// Where a header has kernels that are on, nothing is switched on: it may change those.
// kernels: scale
// lost: old "off here"
// calls: 1
#include "scale.cuh"
#ifdef ELECTRIC
__global__ void old(float *a) { a[threadIdx.x] *= BY; }
#endif
void run(float *a) { scale<<<1, 32>>>(a); }
