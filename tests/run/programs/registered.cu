#include "check.h"
__global__ void add(int *p, int n, int v) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] += v; }
int main() {
  int n = 5000, *p = (int *)malloc(n * 4), *before = (int *)malloc(64);
  for (int i = 0; i < n; i++) p[i] = i;
  *before = 42;
  FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(p));
  OK(cudaHostRegister(p, n * 4, cudaHostRegisterMapped));
  FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(p, n * 4, 0));
  int *d;
  OK(cudaHostGetDevicePointer(&d, p, 0));
  add<<<1, 64>>>(d, n, 5);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(p[i] == i + 5);
  p[7] = 1000;
  add<<<1, 64>>>(d + 3, n - 3, 1);
  OK(cudaDeviceSynchronize());
  EXPECT(p[7] == 1001 && p[2] == 7 && *before == 42);
  OK(cudaHostUnregister(p));
  EXPECT(p[7] == 1001);
  OK(cudaHostRegister(p, n * 4, 0));
  OK(cudaHostUnregister(p));
  free(p);
  static int fixed[3000];
  OK(cudaHostRegister(fixed, sizeof fixed, 0));
  add<<<1, 64>>>(fixed, 3000, 9);
  OK(cudaDeviceSynchronize());
  EXPECT(fixed[0] == 9 && fixed[2999] == 9);
  OK(cudaHostUnregister(fixed));
  return 0;
}
