// What else a macro with an alias declares is left out. As above, for a registration that names
// its type: nothing that device code has use for.
// kernels: k
// calls: at most 2
#include "host.h"
#include "vectors.h"
__global__ void k(vec *p) { p[threadIdx.x].second = p[0].first; }
