#include "check.h"
__global__ void warp(int *sum, unsigned *votes, int *prefix) {
  int lane = threadIdx.x % 32, v = threadIdx.x;
  for (int k = 16; k; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  sum[threadIdx.x] = v;
  votes[threadIdx.x] = __ballot_sync(~0u, lane % 3 == 0);
  int p = 1;
  for (int k = 1; k < 32; k *= 2) { int o = __shfl_up_sync(~0u, p, k); if (lane >= k) p += o; }
  prefix[threadIdx.x] = p;
}
int main() {
  int *s, *p, hs[64], hp[64];
  unsigned *v, hv[64], want = 0;
  OK(cudaMalloc(&s, 256)); OK(cudaMalloc(&p, 256)); OK(cudaMalloc(&v, 256));
  warp<<<1, 64>>>(s, v, p);
  OK(cudaMemcpy(hs, s, 256, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(hp, p, 256, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(hv, v, 256, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i += 3) want |= 1u << i;
  for (int i = 0; i < 64; i++) EXPECT(hs[i] == (i < 32 ? 496 : 1520) && hv[i] == want && hp[i] == i % 32 + 1);
  return 0;
}
