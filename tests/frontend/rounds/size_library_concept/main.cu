// A size of the library is no concept of it.
// kernels: k
// calls: 1
#include <cstddef>
template <std::size_t N> __device__ int of() { return N; }
__global__ void k(int *p) { int consteval = of<2>(); *p = consteval; }
