// A namespace in sight is none of an absent library: nested.
// kernels: k
// calls: 1
#include <geo/config.h>
namespace lab::geo { struct point { float x; }; }
namespace lab { using p = geo::point; }
__global__ void k(lab::p *x) { x[threadIdx.x].x = 1; }
