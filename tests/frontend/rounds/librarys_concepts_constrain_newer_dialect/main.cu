// What the librarys concepts constrain is of the newer dialect.
// kernels: k
#include <concepts>
template <int N, std::integral T> __device__ T by(T x) { return N * x; }
__device__ int of(std::integral auto x) { return by<2>(x); }
__global__ void k(int *p) { p[threadIdx.x] = of(p[0]); }
