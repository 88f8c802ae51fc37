// A slip in one kernel; the other one is to be compiled all the same.
// kernels: fine
#include <cstdio>
#include <vector>

__global__ void wrong(float *out, int n) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < n) out[idxx] = 1.0f;  // error: 20 identifier "idxx" is undefined
}

__global__ void fine(float *out, int n) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < n) out[idx] = 1.0f;
}

int main() {
  std::vector<float> host(100);
  wrong<<<1, 100>>>(nullptr, 100);
  printf("%zu\n", host.size());
}
