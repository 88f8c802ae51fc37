// compiled with -rdc=true: device code in two objects
#include "../check.h"
extern __device__ int scale(int);
extern __constant__ int offset;
__global__ void apply(int *p) { p[threadIdx.x] = scale(threadIdx.x) + offset; }
int main() {
  int *p, host[32], nine = 9;
  OK(cudaMalloc(&p, 128));
  OK(cudaMemcpyToSymbol(offset, &nine, 4));
  apply<<<1, 32>>>(p);
  OK(cudaMemcpy(host, p, 128, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) EXPECT(host[i] == 3 * i + 9);
  return 0;
}
