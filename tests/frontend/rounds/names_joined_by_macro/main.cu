// What a macro joins of its argument and a word is needed where it is used; what it would join of
// another word is not.
// kernels: fill
// calls: 1
#include "pools.h"
#define POOL(kind) kind##Pool
__global__ void fill(POOL(Small) pool, int n) {
  if (threadIdx.x < n) pool.free[threadIdx.x] = threadIdx.x;
}
