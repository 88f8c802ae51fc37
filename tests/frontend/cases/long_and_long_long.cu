// `int64_t` is `long` where nvcc runs: what is there for it and for `long long` is there twice.
// kernels: k
#include <cstdint>
#define HOST_METHOD __host__
template <class T> struct kind;
template <> struct kind<int64_t> { static constexpr int value = 1; };
template <> struct kind<long long> { static constexpr int value = 2; };
__device__ int64_t twice(int64_t x) { return x + x; }
__device__ long long twice(long long x) { return 2 * x; }
struct Log {
  int level;
  HOST_METHOD void set(int to) { level = to; }
};
__constant__ Log the_log;
__global__ void k(long long *p) { p[threadIdx.x] = twice(p[0]) + kind<int64_t>::value + the_log.level; }
