#include "check.h"
__constant__ int table[100];
__global__ void __launch_bounds__(128) big(int *p, int n) {
  extern __shared__ int s[];
  __shared__ int fixed[64];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = i + table[0];
  fixed[threadIdx.x % 64] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = s[n - 1 - i] + fixed[i % 64];
}
int main() {
  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, big));
  EXPECT(a.sharedSizeBytes == 256 && a.maxThreadsPerBlock == 128 && a.numRegs > 0 && a.constSizeBytes >= 400);
  const int n = 20000;
  int *p;
  static int host[n];
  OK(cudaMalloc(&p, sizeof host));
  big<<<1, 128, n * 4>>>(p, n);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);  // more than 48 KB need opting in
  OK(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 4));
  big<<<1, 128, n * 4>>>(p, n);
  OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) EXPECT(host[i] == n - 1 - i);
  FAILS(cudaErrorInvalidValue, cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  OK(cudaFuncSetCacheConfig(big, cudaFuncCachePreferL1));
  return 0;
}
