// Bilateral filter on RGBA8 images plus a grey conversion pass
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

struct FilterArgs {
  int w, h;
  int radius;
  float sigmaS, sigmaR;
};

struct Rgb { unsigned char r, g, b; };

__global__ void toGrey(const Rgb *in, float *out, int npix) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= npix) return;
  Rgb p = in[i];
  out[i] = 0.299f * p.r + 0.587f * p.g + 0.114f * p.b;
}

__global__ void bilateral(const float *in, float *out, FilterArgs a) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= a.w || y >= a.h) return;
  float c = in[y * a.w + x];
  float sum = 0.f, norm = 0.f;
  for (int dy = -a.radius; dy <= a.radius; ++dy) {
    for (int dx = -a.radius; dx <= a.radius; ++dx) {
      int xx = min(max(x + dx, 0), a.w - 1);
      int yy = min(max(y + dy, 0), a.h - 1);
      float v = in[yy * a.w + xx];
      float ws = expf(-(powf(dx, 2.0f) + powf(dy, 2.0f)) / (2.0f * a.sigmaS * a.sigmaS));
      float wr = expf(-powf(v - c, 2.0f) / (2.0f * a.sigmaR * a.sigmaR));
      sum += v * ws * wr;
      norm += ws * wr;
    }
  }
  out[y * a.w + x] = sum / norm;
}

// horizontal then vertical box pass used for the base layer
template <bool HORIZONTAL>
__global__ void boxPass(const float *__restrict__ in, float *__restrict__ out, int w, int h, int r) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  int len = HORIZONTAL ? w : h, lines = HORIZONTAL ? h : w;
  if (line >= lines) return;
  size_t step = HORIZONTAL ? 1 : w;
  const float *src = HORIZONTAL ? in + (size_t)line * w : in + line;
  float *dst = HORIZONTAL ? out + (size_t)line * w : out + line;
  float acc = src[0] * (r + 1);
  for (int i = 0; i < r; ++i) acc += src[min(i, len - 1) * step];
  float inv = 1.0f / (2 * r + 1);
  for (int i = 0; i < len; ++i) {
    acc += src[min(i + r, len - 1) * step];
    dst[i * step] = acc * inv;
    acc -= src[max(i - r, 0) * step];
  }
}

__global__ void combine(const float4 *base, const float4 *smooth, uchar4 *out, float k, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  float4 b = base[i], s = smooth[i];
  uchar4 o;
  o.x = (unsigned char)fminf(fmaxf(s.x + k * (s.x - b.x), 0.f), 255.f);
  o.y = (unsigned char)fminf(fmaxf(s.y + k * (s.y - b.y), 0.f), 255.f);
  o.z = (unsigned char)fminf(fmaxf(s.z + k * (s.z - b.z), 0.f), 255.f);
  o.w = (unsigned char)fminf(fmaxf(s.w + k * (s.w - b.w), 0.f), 255.f);
  out[i] = o;
}

static float cpuPixel(const std::vector<float> &g, const FilterArgs &a, int x, int y) {
  double s = 0, n = 0, c = g[(size_t)y * a.w + x];
  for (int dy = -a.radius; dy <= a.radius; ++dy)
    for (int dx = -a.radius; dx <= a.radius; ++dx) {
      int xx = std::min(std::max(x + dx, 0), a.w - 1), yy = std::min(std::max(y + dy, 0), a.h - 1);
      double v = g[(size_t)yy * a.w + xx];
      double wgt = exp(-(dx * dx + dy * dy) / (2.0 * a.sigmaS * a.sigmaS) -
                       (v - c) * (v - c) / (2.0 * a.sigmaR * a.sigmaR));
      s += v * wgt;
      n += wgt;
    }
  return (float)(s / n);
}

int main(int argc, char **argv) {
  FilterArgs a = {1920, 1080, 5, 3.0f, 25.0f};
  int reps = 20;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "-w")) a.w = atoi(argv[i + 1]) & ~3;
    else if (!strcmp(argv[i], "-h")) a.h = atoi(argv[i + 1]);
    else if (!strcmp(argv[i], "-r")) a.radius = atoi(argv[i + 1]);
    else if (!strcmp(argv[i], "-n")) reps = atoi(argv[i + 1]);
  }
  int n = a.w * a.h;
  std::vector<Rgb> img(n);
  for (int y = 0; y < a.h; ++y)
    for (int x = 0; x < a.w; ++x)
      img[y * a.w + x] = {(unsigned char)(x ^ y), (unsigned char)(x + y), (unsigned char)((x * y) >> 6)};
  Rgb *dImg; float *grey, *filt, *tmp, *base; uchar4 *res;
  cudaMalloc(&dImg, n * sizeof(Rgb));
  cudaMalloc(&grey, n * 4); cudaMalloc(&filt, n * 4); cudaMalloc(&tmp, n * 4); cudaMalloc(&base, n * 4);
  cudaMalloc(&res, n);
  cudaMemcpy(dImg, img.data(), n * sizeof(Rgb), cudaMemcpyHostToDevice);
  dim3 b(32, 8), g((a.w + 31) / 32, (a.h + 7) / 8);
  auto frame = [&] {
    toGrey<<<(n + 255) / 256, 256>>>(dImg, grey, n);
    bilateral<<<g, b>>>(grey, filt, a);
    boxPass<true><<<(a.h + 63) / 64, 64>>>(grey, tmp, a.w, a.h, 8);
    boxPass<false><<<(a.w + 63) / 64, 64>>>(tmp, base, a.w, a.h, 8);
    combine<<<(n / 4 + 255) / 256, 256>>>((float4 *)base, (float4 *)filt, res, 0.4f, n / 4);
  };
  frame();
  std::vector<float> hg(n), hf(n);
  cudaMemcpy(hg.data(), grey, n * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(hf.data(), filt, n * 4, cudaMemcpyDeviceToHost);
  float err = 0;
  for (int y = 0; y < a.h; y += 7)
    for (int x = 0; x < a.w; x += 5) err = std::max(err, std::fabs(cpuPixel(hg, a, x, y) - hf[y * a.w + x]));
  printf("%s %g\n", err < 0.05f ? "PASS" : "FAIL", err);
  cudaEvent_t e0, e1;
  cudaEventCreate(&e0); cudaEventCreate(&e1);
  cudaEventRecord(e0);
  for (int r = 0; r < reps; ++r) frame();
  cudaEventRecord(e1);
  cudaEventSynchronize(e1);
  float ms; cudaEventElapsedTime(&ms, e0, e1);
  printf("%.3f ms per frame\n", ms / reps);
  return 0;
}
