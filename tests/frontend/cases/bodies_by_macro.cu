// A macro may be the rest of a function, of which nothing else says that it ends there.
// kernels: sizes ends
#include "bodies_by_macro.h"

__global__ void sizes(int *p) { p[threadIdx.x] = kept::size_of<3>::value + kept::twice(p[0]); }
__global__ void ends(int *p) { p[threadIdx.x] = kept::three()(p[1]); }
