// A type of an absent header goes at once where it is made, too: `vec3(x, y, z)`, `vec3::zero()`.
// kernels: floats product
// lost: rays "tiny/vec.h"
// calls: 3
#include <tiny/vec.h>
using namespace tiny;
__device__ float sum(vec3 a) { return a.x + a.y; }
__device__ float all(float a) { return sum(a * vec3(a, a, a)); }
__device__ float none() { return vec3::zero().x; }
__device__ float both(float a) { return all(a) + none(); }
__global__ void rays(float *p) {
  vec3 d{0, 0, 1};
  p[0] = both(d.x);
}
__global__ void floats(float *p) { p[threadIdx.x] = 1; }
__device__ float far(float x) { return 2 * x; }
__global__ void product(float *p) { p[threadIdx.x] *= far(p[0]); }
