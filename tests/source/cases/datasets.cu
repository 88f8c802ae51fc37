// Sizes chosen by conditional defines, in the manner of benchmark suites.
#include "datasets.h"
#define ROW_BLOCK 16
#undef ROW_BLOCK
#ifdef USER_BLOCK
#define ROW_BLOCK USER_BLOCK
#elif defined(TALL) && !defined(WIDE_BLOCK)
#define ROW_BLOCK 4
#else
#define ROW_BLOCK 8
#endif
#if __CUDA_ARCH__ >= 700
#define PER_ARCH 4
#else
#define PER_ARCH 2
#endif
#if SIZE_I * 2 == 1024 && (SIZE_J > 100 ? 1 : 0)
#define SUITED 1
#else
#define SUITED 0
#endif
__global__ void k(REAL *a, int n) { a[n] = 0; }
void f(REAL *a) {
    dim3 block(BLOCK_X, ROW_BLOCK);
    dim3 grid((size_t)(ceil(((float)SIZE_I) / ((float)block.x))), SIZE_J / ROW_BLOCK);
    k<<<grid, block>>>(a, SUITED);  // launch: k grid=(16,32,1) block=(32,8,1) n=1
    k<<<1, PER_ARCH>>>(a, LATER);  // launch: k grid=(1,1,1) block=? n=?
#define LATER 7
    k<<<1, 1>>>(a, LATER);  // launch: k grid=(1,1,1) block=(1,1,1) n=7
#undef LATER
#define LATER 9
    k<<<1, SELF>>>(a, LATER);  // launch: k grid=(1,1,1) block=? n=9
}
