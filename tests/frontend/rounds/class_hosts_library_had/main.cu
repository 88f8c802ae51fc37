// What a class of the hosts has of the library is had.
// kernels: k
// calls: 2
#include "counted.h"
__global__ void k(Counted *c) { c[threadIdx.x].p[0] = 1; }
