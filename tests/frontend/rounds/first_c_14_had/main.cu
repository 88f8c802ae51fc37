// One call is enough for: what C++14 had.
// kernels: k
// calls: 1
#include <functional>
template <class T> struct less : std::binary_function<T, T, bool> {
  __device__ bool operator()(T a, T b) { return a < b; }
};
__global__ void k(float *p) { less<float> f; p[threadIdx.x] = f(p[0], less<float>::result_type()); }
