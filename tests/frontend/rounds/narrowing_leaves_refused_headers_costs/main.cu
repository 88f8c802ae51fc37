// What narrowing leaves of refused headers costs no call. What names no declaration stays where
// it is, and would be refused a second time.
// kernels: k
// calls: 2
#include "host.h"
__global__ void k(float *p) { p[threadIdx.x] = 1; }
