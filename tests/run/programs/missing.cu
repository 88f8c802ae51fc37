#include "check.h"
__global__ void nothing() {}
int main() {
  void *p;
  cudaIpcMemHandle_t h;
  OK(cudaMalloc(&p, 64));
  FAILS(cudaErrorNotSupported, cudaIpcGetMemHandle(&h, p));
  FAILS(cudaErrorNotSupported, cudaIpcGetMemHandle(&h, p));
  nothing<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  return 0;
}
