// The header that makes EXPORTED mean `__device__` is not there.
// kernels: uses
// remark: taken for device code
#include "not_here.h"

EXPORTED float half_of(float x) { return x / 2; }

__global__ void uses(float *p) { p[threadIdx.x] = half_of(p[threadIdx.x]); }
