// Every read is of memory that the host or a kernel wrote; then one is not.
#include "check.h"
__device__ int fixed[32] = {1};
__constant__ int numbers[4] = {1, 2, 3, 4};
__global__ void copy(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x] + fixed[threadIdx.x] + numbers[threadIdx.x % 4]; }
int main(int argc, char **argv) {
  int *a, *b, *c, *m, host[32] = {};
  OK(cudaMalloc(&a, 128)); OK(cudaMalloc(&b, 128)); OK(cudaMalloc(&c, 128)); OK(cudaMallocManaged(&m, 128));
  OK(cudaMemcpy(a, host, 128, cudaMemcpyHostToDevice));
  copy<<<1, 32>>>(a, b);
  copy<<<1, 32>>>(b, m);
  copy<<<1, 32>>>(m, b);
  if (argc > 1) copy<<<1, 32>>>(c, b);
  OK(cudaDeviceSynchronize());
  return 0;
}
