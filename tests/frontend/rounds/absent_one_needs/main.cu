// What an absent library would declare goes at once: one needs it.
// kernels: floats
// lost: rays "geo/all.h"
// calls: 1
#include <geo/all.h>
using point = geo::point;
struct Ray { point from; };
__device__ float x_of(Ray r) { return r.from.x; }
__global__ void floats(float *a) { a[threadIdx.x] = 1; }
__global__ void rays(Ray *r, float *a) { a[threadIdx.x] = x_of(r[threadIdx.x]); }
