/* One pass of a radix partition (8 bits) as used before partitioned joins: histogram, scan, scatter.
 * radix_partition <log2 of items> <shift>       default 24 0
 */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <cuda_runtime.h>

#define BITS    8
#define PARTS   (1 << BITS)
#define TPB     256
#define ITEMS   16
#define CHUNK   (TPB * ITEMS)

typedef uint32_t u32;

__global__ void hist_kernel(const u32 *keys, u32 *bh, int n, int shift)
{
  __shared__ u32 h[PARTS];
  h[threadIdx.x] = 0;
  __syncthreads();
  int base = blockIdx.x * CHUNK + threadIdx.x * ITEMS;
  for (int k = 0; k < ITEMS; k++) {
    if (base + k < n) {
      u32 key = keys[base + k];
      atomicAdd(&h[(key >> shift) & (PARTS - 1)], 1u);
    }
    __syncthreads();
  }
  bh[threadIdx.x * gridDim.x + blockIdx.x] = h[threadIdx.x];
}

__global__ void scan_kernel(u32 *bh, u32 *starts, int m)
{
  if (threadIdx.x == 0) {
    u32 run = 0;
    for (int i = 0; i < m; i++) {
      u32 c = bh[i];
      if (i % (m / PARTS) == 0) starts[i / (m / PARTS)] = run;
      bh[i] = run;
      run += c;
    }
  }
}

__global__ void scatter_kernel(const u32 *__restrict__ keys, const u32 *__restrict__ offs, u32 *__restrict__ out,
                               int n, int shift)
{
  __shared__ u32 pos[PARTS];
  pos[threadIdx.x] = offs[threadIdx.x * gridDim.x + blockIdx.x];
  __syncthreads();
  int base = blockIdx.x * CHUNK;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    int i = base + k * TPB + threadIdx.x;
    if (i < n) {
      u32 key = keys[i];
      u32 d = (key >> shift) & (PARTS - 1);
      u32 p = atomicAdd(&pos[d], 1u);
      out[p] = key;
    }
  }
}

static void usage(const char *p) { printf("usage: %s <log2 items> <shift>\n", p); exit(1); }

int main(int argc, char **argv)
{
  int logn = 24, shift = 0;
  if (argc == 3) { logn = atoi(argv[1]); shift = atoi(argv[2]); }
  else if (argc != 1) usage(argv[0]);
  const int n = 1 << logn;
  const int blocks = (n + CHUNK - 1) / CHUNK;
  const int m = blocks * PARTS;

  u32 *h = (u32 *)malloc(n * sizeof(u32));
  u32 *g = (u32 *)malloc(n * sizeof(u32));
  u32 x = 123456789u;
  for (int i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; h[i] = x; }

  u32 *keys, *out, *bh, *starts;
  cudaMalloc(&keys, n * sizeof(u32));
  cudaMalloc(&out, n * sizeof(u32));
  cudaMalloc(&bh, m * sizeof(u32));
  cudaMalloc(&starts, PARTS * sizeof(u32));
  cudaMemcpy(keys, h, n * sizeof(u32), cudaMemcpyHostToDevice);

  cudaEvent_t t[4];
  for (int i = 0; i < 4; i++) cudaEventCreate(&t[i]);
  cudaEventRecord(t[0]);
  hist_kernel<<<blocks, TPB>>>(keys, bh, n, shift);
  cudaEventRecord(t[1]);
  scan_kernel<<<1, 32>>>(bh, starts, m);
  cudaEventRecord(t[2]);
  scatter_kernel<<<blocks, TPB>>>(keys, bh, out, n, shift);
  cudaEventRecord(t[3]);
  if (cudaEventSynchronize(t[3]) != cudaSuccess) { printf("kernel failure\n"); return 1; }

  u32 hs[PARTS];
  cudaMemcpy(hs, starts, sizeof(hs), cudaMemcpyDeviceToHost);
  cudaMemcpy(g, out, n * sizeof(u32), cudaMemcpyDeviceToHost);

  u32 cnt[PARTS];
  memset(cnt, 0, sizeof(cnt));
  uint64_t sh = 0, sg = 0;
  for (int i = 0; i < n; i++) {
    cnt[(h[i] >> shift) & (PARTS - 1)]++;
    sh += h[i];
    sg += g[i];
  }
  int bad = sh != sg;
  u32 run = 0;
  for (int p = 0; p < PARTS; p++) {
    bad += hs[p] != run;
    for (u32 i = run; i < run + cnt[p] && i < (u32)n; i++)
      bad += ((g[i] >> shift) & (PARTS - 1)) != (u32)p;
    run += cnt[p];
  }
  float a, b, c;
  cudaEventElapsedTime(&a, t[0], t[1]);
  cudaEventElapsedTime(&b, t[1], t[2]);
  cudaEventElapsedTime(&c, t[2], t[3]);
  printf("%s\n", bad ? "FAIL" : "PASS");
  printf("histogram %.3f ms  scan %.3f ms  scatter %.3f ms\n", a, b, c);
  free(h); free(g);
  cudaFree(keys); cudaFree(out); cudaFree(bh); cudaFree(starts);
  return bad != 0;
}
