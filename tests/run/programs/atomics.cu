#include "check.h"
__global__ void count(int *bins, const int *keys, int n, float *sum, unsigned long long *big, int *most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&bins[keys[i] % 16], 1);
  atomicAdd(sum, 0.5f);
  atomicMax(most, keys[i]);
  unsigned long long old = *big, was;
  do { was = old; old = atomicCAS(big, was, was + keys[i]); } while (old != was);
}
int main() {
  const int n = 2000;
  int keys[n], want[16] = {}, got[16], most = 0, top;
  unsigned long long total = 0, big;
  for (int i = 0; i < n; i++) { keys[i] = i * 7919 % 1009; want[keys[i] % 16]++; total += keys[i]; most = keys[i] > most ? keys[i] : most; }
  int *k, *b, *m;
  float *s, sum;
  unsigned long long *g;
  OK(cudaMalloc(&k, sizeof keys)); OK(cudaMalloc(&b, 64)); OK(cudaMalloc(&s, 4)); OK(cudaMalloc(&g, 8)); OK(cudaMalloc(&m, 4));
  OK(cudaMemcpy(k, keys, sizeof keys, cudaMemcpyHostToDevice));
  OK(cudaMemset(b, 0, 64)); OK(cudaMemset(s, 0, 4)); OK(cudaMemset(g, 0, 8)); OK(cudaMemset(m, 0, 4));
  count<<<8, 256>>>(b, k, n, s, g, m);
  OK(cudaMemcpy(got, b, 64, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&sum, s, 4, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&big, g, 8, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&top, m, 4, cudaMemcpyDeviceToHost));
  EXPECT(!memcmp(got, want, 64) && sum == n / 2 && big == total && top == most);
  return 0;
}
