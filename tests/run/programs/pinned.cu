#include "check.h"
__global__ void fill(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] = i * i; }
int main() {
  int *host, *device;
  OK(cudaHostAlloc(&host, 400, cudaHostAllocMapped));
  OK(cudaHostGetDevicePointer(&device, host, 0));
  fill<<<1, 128>>>(device, 100);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 100; i++) EXPECT(host[i] == i * i);
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, host));
  EXPECT(a.type == cudaMemoryTypeHost);
  OK(cudaFreeHost(host));
  int *many[100];
  for (int i = 0; i < 100; i++) { OK(cudaMallocHost(&many[i], 4096)); many[i][1023] = i; }
  fill<<<1, 32>>>(many[99], 32);
  OK(cudaDeviceSynchronize());
  EXPECT(many[99][5] == 25 && many[99][1023] == 99 && many[50][1023] == 50);
  for (int i = 0; i < 100; i++) OK(cudaFreeHost(many[i]));
  FAILS(cudaErrorInvalidValue, cudaFree(&a));
  return 0;
}
