// kernels: parted
#include <algorithm>
#include <thrust/tuple.h>
#include <tuple>
__device__ std::tuple<float, int> part(float x) { return std::make_tuple(x, (int)x); }
__device__ thrust::tuple<float, int> parts(float x) { return thrust::make_tuple(x, (int)x); }
template <typename T>
struct Sized {
  static constexpr int size = std::max({sizeof(T), sizeof(char)});
};
__global__ void parted(float *x) {
  typename std::aligned_storage<16, 16>::type storage;
  float *local = reinterpret_cast<float *>(&storage);
  const auto [a, b] = part(x[threadIdx.x]);
  float c;
  int d;
  thrust::tie(c, d) = parts(x[threadIdx.x]);
  __asm__ __volatile__("mov.b32 %0, %1;" : "=r"(d) : "r"(d));
  local[b & 3] = std::fmaxf(a, c) + Sized<int>::size;
  x[threadIdx.x] = std::is_trivially_copyable<float>::value ? local[d & 3] : std::clamp(a, c, a);
}
