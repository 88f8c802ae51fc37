// One error each, by the name that the program is given, of those that compute-sanitizer looks for.
#include "check.h"
#include <cstring>

__global__ void beyond_global(int *p, int n) { p[threadIdx.x + n] = 1; }
__global__ void beyond_atomic(int *p, int n) { atomicAdd(&p[threadIdx.x + n], 1); }
__global__ void beyond_shared(int *p, int n) {
  __shared__ int s[32];
  s[threadIdx.x + n] = 1;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x];
}
__global__ void beyond_local(int *p, int n) {
  int a[8];
  for (int i = 0; i < 8; i++) a[i] = p[i];
  a[p[threadIdx.x] + n] = 5;
  int sum = 0;
  for (int i = 0; i < 8; i++) sum += a[(i * n) & 7];
  p[threadIdx.x] = sum;
}
__global__ void uneven_global(char *p, int n) { *(int *)(p + 4 * threadIdx.x + n) = 1; }
__global__ void uneven_shared(int *p, int n) {
  __shared__ char s[256];
  *(int *)(s + 4 * threadIdx.x + n) = 1;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x];
}
__global__ void stopped(int *p) {
  if (p[threadIdx.x] == 0)
    __trap();
}
__global__ void freed_wrongly(int *p) { free(p); }
__global__ void added(int *p, const int *q) { p[threadIdx.x] += q[threadIdx.x]; }
__global__ void copied(int *p, const int *q) { p[threadIdx.x] = q[threadIdx.x]; }
__global__ void unwritten_shared(int *p) {
  __shared__ int s[64];
  if (threadIdx.x < 16) s[threadIdx.x] = 1;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x] + 1;
}
__global__ void read_after_write(int *p) {
  __shared__ int s[64];
  s[threadIdx.x] = p[threadIdx.x];
  p[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void write_after_read(int *p) {
  __shared__ int s[64];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  int next = s[63 - threadIdx.x];
  s[threadIdx.x] = next + 1;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x];
}
__global__ void write_after_write(int *p) {
  __shared__ int s[2];
  s[threadIdx.x & 1] = threadIdx.x;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x & 1];
}
__global__ void divergent_block(int *p) {
  if (threadIdx.x < 32) {
    p[threadIdx.x] = 2;
    __syncthreads();
  } else
    __syncthreads();
  p[threadIdx.x] = 1;
}
__global__ void divergent_warp(int *p) {
  if (threadIdx.x % 32 < 16) {
    p[threadIdx.x] = 2;
    __syncthreads();
  } else
    __syncthreads();
  p[threadIdx.x] = 1;
}
__global__ void early_exit(int *p, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();
  p[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  auto is = [what](const char *name) { return !strcmp(what, name); };
  int *p, *q;
  OK(cudaMalloc(&p, 256)); OK(cudaMalloc(&q, 256));
  OK(cudaMemset(p, 0, 256));
  if (is("beyond_global")) beyond_global<<<1, 64>>>(p, 4);
  if (is("beyond_atomic")) beyond_atomic<<<1, 64>>>(p, 4);
  if (is("beyond_shared")) beyond_shared<<<1, 32>>>(p, 1);
  if (is("beyond_local")) beyond_local<<<1, 4>>>(p, 4096);
  if (is("uneven_global")) uneven_global<<<1, 32>>>((char *)p, 2);
  if (is("uneven_shared")) uneven_shared<<<1, 32>>>(p, 2);
  if (is("stopped")) stopped<<<1, 64>>>(p);
  if (is("freed_wrongly")) freed_wrongly<<<1, 1>>>(p);
  if (is("unwritten_global")) added<<<1, 64>>>(p, q);
  if (is("unwritten_copied")) copied<<<1, 64>>>(p, q);
  if (is("unwritten_shared")) unwritten_shared<<<1, 64>>>(p);
  if (is("read_after_write")) read_after_write<<<1, 64>>>(p);
  if (is("write_after_read")) write_after_read<<<1, 64>>>(p);
  if (is("write_after_write")) write_after_write<<<1, 64>>>(p);
  if (is("divergent_block")) divergent_block<<<1, 64>>>(p);
  if (is("divergent_warp")) divergent_warp<<<1, 64>>>(p);
  if (is("early_exit")) early_exit<<<1, 64>>>(p, 40);
  if (is("wrong_call")) cudaMemcpy(p, q, 1 << 20, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  if (is("freed")) {
    cudaFree(q);
    added<<<1, 64>>>(p, q);
    cudaDeviceSynchronize();
  }
  return 0;
}
