#include "check.h"
__global__ void wild(int *p) { p[threadIdx.x + (1 << 28)] = 1; }
__global__ void fine(int *p) { p[threadIdx.x] = 1; }
int main() {
  int *p, h;
  OK(cudaMalloc(&p, 128));
  wild<<<1, 32>>>(p);
  OK(cudaGetLastError());
  FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  fine<<<1, 32>>>(p);
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
  FAILS(cudaErrorIllegalAddress, cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost));
  return 0;
}
