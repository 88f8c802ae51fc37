// What device code names stays: of a base.
// kernels: k
// calls: 1
#include "host.h"
__global__ void k(Pair *p) {
  p[threadIdx.x].first = N;
  static_assert(N == 3, "it is"); }
