// Of a namespace that is not called as its headers' folder is, and that nothing in sight declares,
// goes all at once; what a launch gives of it, too.
// kernels: floats sums<float>?
// lost: rays "`geo::` is declared by nothing in sight (headers not found: geometry/all.h"
// calls: 1
#include <geometry/all.h>
struct Fixture : public ::geo::Test {};
using point = geo::point;
struct Ray { point from; };
__device__ float x_of(Ray r) { return r.from.x; }
__global__ void floats(float *a) { a[threadIdx.x] = 1; }
__global__ void rays(Ray *r, float *a) { a[threadIdx.x] = x_of(r[threadIdx.x]); }
template <class T> __global__ void sums(T *a) { a[threadIdx.x] += a[threadIdx.x + 1]; }
void launch(geo::wide *a) { sums<geo::wide><<<1, 64>>>(a); }
