// 2-D lifting wavelet (CDF 9/7), several levels, image size a multiple of 2^levels.
// Usage: wavelet97 <width> <height> <levels> <repeat>     (4096 4096 4 10)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define A1 -1.586134342f
#define A2 -0.05298011854f
#define A3  0.8829110762f
#define A4  0.4435068522f
#define KSC 1.149604398f

#define ROW_TILE 1024

inline void ck(cudaError_t e) { if (e) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); abort(); } }

__global__ void rows_forward(const float *in, float *out, int w, int pitch)
{
  __shared__ float s[2 * ROW_TILE + 8];
  const int row = blockIdx.y;
  const int base = blockIdx.x * 2 * ROW_TILE;
  const int n = min(2 * ROW_TILE, w - base);
  for (int i = threadIdx.x; i < n + 8; i += blockDim.x) {
    int g = base + i - 4;
    if (g < 0) g = -g;
    if (g >= w) g = 2 * w - 2 - g;
    s[i] = in[row * pitch + g];
  }
  __syncthreads();
  const int half = n / 2;
  for (int i = threadIdx.x; i < half + 3; i += blockDim.x)
    s[2 * i + 1] += A1 * (s[2 * i] + s[2 * i + 2]);
  __syncthreads();
  for (int i = threadIdx.x; i < half + 2; i += blockDim.x)
    s[2 * i + 2] += A2 * (s[2 * i + 1] + s[2 * i + 3]);
  __syncthreads();
  for (int i = threadIdx.x; i < half + 1; i += blockDim.x)
    s[2 * i + 3] += A3 * (s[2 * i + 2] + s[2 * i + 4]);
  __syncthreads();
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    float e = s[2 * i + 4] + A4 * (s[2 * i + 3] + s[2 * i + 5]);
    out[row * pitch + base / 2 + i] = e * KSC;
    out[row * pitch + w / 2 + base / 2 + i] = s[2 * i + 5] / KSC;
  }
}

__global__ void cols_forward(const float *__restrict__ in, float *__restrict__ out, int w, int h, int pitch)
{
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (2 * pair >= h || col >= w) return;
  float v[9];
#pragma unroll
  for (int k = 0; k < 9; k++) {
    int r = 2 * pair + k - 4;
    r = r < 0 ? -r : r;
    r = r >= h ? 2 * h - 2 - r : r;
    v[k] = in[r * pitch + col];
  }
#pragma unroll
  for (int k = 1; k < 8; k += 2) v[k] += A1 * (v[k - 1] + v[k + 1]);
#pragma unroll
  for (int k = 2; k < 7; k += 2) v[k] += A2 * (v[k - 1] + v[k + 1]);
#pragma unroll
  for (int k = 3; k < 6; k += 2) v[k] += A3 * (v[k - 1] + v[k + 1]);
  v[4] += A4 * (v[3] + v[5]);
  out[pair * pitch + col] = v[4] * KSC;
  out[(h / 2 + pair) * pitch + col] = v[5] / KSC;
}

class Image {
 public:
  Image(int w, int h) : w(w), h(h), pix(size_t(w) * h) {
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) pix[size_t(y) * w + x] = 128.0f + 64.0f * sinf(0.01f * x) * cosf(0.02f * y);
  }
  double mean() const { double s = 0; for (float p : pix) s += p; return s / pix.size(); }
  int w, h;
  std::vector<float> pix;
};

int main(int argc, char **argv)
{
  const int w = argc > 1 ? atoi(argv[1]) : 4096;
  const int h = argc > 2 ? atoi(argv[2]) : 4096;
  const int levels = argc > 3 ? atoi(argv[3]) : 4;
  const int repeat = argc > 4 ? atoi(argv[4]) : 10;
  Image img(w, h);
  const size_t bytes = img.pix.size() * sizeof(float);
  float *a, *b;
  ck(cudaMalloc(&a, bytes));
  ck(cudaMalloc(&b, bytes));

  cudaEvent_t e0, e1;
  ck(cudaEventCreate(&e0)); ck(cudaEventCreate(&e1));
  float total = 0.0f;
  for (int r = 0; r < repeat; r++) {
    ck(cudaMemcpy(a, img.pix.data(), bytes, cudaMemcpyHostToDevice));
    ck(cudaEventRecord(e0));
    int cw = w, ch = h;
    for (int l = 0; l < levels; l++) {
      dim3 g1((cw + 2 * ROW_TILE - 1) / (2 * ROW_TILE), ch);
      rows_forward<<<g1, 256>>>(a, b, cw, w);
      dim3 blk(32, 8), g2((ch / 2 + 31) / 32, (cw + 7) / 8);
      cols_forward<<<g2, blk>>>(b, a, cw, ch, w);
      cw /= 2; ch /= 2;
    }
    ck(cudaEventRecord(e1));
    ck(cudaEventSynchronize(e1));
    float ms; ck(cudaEventElapsedTime(&ms, e0, e1));
    total += ms;
  }
  std::vector<float> res(img.pix.size());
  ck(cudaMemcpy(res.data(), a, bytes, cudaMemcpyDeviceToHost));
  double s = 0; int bad = 0;
  for (int y = 0; y < (h >> levels); y++)
    for (int x = 0; x < (w >> levels); x++) { float v = res[size_t(y) * w + x]; s += v; bad += !(std::fabs(v) < 1e6f); }
  s /= double(h >> levels) * (w >> levels);
  printf("low band mean %.3f (image mean %.3f) %s\n", s, img.mean(), bad ? "FAIL" : "PASS");
  printf("average transform time %.3f ms\n", total / repeat);
  cudaFree(a); cudaFree(b);
  return 0;
}
