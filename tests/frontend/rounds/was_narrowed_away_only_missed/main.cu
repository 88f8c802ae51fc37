// Of what was narrowed away only what is missed comes back. All of it at once would bring the
// classes back that no compiler takes.
// kernels: k
// calls: at most 1
#include "host.h"
__global__ void k(float *p) { struct sum *one = (struct sum *)p; float sum = one->all; p[0] = sum; }
