// C++'s own words are no macros of specifiers, though old compilers are given `#define constexpr`:
// the brackets behind `if constexpr` are no arguments of one.
// kernels: scale
// calls: 1
#include "vectors.h"
__global__ void scale(row r) { r.values[threadIdx.x] *= r.factor; }
