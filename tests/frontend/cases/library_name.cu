// A name of the C library's that no device code has: our limit, perhaps, and not a slip.
// kernels: fine
// lost: uses "identifier \"strtol\" is undefined"
#include <stdlib.h>

__global__ void uses(char *s, long *out) { out[0] = strtol(s, 0, 10); }

__global__ void fine(float *p) { p[threadIdx.x] = 0.0f; }
