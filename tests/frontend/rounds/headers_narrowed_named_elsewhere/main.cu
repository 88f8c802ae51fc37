// What was narrowed away comes back where its name stands elsewhere, too, and where a header that
// device code needs names it.
// kernels: fill
// calls: at most 4
#include "array.h"
#include "types.h"
#include "params.h"
__global__ void fill(params p) { p.out[threadIdx.x] = p.factor; }
