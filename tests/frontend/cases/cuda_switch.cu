// kernels: scaled
// remark: WITH_CUDA is taken to be 1, as a build of CUDA code says
#include "cuda_switch.h"

__global__ void scaled(float *a, int n) {
  EACH(i, n) { a[i] *= 2; }
}
