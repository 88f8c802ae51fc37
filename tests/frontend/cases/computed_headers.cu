// The name of a header may be what a macro makes of its argument, with macros of a header before.
// kernels: scaled
#include "computed_headers.h"
#include PART_OF(header)
#include OTHER(a, b)

__global__ void scaled(float *a) { a[threadIdx.x] *= SCALE; }
