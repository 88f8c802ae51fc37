// C's names for formats, which no header in sight defines: nobody's error.
// kernels: told
#include <cinttypes>
#include <cstdio>

__device__ inline void tell(uint32_t a, int64_t b) { printf("%7" PRIu32 " %" PRId64 "\n", a, b); }

__global__ void told(uint32_t *a) { tell(a[threadIdx.x], 1); }
