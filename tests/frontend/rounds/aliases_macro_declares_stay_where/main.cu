// Aliases that a macro declares stay where device code names them. Beside a header that is
// refused: `NAMED(vec, float)` was taken for a registration.
// kernels: k
#include "host.h"
#include "vectors.h"
__device__ void log(Log *);
__global__ void k(v::vec2 *p, v::hvec1 *q) { p[threadIdx.x].second = first(p[0]) + q->first; }
