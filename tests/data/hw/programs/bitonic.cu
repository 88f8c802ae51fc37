#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#include <chrono>
#include <cuda_runtime.h>

typedef unsigned int uint;

struct KeyVal {
  uint key;
  uint tag;
  double weight;
};

__device__ __forceinline__ void cmpSwap(uint &a, uint &b, bool up) {
  if ((a > b) == up) {
    uint t = a;
    a = b;
    b = t;
  }
}

// plain global-memory merge step used for every (k, j)
__global__ void mergeStep(uint *keys, uint j, uint k) {
  uint i = blockIdx.x * blockDim.x + threadIdx.x;
  uint ixj = i ^ j;
  if (ixj > i) {
    uint a = keys[i], b = keys[ixj];
    if ((i & k) == 0) {
      if (a > b) { keys[i] = b; keys[ixj] = a; }
    } else {
      if (a < b) { keys[i] = b; keys[ixj] = a; }
    }
  }
}

template <uint SIZE>
__global__ void sortShared(uint *keys) {
  __shared__ uint s[SIZE];
  uint base = blockIdx.x * SIZE;
  s[threadIdx.x] = keys[base + threadIdx.x];
  s[threadIdx.x + SIZE / 2] = keys[base + threadIdx.x + SIZE / 2];
  for (uint size = 2; size <= SIZE; size <<= 1) {
    bool up = ((base + 2 * threadIdx.x) & size) == 0;
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      cmpSwap(s[pos], s[pos + stride], up);
    }
  }
  __syncthreads();
  keys[base + threadIdx.x] = s[threadIdx.x];
  keys[base + threadIdx.x + SIZE / 2] = s[threadIdx.x + SIZE / 2];
}

// records sorted whole
__global__ void mergeRecords(KeyVal *r, uint n, uint j, uint k) {
  uint t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n / 2) return;
  uint i = (t / j) * 2 * j + t % j;
  KeyVal a = r[i], b = r[i + j];
  bool up = (i & k) == 0;
  if ((a.key > b.key) == up) {
    r[i].key = b.key;
    r[i].tag = b.tag;
    r[i].weight = b.weight;
    r[i + j].key = a.key;
    r[i + j].tag = a.tag;
    r[i + j].weight = a.weight;
  }
}

static uint nextPow2(uint v) {
  uint p = 1;
  while (p < v) p <<= 1;
  return p;
}

static void sortKeys(uint *d, uint n) {
  const uint CHUNK = 1024;
  sortShared<CHUNK><<<n / CHUNK, CHUNK / 2>>>(d);
  for (uint k = 2 * CHUNK; k <= n; k <<= 1)
    for (uint j = k >> 1; j > 0; j >>= 1)
      mergeStep<<<n / 256, 256>>>(d, j, k);
}

static void sortRecords(KeyVal *d, uint n) {
  for (uint k = 2; k <= n; k <<= 1)
    for (uint j = k >> 1; j > 0; j >>= 1) mergeRecords<<<(n / 2 + 63) / 64, 64>>>(d, n, j, k);
}

int main(int argc, char **argv) {
  uint n = nextPow2(argc > 1 ? (uint)atoi(argv[1]) : 1u << 22);
  int reps = argc > 2 ? atoi(argv[2]) : 5;
  if (n < 2048) n = 2048;
  uint m = n / 8;
  std::vector<uint> h(n), ref, got(n);
  std::vector<KeyVal> rec(m), rgot(m);
  uint x = 2463534242u;
  for (uint i = 0; i < n; ++i) {
    x ^= x << 13; x ^= x >> 17; x ^= x << 5;
    h[i] = x;
    if (i < m) rec[i] = {x, i, x * 0.5};
  }
  ref = h;
  std::sort(ref.begin(), ref.end());
  uint *d;
  KeyVal *dr;
  cudaMalloc(&d, n * sizeof(uint));
  cudaMalloc(&dr, m * sizeof(KeyVal));
  double tk = 0, tr = 0;
  for (int r = 0; r < reps; ++r) {
    cudaMemcpy(d, h.data(), n * sizeof(uint), cudaMemcpyHostToDevice);
    cudaMemcpy(dr, rec.data(), m * sizeof(KeyVal), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    auto t0 = std::chrono::steady_clock::now();
    sortKeys(d, n);
    cudaDeviceSynchronize();
    auto t1 = std::chrono::steady_clock::now();
    sortRecords(dr, m);
    cudaDeviceSynchronize();
    auto t2 = std::chrono::steady_clock::now();
    tk += std::chrono::duration<double, std::milli>(t1 - t0).count();
    tr += std::chrono::duration<double, std::milli>(t2 - t1).count();
  }
  cudaMemcpy(got.data(), d, n * sizeof(uint), cudaMemcpyDeviceToHost);
  cudaMemcpy(rgot.data(), dr, m * sizeof(KeyVal), cudaMemcpyDeviceToHost);
  bool rok = true;
  for (uint i = 1; i < m; ++i) rok = rok && rgot[i - 1].key <= rgot[i].key;
  printf("keys %s %.3f ms, records %s %.3f ms\n", got == ref ? "PASS" : "FAIL", tk / reps, rok ? "PASS" : "FAIL",
         tr / reps);
  return 0;
}
