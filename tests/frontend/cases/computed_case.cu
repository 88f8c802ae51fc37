// The case is named by a macro, from which a header makes the names of its files as strings.
// kernels: advance
#include "computed_case_outer.h"
#include BODY

__global__ void advance(float *a) { a[threadIdx.x] = body(a[threadIdx.x]); }
