#include "check.h"
__global__ void uneven(char *p) { *(int *)(p + 1) = 7; }
int main() {
  char *p;
  OK(cudaMalloc(&p, 128));
  uneven<<<1, 1>>>(p);
  FAILS(cudaErrorMisalignedAddress, cudaDeviceSynchronize());
  return 0;
}
