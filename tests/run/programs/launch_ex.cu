#include "check.h"
struct Big { int values[200]; double scale; };
template <typename T> __global__ void apply(Big b, T *out, char c, short s, long long l) { out[threadIdx.x] = (T)(b.values[threadIdx.x] * b.scale) + c + s + (T)l; }
int main() {
  Big b;
  for (int i = 0; i < 200; i++) b.values[i] = i;
  b.scale = 2.5;
  float *f;
  int *n, hn[100];
  float hf[100];
  OK(cudaMalloc(&f, 400));
  OK(cudaMalloc(&n, 400));
  apply<<<1, 100>>>(b, f, (char)1, (short)2, 3LL);
  cudaLaunchConfig_t c = {};
  c.gridDim = 1, c.blockDim = 100;
  cudaLaunchAttribute at[1];
  at[0].id = cudaLaunchAttributeCooperative, at[0].val.cooperative = 1;
  c.attrs = at, c.numAttrs = 1;
  OK(cudaLaunchKernelEx(&c, apply<int>, b, n, (char)-1, (short)-2, -3LL));
  OK(cudaMemcpy(hf, f, 400, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(hn, n, 400, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 100; i++) EXPECT(hf[i] == i * 2.5f + 6 && hn[i] == (int)(i * 2.5) - 6);
  return 0;
}
