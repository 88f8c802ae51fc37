// What the sources add to an absent library's namespace does not make the rest of it known.
// kernels: plain weighed
// lost: solved "`lin::` is of headers not found: lin/dense.h"
#include <lin/dense.h>

namespace lin {
struct Weight {
  float value;
};
template <class T> struct Traits;
} // namespace lin

template <class T> __device__ float first(const lin::Matrix<T> &a) { return a(0, 0); }

__global__ void plain(float *a) { a[threadIdx.x] += 1; }
__global__ void weighed(lin::Weight *w, lin::Traits<float> *of) { w[threadIdx.x].value += !of; }
__global__ void solved(lin::Matrix<float> a, float *b) { b[threadIdx.x] = first(a); }
