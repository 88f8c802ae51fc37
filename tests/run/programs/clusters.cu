#include "check.h"
__global__ void plain(int *a) { a[blockIdx.x] = 1; }
int main() {
  int *a;
  OK(cudaMalloc(&a, 64));
  cudaLaunchAttribute two;
  two.id = cudaLaunchAttributeClusterDimension, two.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t c = {};
  c.gridDim = 4, c.blockDim = 32, c.attrs = &two, c.numAttrs = 1;
  FAILS(cudaErrorNotSupported, cudaLaunchKernelEx(&c, plain, a));
  two.val.clusterDim = {1, 1, 1};
  OK(cudaLaunchKernelEx(&c, plain, a));
  return 0;
}
