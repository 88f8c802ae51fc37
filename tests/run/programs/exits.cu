// Ends as its argument says.
#include "check.h"
template <bool wait> __global__ void store(int *p, int n) {
  __shared__ int s[64];
  if (threadIdx.x < n) s[threadIdx.x] = 1;
  if (wait) __syncthreads();
  p[threadIdx.x] = s[63 - threadIdx.x];
}
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "none")) return 0;
  int *p, *q;
  OK(cudaMalloc(&p, 256));
  OK(cudaMalloc(&q, 256));
  if (!strcmp(how, "race")) store<false><<<1, 64>>>(p, 64);
  else if (!strcmp(how, "bounds")) store<true><<<1, 64>>>(p + 1, 64);
  else if (!strcmp(how, "uninitialised")) { OK(cudaMemcpy(q, p, 0, cudaMemcpyDefault)); store<true><<<1, 64>>>(p, 10); }
  else store<true><<<1, 64>>>(p, 64);
  OK(cudaDeviceSynchronize());
  if (!strcmp(how, "abort")) abort();
  return !strcmp(how, "seven") ? 7 : 0;
}
