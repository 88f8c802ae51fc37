// A macro that an undecided #if defines stands for specifiers alone in every branch.
#if defined(__CUDA_ARCH__)
#define ON_DEVICE __device__
#define ON_HOST __host__
#else
#define ON_DEVICE /* the host's compiler */
#define ON_HOST
#endif
#define ON_BOTH ON_HOST ON_DEVICE
#ifdef SLOW_BUILD
#define PLACED __attribute__((noinline))
#else
#define PLACED __attribute__((aligned(8)))
#endif
#include <cstdint>
__global__ void fill(float *a, int n) { a[threadIdx.x] = n; }
namespace common {
inline ON_BOTH int32_t parts(int32_t a, int32_t b) { return (a + b - 1) / b; }
inline ON_BOTH uint32_t parts(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
inline ON_BOTH int64_t parts(int64_t a, int64_t b) { return (a + b - 1) / b; }
}
PLACED static int twice(int n) { return 2 * n; }
void run(float *a, int some) {
    fill<<<common::parts(some, 32), 32>>>(a, twice(some)); // tried: fill<<<3, 32>>>(n=140)
}
int main() { run(nullptr, 70); }
