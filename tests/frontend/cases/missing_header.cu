// Whatever is undefined may come from the header that is not there.
// kernels: fine
// lost: uses "headers not found: nowhere_to_be_found.h"
#include "nowhere_to_be_found.h"

__global__ void uses(float *p) { p[threadIdx.x] = their_function(p[threadIdx.x]); }

__global__ void fine(float *p) { p[threadIdx.x] = 0.0f; }
