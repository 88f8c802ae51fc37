// Histogram equalisation of an 8-bit grey image
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <cmath>
#include <vector>
#include <chrono>
#include <cuda_runtime.h>

using u8 = unsigned char;
constexpr int BINS = 256;

__global__ void histogram(const u8 *img, unsigned *hist, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&hist[img[i]], 1u);
}

__global__ void histogramRows(const u8 *img, unsigned *rowHist, int w, int h) {
  __shared__ unsigned local[BINS];
  int row = blockIdx.x;
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
  __syncthreads();
  const uchar4 *p = reinterpret_cast<const uchar4 *>(img + (size_t)row * w);
  for (int i = threadIdx.x; i < w / 4; i += blockDim.x) {
    uchar4 v = p[i];
    atomicAdd(&local[v.x], 1u);
    atomicAdd(&local[v.y], 1u);
    atomicAdd(&local[v.z], 1u);
    atomicAdd(&local[v.w], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    rowHist[b * h + row] = local[b];
}

__global__ void buildLut(const unsigned *hist, u8 *lut, size_t n) {
  if (threadIdx.x == 0) {
    unsigned cdf = 0;
    for (int b = 0; b < BINS; ++b) {
      cdf += hist[b];
      lut[b] = (u8)(255.0 * cdf / n);
    }
  }
}

__global__ void applyLut(const u8 *in, u8 *out, const u8 *lut, size_t n) {
  __shared__ u8 s[BINS];
  if (threadIdx.x < BINS) s[threadIdx.x] = lut[threadIdx.x];
  __syncthreads();
  size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = s[in[i]];
}

__global__ void seedImage(u8 *img, int w, int h) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h) return;
  unsigned s = 1234567u + y * 7919u;
  for (int x = 0; x < w; ++x) {
    s = s * 1664525u + 1013904223u;
    img[(size_t)y * w + x] = (u8)(((s >> 24) * (s >> 16 & 255)) >> 8);
  }
}

int main(int argc, char **argv) {
  int w = 4096, h = 4096, reps = 30;
  if (argc > 1) w = atoi(argv[1]);
  if (argc > 2) h = atoi(argv[2]);
  if (argc > 3) reps = atoi(argv[3]);
  w &= ~3;
  size_t n = (size_t)w * h;
  u8 *img, *out, *lut;
  unsigned *hist, *rowHist;
  cudaMalloc(&img, n);
  cudaMalloc(&out, n);
  cudaMalloc(&lut, BINS);
  cudaMalloc(&hist, BINS * sizeof(unsigned));
  cudaMalloc(&rowHist, (size_t)BINS * h * sizeof(unsigned));
  seedImage<<<(h + 127) / 128, 128>>>(img, w, h);

  std::vector<u8> hi(n), ho(n);
  cudaMemcpy(hi.data(), img, n, cudaMemcpyDeviceToHost);

  auto run = [&]() {
    cudaMemsetAsync(hist, 0, BINS * sizeof(unsigned));
    histogram<<<(unsigned)((n + 255) / 256), 256>>>(img, hist, n);
    buildLut<<<1, 256>>>(hist, lut, n);
    applyLut<<<1024, 256>>>(img, out, lut, n);
    histogramRows<<<h, 128>>>(img, rowHist, w, h);
  };

  run();
  cudaMemcpy(ho.data(), out, n, cudaMemcpyDeviceToHost);
  std::vector<unsigned> ref(BINS, 0), rh((size_t)BINS * h);
  for (u8 v : hi) ref[v]++;
  u8 rl[BINS];
  unsigned c = 0;
  for (int b = 0; b < BINS; ++b) { c += ref[b]; rl[b] = (u8)(255.0 * c / n); }
  size_t bad = 0;
  for (size_t i = 0; i < n; ++i) bad += rl[hi[i]] != ho[i];
  cudaMemcpy(rh.data(), rowHist, rh.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (int b = 0; b < BINS; ++b) {
    unsigned s = 0;
    for (int r = 0; r < h; ++r) s += rh[(size_t)b * h + r];
    bad += s != ref[b];
  }
  printf("%s\n", bad ? "FAIL" : "PASS");

  cudaDeviceSynchronize();
  auto t0 = std::chrono::high_resolution_clock::now();
  for (int r = 0; r < reps; ++r) run();
  cudaDeviceSynchronize();
  auto t1 = std::chrono::high_resolution_clock::now();
  printf("%.3f ms per frame\n", std::chrono::duration<double, std::milli>(t1 - t0).count() / reps);
  cudaFree(img); cudaFree(out); cudaFree(lut); cudaFree(hist); cudaFree(rowHist);
  return bad != 0;
}
