// What was narrowed away comes back. A name that a kernel has both for its own and from a header.
// kernels: k
#include "host.h"
__global__ void k(float *p) { struct sum *one = (struct sum *)p; float sum = one->all; p[0] = sum; }
