// Where little of the host's headers is refused, that goes by itself, and no header as a whole.
// kernels: scale
// calls: 3
#include "world.h"
__global__ void scale(world w, road r, float *out) { out[threadIdx.x] = w.scale * r.lanes[threadIdx.x].x; }
