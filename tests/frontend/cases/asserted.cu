// kernels: k
// What glibc's `assert` calls, called by hand: nvcc has it, too.
#include <cassert>
__host__ __device__ inline void check(bool good, const char *file, int line) {
#ifndef _MSC_VER
  if (!good) __assert_fail("not good", file, line, __func__);
#endif
}
__global__ void k(float *p, int n) {
  check(threadIdx.x < n, __FILE__, __LINE__);
  p[threadIdx.x] = 1;
}
