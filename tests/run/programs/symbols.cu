#include "check.h"
__constant__ float weights[8] = {1, 2, 3};
__device__ int counter = 3, grid[4][4];
__device__ int *where = &counter;
__global__ void use(float *out) { out[threadIdx.x] = weights[threadIdx.x]; if (!threadIdx.x) { *where += 1; grid[1][2] = 12; } }
int main() {
  float *out, host[8], more[2] = {50, 60};
  OK(cudaMalloc(&out, 32));
  OK(cudaMemcpyToSymbol(weights, more, 8, 4));
  use<<<1, 8>>>(out);
  OK(cudaMemcpy(host, out, 32, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 1 && host[1] == 50 && host[2] == 60 && host[3] == 0);
  int n, g[4][4];
  OK(cudaMemcpyFromSymbol(&n, counter, 4));
  EXPECT(n == 4);
  OK(cudaMemcpyFromSymbol(g, grid, sizeof g));
  EXPECT(g[1][2] == 12);
  void *p;
  size_t size;
  OK(cudaGetSymbolAddress(&p, grid));
  OK(cudaGetSymbolSize(&size, grid));
  EXPECT(size == 64);
  OK(cudaMemset(p, 0, size));
  OK(cudaMemcpyFromSymbol(g, grid, sizeof g));
  EXPECT(g[1][2] == 0);
  FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(weights, more, 8, 28));
  FAILS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&p, &n));
  return 0;
}
