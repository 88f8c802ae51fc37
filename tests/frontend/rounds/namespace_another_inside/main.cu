// A namespace in sight is none of an absent library: with another inside.
// kernels: k
// calls: 1
#include <geo/config.h>
namespace geo::detail {}
namespace geo { struct point { float x; }; }
using namespace geo;
namespace lab { using p = geo::point; }
__global__ void k(lab::p *x) { x[threadIdx.x].x = 1; }
