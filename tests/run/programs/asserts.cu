#include "check.h"
#include <cassert>
__global__ void at_most(int n) { assert(threadIdx.x < n); }
__global__ void stop() { __trap(); }
int main(int argc, char **argv) {
  at_most<<<1, 32>>>(32);
  OK(cudaDeviceSynchronize());
  if (argc > 1) {
    stop<<<1, 1>>>();
    FAILS(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    return 0;
  }
  at_most<<<1, 32>>>(30);
  FAILS(cudaErrorAssert, cudaDeviceSynchronize());
  return 0;
}
