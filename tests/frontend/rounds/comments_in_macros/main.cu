// A macro goes on behind a comment in its body, whose braces close nothing of the file's.
// kernels: k
// calls: 1
#include "fields.h"
namespace fields {
__global__ void k(float *p) { p[threadIdx.x] = std::sqrt(twice(p[threadIdx.x])); }
}
