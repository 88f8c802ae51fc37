#include <cstdio>
#include <cstdlib>
#include <vector>
#include <numeric>
#include <cuda_runtime.h>

constexpr int kThreads = 512;
constexpr int kPerBlock = 2 * kThreads;

namespace scan {

// Work-efficient exclusive scan of 1024 elements per block
__global__ void blockScan(const unsigned *in, unsigned *out, unsigned *blockTotals, size_t n) {
  __shared__ unsigned s[kPerBlock];
  size_t base = (size_t)blockIdx.x * kPerBlock;
  int t = threadIdx.x;
  s[2 * t] = base + 2 * t < n ? in[base + 2 * t] : 0;
  s[2 * t + 1] = base + 2 * t + 1 < n ? in[base + 2 * t + 1] : 0;
  int off = 1;
  for (int d = kPerBlock / 2; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int a = off * (2 * t + 1) - 1;
      int b = off * (2 * t + 2) - 1;
      s[b] += s[a];
    }
    off <<= 1;
  }
  if (t == 0) {
    blockTotals[blockIdx.x] = s[kPerBlock - 1];
    s[kPerBlock - 1] = 0;
  }
  for (int d = 1; d < kPerBlock; d <<= 1) {
    off >>= 1;
    __syncthreads();
    if (t < d) {
      int a = off * (2 * t + 1) - 1;
      int b = off * (2 * t + 2) - 1;
      unsigned v = s[a];
      s[a] = s[b];
      s[b] += v;
    }
  }
  __syncthreads();
  for (int i = t; i < kPerBlock; i += kThreads)
    if (base + i < n) out[base + i] = s[i];
}

// scans the block totals
__global__ void scanTotals(unsigned *totals, int nb) {
  if (threadIdx.x == 0) {
    unsigned run = 0;
    for (int i = 0; i < nb; ++i) {
      unsigned v = totals[i];
      totals[i] = run;
      run += v;
    }
  }
}

__global__ void addOffsets(unsigned *out, const unsigned *totals, size_t n) {
  size_t base = (size_t)blockIdx.x * kPerBlock;
  unsigned o = totals[blockIdx.x];
#pragma unroll
  for (int j = 0; j < kPerBlock / kThreads; ++j) {
    size_t i = base + threadIdx.x + j * kThreads;
    if (i < n) out[i] += o;
  }
}

void exclusive(const unsigned *in, unsigned *out, unsigned *totals, size_t n) {
  int nb = (int)((n + kPerBlock - 1) / kPerBlock);
  blockScan<<<nb, kThreads>>>(in, out, totals, n);
  scanTotals<<<1, 32>>>(totals, nb);
  addOffsets<<<nb, kThreads>>>(out, totals, n);
}

}  // namespace scan

// keep elements with flag set, destination from scan
__global__ void compact(const unsigned *flags, const unsigned *pos, const float *src, float *dst, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && flags[i]) dst[pos[i]] = src[i];
}

int main(int argc, char **argv) {
  size_t n = argc > 1 ? strtoull(argv[1], nullptr, 10) : (size_t)1 << 24;
  int reps = argc > 2 ? atoi(argv[2]) : 20;
  std::vector<unsigned> flags(n), ref(n), got(n);
  std::vector<float> src(n);
  unsigned seed = 1;
  for (size_t i = 0; i < n; ++i) {
    seed = seed * 1103515245u + 12345u;
    flags[i] = (seed >> 16) & 1u;
    src[i] = (float)(seed & 0xffff);
  }
  std::exclusive_scan(flags.begin(), flags.end(), ref.begin(), 0u);

  unsigned *dFlags, *dPos, *dTot;
  float *dSrc, *dDst;
  cudaMalloc(&dFlags, n * sizeof(unsigned));
  cudaMalloc(&dPos, n * sizeof(unsigned));
  cudaMalloc(&dTot, (n / kPerBlock + 1) * sizeof(unsigned));
  cudaMalloc(&dSrc, n * sizeof(float));
  cudaMalloc(&dDst, n * sizeof(float));
  cudaMemcpy(dFlags, flags.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemcpy(dSrc, src.data(), n * sizeof(float), cudaMemcpyHostToDevice);

  scan::exclusive(dFlags, dPos, dTot, n);
  cudaMemcpy(got.data(), dPos, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  bool ok = got == ref;

  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  cudaEventRecord(a);
  for (int r = 0; r < reps; ++r) {
    scan::exclusive(dFlags, dPos, dTot, n);
    compact<<<(unsigned)((n + 255) / 256), 256>>>(dFlags, dPos, dSrc, dDst, n);
  }
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  float ms = 0;
  cudaEventElapsedTime(&ms, a, b);

  std::vector<float> out(n);
  cudaMemcpy(out.data(), dDst, n * sizeof(float), cudaMemcpyDeviceToHost);
  size_t j = 0;
  for (size_t i = 0; i < n; ++i)
    if (flags[i]) ok = ok && out[j++] == src[i];
  printf("%s, kept %zu of %zu, %.3f ms\n", ok ? "PASS" : "FAIL", j, n, ms / reps);
  return ok ? 0 : 1;
}
