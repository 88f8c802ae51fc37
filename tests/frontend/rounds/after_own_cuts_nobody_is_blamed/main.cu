// The brace that closes what a message took away is no error of the one who wrote it.
// kernels:
// lost: k "made no code"
#include "define.h"
#include "vector.h"

__global__ void k(float *p) {
  p[threadIdx.x] = 1;
}
